#include "src/library/json.hpp"

#include <algorithm>
#include <cmath>

#include "core/format.hpp"

namespace amgsolve {
namespace {

/// Bytes of the UTF-8 sequence that the text begins with; 0 where it begins with none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) {
      return 0;
    }
  }
  // Longer than need be, surrogates, past the last character.
  const unsigned second = byte(1);
  const bool wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                     (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return wrong ? 0 : length;
}

void write_string(std::string& text, std::string_view string) {
  text += '"';
  while (!string.empty()) {
    const std::size_t length = sequence_length(string);
    const char first = string.front();
    if (length == 0) {
      text += "\xEF\xBF\xBD";
    } else if (first == '"' || first == '\\') {
      text += {'\\', first};
    } else if (first == '\n') {
      text += "\\n";
    } else if (first == '\t') {
      text += "\\t";
    } else if (static_cast<unsigned char>(first) < 0x20) {
      text += format_text("\\u{:04x}", static_cast<int>(first));
    } else {
      text += string.substr(0, length);
    }
    string.remove_prefix(std::max<std::size_t>(length, 1));
  }
  text += '"';
}

void write_number(std::string& text, double number) {
  const std::size_t begin = text.size();
  text += format_text("{}", number);
  if (text.find_first_of(".e", begin) == std::string::npos) {
    text += ".0";
  }
}

/// Calls write_item(item) for each, one a line.
template <class Items, class WriteItem>
void write_items(std::string& text, std::size_t indent, const char* brackets, const Items& items,
                 const WriteItem& write_item) {
  text += brackets[0];
  for (const auto& item : items) {
    text += &item == &items.front() ? "\n" : ",\n";
    text.append(indent + 2, ' ');
    write_item(item);
  }
  if (!items.empty()) {
    text += '\n';
    text.append(indent, ' ');
  }
  text += brackets[1];
}

}  // namespace

Json& Json::operator[](std::string_view name) {
  if (std::holds_alternative<std::nullptr_t>(value_)) {
    value_ = Object();
  }
  auto& members = std::get<Object>(value_);
  const auto found = std::ranges::find(members, name, &Member::first);
  return found != members.end() ? found->second : members.emplace_back(name, nullptr).second;
}

Json Json::take_not_finite() {
  Json found = object();
  take_not_finite("", found);
  return found;
}

void Json::take_not_finite(const std::string& pointer, Json& found) {
  if (const auto* const number = std::get_if<double>(&value_); number != nullptr && !std::isfinite(*number)) {
    found[pointer] = std::isnan(*number) ? "NaN" : *number > 0.0 ? "infinity" : "-infinity";
    value_ = nullptr;
  } else if (auto* const items = std::get_if<Array>(&value_)) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      (*items)[i].take_not_finite(format_text("{}/{}", pointer, i), found);
    }
  } else if (auto* const members = std::get_if<Object>(&value_)) {
    for (auto& [name, value] : *members) {
      value.take_not_finite(format_text("{}/{}", pointer, name), found);
    }
  }
}

std::string Json::dump() const {
  std::string text;
  write(text, 0);
  return text;
}

void Json::write(std::string& text, std::size_t indent) const {
  if (const auto* const truth = std::get_if<bool>(&value_)) {
    text += *truth ? "true" : "false";
  } else if (const auto* const integer = std::get_if<std::int64_t>(&value_)) {
    text += format_text("{}", *integer);
  } else if (const auto* const number = std::get_if<double>(&value_)) {
    write_number(text, *number);
  } else if (const auto* const string = std::get_if<std::string>(&value_)) {
    write_string(text, *string);
  } else if (const auto* const items = std::get_if<Array>(&value_)) {
    write_items(text, indent, "[]", *items, [&](const Json& item) { item.write(text, indent + 2); });
  } else if (const auto* const members = std::get_if<Object>(&value_)) {
    write_items(text, indent, "{}", *members, [&](const Member& member) {
      write_string(text, member.first);
      text += ": ";
      member.second.write(text, indent + 2);
    });
  } else {
    text += "null";
  }
}

}  // namespace amgsolve
