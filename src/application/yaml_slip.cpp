#include "src/application/yaml_slip.hpp"

#include <algorithm>
#include <vector>

#include "core/format.hpp"

namespace amgsolve {
namespace {

constexpr std::string_view blanks = " \t\r";

/// Whether a token may begin behind the character.
bool is_before_token(char c) { return blanks.find(c) != blanks.npos || c == '{' || c == '[' || c == ',' || c == ':'; }

/// Goes through the lines of a text with what those before have left open.
class SlipFinder {
 public:
  explicit SlipFinder(const Schema& schema) : schema_(schema) {}

  std::optional<YamlSlip> find(std::string_view text) {
    while (!text.empty() && !slip_) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_number_;
      read_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return slip_;
  }

 private:
  void read_line(std::string_view line) {
    const std::size_t begin = std::min(line.find_first_not_of(blanks), line.size());
    if (begin == line.size() || line[begin] == '#' || line.starts_with("---")) {
      return;
    }
    if (open_brackets_ == 0) {
      check_indentation(line, begin);
    }
    read_tokens(line, begin);
  }

  /// What the line is indented by is that of an enclosing one, or more where the last line has opened a block.
  void check_indentation(std::string_view line, std::size_t indentation) {
    const bool opens = last_opens_;
    const std::size_t last = indentations_.empty() ? 0 : indentations_.back();
    if (indentations_.empty() || (opens && indentation > last)) {
      indentations_.push_back(indentation);
      return;
    }
    std::vector<std::size_t> enclosing = indentations_;
    while (!enclosing.empty() && enclosing.back() > indentation) {
      enclosing.pop_back();
    }
    if (enclosing.empty() || enclosing.back() != indentation) {
      fail(indentation,
           format_text("'{}' is indented by {}, the line before by {}: neither the same nor that of a line around it",
                       line.substr(indentation, line.find_first_of(": \r", indentation) - indentation),
                       format_count(static_cast<std::int64_t>(indentation), "blank"), last));
    }
    indentations_ = std::move(enclosing);
  }

  /// Looks at quotes, brackets and colons, up to a comment.
  void read_tokens(std::string_view line, std::size_t begin) {
    std::size_t end = begin;  // behind the last character that is no blank
    for (std::size_t i = begin; i < line.size() && !slip_; ++i) {
      const bool may_begin = i == 0 || is_before_token(line[i - 1]);
      if (line[i] == '#' && may_begin) {
        break;
      }
      if (may_begin && (line[i] == '"' || line[i] == '\'')) {
        const std::size_t closing = closing_quote(line, i);
        if (closing == line.npos) {
          fail(i, "the quote that begins here is not closed in its line");
          return;
        }
        i = closing;
      } else if (line[i] == '{' || line[i] == '[') {
        ++open_brackets_;
      } else if ((line[i] == '}' || line[i] == ']') && open_brackets_ > 0) {
        --open_brackets_;
      } else if (may_begin) {
        check_colon(line, i);
      }
      end = blanks.find(line[i]) == blanks.npos ? i + 1 : end;
    }
    last_opens_ = end > begin && line[end - 1] == ':';
  }

  static std::size_t closing_quote(std::string_view line, std::size_t opening) {
    const char quote = line[opening];
    for (std::size_t i = opening + 1; i < line.size(); ++i) {
      const bool escapes = quote == '"' ? line[i] == '\\' : line.substr(i, 2) == "''";
      if (escapes) {
        ++i;
      } else if (line[i] == quote) {
        return i;
      }
    }
    return line.npos;
  }

  /// Of a word that begins there and is a key.
  void check_colon(std::string_view line, std::size_t begin) {
    const std::size_t colon = line.find_first_of(": ,#{}[]", begin);
    if (colon == line.npos || line[colon] != ':' || colon + 1 == line.size() ||
        blanks.find(line[colon + 1]) != blanks.npos || !is_key(line.substr(begin, colon - begin))) {
      return;
    }
    const std::size_t end = std::min(line.find_first_of(" ,}\r", colon), line.size());
    fail(begin, format_text("no blank after the colon: write '{}: {}'", line.substr(begin, colon - begin),
                            line.substr(colon + 1, end - colon - 1)));
  }

  /// Of a section or an entry, whole or its last name alone.
  bool is_key(std::string_view word) const {
    return std::ranges::any_of(schema_.entries(), [&](const SchemaEntry& entry) {
      const std::string dotted = format_text(".{}.", entry.key);
      return !word.empty() && dotted.find(format_text(".{}.", word)) != dotted.npos;
    });
  }

  void fail(std::size_t begin, std::string what) {
    if (!slip_) {
      slip_ = YamlSlip{line_number_, static_cast<int>(begin) + 1, std::move(what)};
    }
  }

  const Schema& schema_;
  int line_number_ = 0;
  int open_brackets_ = 0;
  bool last_opens_ = false;                ///< a block below the last line, whose key has no value
  std::vector<std::size_t> indentations_;  ///< of the last line and those around it
  std::optional<YamlSlip> slip_;
};

}  // namespace

std::optional<YamlSlip> find_yaml_slip(std::string_view text, const Schema& schema) {
  return SlipFinder(schema).find(text);
}

}  // namespace amgsolve
