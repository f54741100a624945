#include "src/application/yaml_reader.hpp"

#include <fmt/ranges.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/input_file.hpp"
#include "core/mistakes.hpp"
#include "core/output_file.hpp"
#include "problems/decompress.hpp"
#include "problems/foreign_formats.hpp"
#include "problems/matrix_formats.hpp"
#include "src/application/yaml_slip.hpp"

namespace amgsolve {
namespace fs = std::filesystem;
namespace {

std::string join_key(std::string_view section, std::string_view name) {
  return section.empty() ? std::string(name) : format_text("{}.{}", section, name);
}

/// Whether a file that begins so is one of a matrix, plain or compressed, also where it cannot be read.
bool is_of_matrix(const std::string& begin) {
  return compression_of(begin) != Compression::none || !describe_foreign_format(begin).empty() ||
         std::ranges::any_of(matrix_formats(), [&](const MatrixFormat& format) { return format.recognises(begin); });
}

// No problem file comes near it, what never ends is found out, and yaml-cpp takes up to 10 us a byte.
constexpr std::size_t most_text = std::size_t{1} << 16;

std::string read_text(const fs::path& path) {
  std::string text(most_text + 1, '\0');
  std::size_t size = 0;
  try {
    InputFile file(path);
    for (std::size_t count = 1; count > 0 && size < text.size(); size += count) {
      count = file.read({text.data() + size, text.size() - size});
    }
  } catch (const InputError& error) {
    throw ConfigurationError(error.what());
  }
  if (is_of_matrix(text)) {
    throw ConfigurationError(format_text(
        "{0}: is a matrix; one that comes through a pipe is given by --set problem.matrix={0}", path.string()));
  }
  if (size > most_text) {
    throw ConfigurationError(
        format_text("{}: is larger than {} bytes, which no problem file is", path.string(), most_text));
  }
  text.resize(size);
  return text;
}

/// Most errors that are listed, and the longest text of one: what has more is no problem file with slips in it.
constexpr std::size_t most_errors = 20;
constexpr std::size_t longest_error = 1000;

/// The beginning, which says where, and the end, which says what would be right.
std::string shortened(std::string text) {
  constexpr std::size_t end = 300;
  constexpr std::string_view between = " ... ";
  if (text.size() > longest_error) {
    const std::size_t begin = longest_error - end - between.size();
    text.replace(begin, text.size() - begin - end, between);
  }
  return text;
}

/// Notes where documents begin.
class DocumentStarts : public YAML::EventHandler {
 public:
  std::vector<YAML::Mark> marks;

  void OnDocumentStart(const YAML::Mark& mark) override { marks.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

/// Where each key and section was given: "problem.yaml:12:5" or "--set amg.cycle=W".
using Positions = KeyPositions::Positions;

/// Takes one source, the file or an override, through the schema and collects what is wrong with it.
class Reader {
 public:
  Reader(const Schema& schema, std::string source) : schema_(schema), source_(std::move(source)) {}

  void read_file(const fs::path& file) {
    // Beside a descriptor, as of a pipe, there are no files.
    directory_ = named_descriptor(file) ? fs::path() : file.parent_path();
    has_lines_ = true;
    const std::string text = read_text(file);
    const YAML::Node document = parse(text);
    if (!document.IsNull()) {
      read_section(document, "");
    } else if (errors.empty()) {
      fail({}, "the file is empty; give 'problem.generate', 'problem.mesh' or 'problem.matrix'");
    }
    const std::optional<YamlSlip> slip = errors.empty() ? std::nullopt : find_yaml_slip(text, schema_);
    if (slip) {
      errors.insert(errors.begin(), format_text("{}:{}:{}: {}", source_, slip->line, slip->column, slip->what));
    }
  }

  void read_override(const Override& override) {
    const SchemaEntry* entry = schema_.find(override.key);
    if (entry != nullptr && entry->type != ValueType::integer_list && entry->type != ValueType::named_numbers) {
      positions[override.key] = source_;
      assign(*entry, {}, override.value);
    } else {
      const YAML::Node value = parse(override.value);
      if (errors.empty()) {
        read_key({}, "", override.key, value);
      }
    }
  }

  std::vector<std::string> errors;
  Positions positions;

 private:
  /// The one document of a text; null where there is none, or after an error.
  YAML::Node parse(const std::string& text) {
    try {
      std::istringstream stream(text);
      YAML::Parser parser(stream);
      DocumentStarts starts;
      while (parser.HandleNextDocument(starts) && starts.marks.size() < 2) {
      }
      if (starts.marks.size() < 2) {
        return YAML::Load(text);
      }
      // Before what can begin no value, a comma for example, yaml-cpp finds empty documents without end.
      fail(starts.marks[1], starts.marks[1].pos == starts.marks[0].pos
                                ? "not valid YAML: no value begins so"
                                : "a second YAML document begins here; there must be one");
    } catch (const YAML::DeepRecursion& error) {
      fail(error.mark, "not valid YAML: nested too deeply");
    } catch (const YAML::Exception& error) {
      fail(error.mark, format_text("not valid YAML: {}{}", error.msg,
                                   is_indented_by_tab(text, error.mark) ? "; a tab: YAML indents by blanks" : ""));
    }
    return {};
  }

  /// Whether blanks alone, among them a tab, stand in front of the place in its line.
  static bool is_indented_by_tab(std::string_view text, const YAML::Mark& mark) {
    const auto begin = static_cast<std::size_t>(std::max(mark.pos - mark.column, 0));
    const std::string_view line = text.substr(std::min(begin, text.size()));  // of other encodings another one
    const std::string_view indentation = line.substr(0, line.find_first_not_of(" \t"));
    return indentation.find('\t') != std::string_view::npos;
  }

  void read_section(const YAML::Node& node, const std::string& section) {
    if (node.IsNull()) {
      return;
    }
    if (!node.IsMap()) {
      const auto names = schema_.names_in(section);
      fail(node.Mark(), section.empty()
                            ? format_text("the file must be a mapping with {}", fmt::join(names, ", "))
                            : format_text("'{}' must be a mapping with {}", section, fmt::join(names, ", ")));
      return;
    }
    for (const auto& item : node) {
      const YAML::Node& key = item.first;
      if (errors.size() > most_errors) {
        return;
      }
      if (key.IsScalar()) {
        read_key(key.Mark(), section, key.Scalar(), item.second);
      } else {
        fail(key.Mark(), "a key must be a plain word");
      }
    }
  }

  void read_key(const YAML::Mark& mark, const std::string& section, const std::string& name, const YAML::Node& value) {
    const std::string key = join_key(section, name);
    const SchemaEntry* entry = schema_.find(key);
    if (entry == nullptr && !schema_.has_section(key)) {
      fail(mark, schema_.describe_unknown(section, name));
      return;
    }
    if (const auto [first, is_new] = positions.emplace(key, locate(mark)); !is_new) {
      fail(mark, format_text("duplicate key '{}'; it is first given at {}", key, first->second));
    } else if (entry == nullptr) {
      read_section(value, key);
    } else {
      read_value(*entry, mark, value);
    }
  }

  void read_value(const SchemaEntry& entry, const YAML::Mark& key_mark, const YAML::Node& value) {
    if (value.IsNull()) {
      fail(key_mark, format_text("'{}' has no value; it must be {}", entry.key, entry.describe_values()));
    } else if (value.IsScalar()) {
      assign(entry, value.Mark(), value.Scalar());
    } else if (value.IsSequence() && entry.type == ValueType::integer_list) {
      std::vector<std::string> texts;
      for (const YAML::Node& item : value) {
        texts.push_back(item.IsScalar() ? item.Scalar() : "...");
      }
      attempt(value.Mark(), [&] { entry.set(entry.parse_list(texts)); });
    } else if (value.IsMap() && entry.type == ValueType::named_numbers) {
      attempt(value.Mark(), [&] { entry.set(entry.parse_named(named_texts(value))); });
    } else {
      fail(value.Mark(), format_text("'{}' is a {}; it must be {}", entry.key, value.IsMap() ? "mapping" : "list",
                                     entry.describe_values()));
    }
  }

  /// The scalars of a mapping, each alone or in a list.
  static std::vector<std::pair<std::string, std::vector<std::string>>> named_texts(const YAML::Node& map) {
    const auto text = [](const YAML::Node& node) { return node.IsScalar() ? node.Scalar() : "..."; };
    std::vector<std::pair<std::string, std::vector<std::string>>> items;
    for (const auto& item : map) {
      auto& [name, texts] = items.emplace_back(text(item.first), std::vector<std::string>());
      if (!item.second.IsSequence()) {
        texts.push_back(text(item.second));
      }
      for (std::size_t k = 0; item.second.IsSequence() && k < item.second.size(); ++k) {
        texts.push_back(text(item.second[k]));
      }
    }
    return items;
  }

  void assign(const SchemaEntry& entry, const YAML::Mark& mark, const std::string& text) {
    const bool is_word = std::ranges::find(entry.choices, text) != entry.choices.end();
    const bool is_file = entry.type == ValueType::input_file || entry.type == ValueType::output_file ||
                         entry.type == ValueType::output_folder;
    const bool is_path = is_file && !is_word && !text.empty() && text != standard_output;
    const std::string value = is_path ? (directory_ / text).string() : text;
    attempt(mark, [&] { entry.set(entry.parse(value)); });
  }

  template <class Body>
  void attempt(const YAML::Mark& mark, Body&& body) {
    try {
      body();
    } catch (const ConfigurationError& error) {
      fail(mark, error.what());
    }
  }

  void fail(const YAML::Mark& mark, std::string_view message) {
    errors.push_back(format_text("{}: {}", locate(mark), message));
  }

  std::string locate(const YAML::Mark& mark) const {
    return has_lines_ ? format_text("{}:{}:{}", source_, mark.line + 1, mark.column + 1) : source_;
  }

  const Schema& schema_;
  std::string source_;
  fs::path directory_;  ///< that relative paths begin in
  bool has_lines_ = false;
};

/// Whether the file begins as those of matrices do, plain or compressed, and no problem file does.
bool begins_as_matrix(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {  // what is read from a pipe is gone
    return false;
  }
  constexpr std::size_t enough = 1024;  // MATLAB's have 512 bytes in front of HDF5's first
  std::string text(enough, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return is_of_matrix(text);
}

/// The file of b that lies beside that of a matrix, A_b.mtx of A.mtx: that with the matrix's ending first.
std::optional<fs::path> right_hand_side_beside(const fs::path& matrix) {
  for (const fs::path& ending : {matrix.extension(), fs::path(".mtx"), fs::path(".npy"), fs::path(".amg"),
                                 fs::path(".petsc"), fs::path(".mat")}) {
    for (const char* compression : {"", ".gz", ".xz"}) {
      std::error_code error;
      fs::path beside = fs::path(matrix).replace_extension().concat("_b").concat(ending.native()).concat(compression);
      if (!ending.empty() && ending != ".npz" && fs::is_regular_file(beside, error)) {
        return beside;
      }
    }
  }
  return std::nullopt;
}

/// What stands for a matrix in place of a problem file; nothing for any other file.
std::vector<Override> settings_of_matrix(const fs::path& file) {
  const bool is_compressed = file.extension() == ".gz" || file.extension() == ".xz";
  const fs::path plain = is_compressed ? fs::path(file).replace_extension() : file;
  constexpr std::array endings{".mtx", ".petsc", ".amg", ".npz", ".mat"};
  if (std::ranges::find(endings, plain.extension()) == endings.end() && !begins_as_matrix(file)) {
    return {};
  }
  std::vector<Override> settings{{"problem.matrix", file.string(), file.string()}};
  if (const std::optional<fs::path> b = right_hand_side_beside(plain)) {
    settings.push_back({"problem.rhs", b->string(), b->string()});
  }
  return settings;
}

void check_one_problem(const Positions& positions, const Schema& schema, const JobConfiguration& configuration,
                       Mistakes& mistakes) {
  const ProblemConfiguration& problem = configuration.problem;
  if (!problem.matrix.empty() && problem.has_mesh()) {
    mistakes.add("both 'problem.mesh' and 'problem.matrix' are given; only one can be solved");
    return;
  }
  const auto generate = positions.lower_bound("problem.generate");
  const bool generated = generate != positions.end() && generate->first.starts_with("problem.generate");
  if (generated && !problem.matrix.empty()) {
    mistakes.add("both 'problem.generate' and 'problem.matrix' are given; only one can be solved");
    return;
  }
  for (const auto& [key, position] : positions) {
    if (const std::string_view reason = reason_not_to_take(key, problem);
        schema.find(key) != nullptr && !reason.empty()) {
      mistakes.add(format_text("'{}' {}", key, reason));
    }
  }
}

/// Whether the hierarchy's directory is that of the file, which has a name as its matrices do: A0.mtx.
bool is_of_hierarchy(const fs::path& folder, const fs::path& file) {
  static const std::regex names("[APR][0-9]+\\.mtx");
  std::error_code error;
  return !folder.empty() && std::regex_match(file.filename().string(), names) &&
         is_same_file(folder, fs::weakly_canonical(followed_links(file), error).parent_path());
}

/// Refuses to write over what is read, or one result over the other.
void check_outputs(const fs::path& file, const JobConfiguration& configuration, Mistakes& mistakes) {
  const ProblemConfiguration& problem = configuration.problem;
  const OutputConfiguration& output = configuration.output;
  const auto expect_apart = [&](std::string_view key, const fs::path& written, std::string_view what,
                                const fs::path& other) {
    if (!written.empty() && written != standard_output && !other.empty() && is_written_over(written, other)) {
      mistakes.add(format_text("'{}' is '{}', which is {}", key, written.string(), what));
    }
  };
  const std::array<std::pair<std::string_view, fs::path>, 7> inputs{
      {{"the problem file itself", file},
       {"the file of 'problem.matrix'", problem.matrix},
       {"the file of 'problem.mesh'", problem.mesh},
       {"the file of 'problem.rhs'", problem.rhs.file},
       {"the file of 'problem.initial_guess'", problem.initial_guess.file},
       {"the file of 'problem.near_nullspace'", problem.near_nullspace.file},
       {"the file of 'problem.coordinates'", problem.coordinates}}};
  const std::array<std::pair<std::string_view, fs::path>, 3> outputs{
      {{"output.report", output.report}, {"output.html", output.html}, {"output.solution", output.solution}}};
  for (const auto& [what, other] : inputs) {
    if (what != inputs.front().first && other == file) {
      continue;  // a matrix in place of a problem file
    }
    for (const auto& [key, written] : outputs) {
      expect_apart(key, written, what, other);
    }
    if (is_of_hierarchy(output.hierarchy, other)) {
      mistakes.add(format_text("'output.hierarchy' is '{}', where {}, '{}', would be written over",
                               output.hierarchy.string(), what, other.filename().string()));
    }
  }
  for (const auto& [key, written] : outputs) {
    expect_apart(key, written, "the directory of 'output.hierarchy', too", output.hierarchy);
    if (is_of_hierarchy(output.hierarchy, written)) {
      mistakes.add(format_text("'{}' is '{}', which 'output.hierarchy' may write, too", key, written.string()));
    }
  }
  const auto place_of = [](const fs::path& written) { return written == standard_output ? "/dev/stdout" : written; };
  for (std::size_t i = 1; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto& [key, written] = outputs[i];
      const auto& [other_key, other] = outputs[j];
      if (share_a_place(place_of(written), place_of(other))) {
        mistakes.add(format_text("'{}' is '{}', where '{}' is written, too", key, written.string(), other_key));
      } else {
        expect_apart(key, written, format_text("the file of '{}', too", other_key), other);
      }
    }
  }
}

}  // namespace

std::string KeyPositions::of(std::string_view message) const {
  std::string_view key;
  std::string position;
  for (const auto& [candidate, where] : positions_) {
    // Sections are common words, too.
    const std::string named = candidate.find('.') == std::string::npos ? "'" + candidate : candidate;
    if (candidate.size() > key.size() && message.find(named) != std::string_view::npos) {
      key = candidate;
      position = where;
    }
  }
  return position;
}

KeyPositions read_configuration(const fs::path& file, std::span<const Override> overrides, const Schema& schema,
                                JobConfiguration& configuration) {
  std::vector<std::string> errors;
  Positions positions;
  const auto collect = [&](const Reader& reader) {
    errors.insert(errors.end(), reader.errors.begin(), reader.errors.end());
    for (const auto& [key, position] : reader.positions) {
      positions[key] = position;
    }
  };

  std::vector<Override> settings = settings_of_matrix(file);
  if (settings.empty() && !file.empty()) {
    Reader file_reader(schema, file.string());
    file_reader.read_file(file);
    collect(file_reader);
  }
  for (const Override& override : overrides) {
    if (!settings.empty() && override.key == "problem.matrix") {
      errors.push_back(
          format_text("{}: '{}' and '{}' are two problems; give one", override.origin, file.string(), override.value));
    }
  }
  settings.insert(settings.end(), overrides.begin(), overrides.end());
  for (const Override& override : settings) {
    Reader reader(schema, override.origin);
    reader.read_override(override);
    collect(reader);
  }
  if (errors.empty()) {
    const ProblemConfiguration& problem = configuration.problem;
    const bool has_problem = !file.empty() || problem.is_given();
    Mistakes mistakes;
    check_one_problem(positions, schema, configuration, mistakes);
    mistakes.gather([&] {
      if (has_problem) {
        validate(configuration);
      } else {
        validate(static_cast<const Configuration&>(configuration));
      }
    });
    check_outputs(file, configuration, mistakes);
    const KeyPositions known(positions);
    std::istringstream lines(mistakes.lines());
    for (std::string line; std::getline(lines, line);) {
      const std::string position = known.of(line);
      const std::string place = position.empty() ? file.string() : position;
      errors.push_back(place.empty() ? line : format_text("{}: {}", place, line));
    }
  }
  if (!errors.empty()) {
    std::ranges::transform(errors, errors.begin(), [](std::string& error) { return shortened(printable(error)); });
    if (errors.size() > most_errors) {
      errors.resize(most_errors);
      errors.emplace_back("... and more errors");
    }
    throw ConfigurationError(format_text("{}", fmt::join(errors, "\n")));
  }
  return KeyPositions(std::move(positions));
}

}  // namespace amgsolve
