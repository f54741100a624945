#include "src/application/json_schema.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "core/format.hpp"
#include "src/library/json.hpp"
#include "src/library/report_json.hpp"

namespace amgsolve {
namespace {

Json with_range(const char* type, const Range& range) {
  Json json{{"type", type}};
  if (std::isfinite(range.low)) {
    json[range.low_open ? "exclusiveMinimum" : "minimum"] = range.low;
  }
  if (std::isfinite(range.high)) {
    json[range.high_open ? "exclusiveMaximum" : "maximum"] = range.high;
  }
  return json;
}

/// The words, and for those that YAML takes for numbers or truth values, as `stencil: 7` and `filter: true`, those.
Json enumeration(const std::vector<std::string_view>& words) {
  Json items = Json::array();
  for (const std::string_view word : words) {
    items.push_back(word);
    if (word == "true" || word == "false") {
      items.push_back(word == "true");
    }
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc{} && end == word.data() + word.size()) {
      items.push_back(number);
    }
  }
  return {{"enum", std::move(items)}};
}

Json without_words(const SchemaEntry& entry) {
  switch (entry.type) {
    case ValueType::boolean:
      return {{"type", "boolean"}};
    case ValueType::integer:
      return with_range("integer", entry.range);
    case ValueType::real:
      return with_range("number", entry.range);
    case ValueType::integer_list:
      return {{"type", "array"},
              {"items", with_range("integer", entry.range)},
              {"minItems", entry.min_items},
              {"maxItems", entry.max_items}};
    case ValueType::named_numbers: {
      Json number = with_range("number", entry.range);
      if (!entry.choices.empty()) {
        Json either = Json::array();
        either.push_back(std::move(number));
        either.push_back(enumeration(entry.choices));
        number = Json{{"anyOf", std::move(either)}};
      }
      Json values = Json::array();
      values.push_back(number);
      values.push_back({{"type", "array"}, {"items", number}, {"minItems", 1}, {"maxItems", entry.max_items}});
      return {{"type", "object"}, {"additionalProperties", Json{{"anyOf", std::move(values)}}}};
    }
    case ValueType::choice:
    case ValueType::input_file:
    case ValueType::output_file:
    case ValueType::output_folder:
      break;
  }
  return {{"type", "string"}};
}

Json definition(const SchemaEntry& entry) {
  Json json;
  if (entry.type == ValueType::choice) {
    json = enumeration(entry.choices);
  } else if (entry.choices.empty() || entry.type == ValueType::named_numbers) {
    json = without_words(entry);
  } else {
    Json either = Json::array();
    either.push_back(enumeration(entry.choices));
    either.push_back(without_words(entry));
    json["anyOf"] = std::move(either);
  }
  json["description"] = entry.unit.empty() ? std::string(entry.help) : format_text("{} ({})", entry.help, entry.unit);
  json["default"] = value_json(entry.default_value);
  return json;
}

/// What stands in a section, the top where it is empty: its keys and sections, and those of these also dotted.
Json section_json(const Schema& schema, const std::string& section) {
  const std::string prefix = section.empty() ? "" : section + ".";
  Json properties = Json::object();
  std::set<std::string_view> sections;
  for (const SchemaEntry& entry : schema.entries()) {
    if (entry.key.starts_with(prefix)) {
      const std::string_view name = entry.key.substr(prefix.size());
      properties[name] = Json{{"$ref", "#/$defs/" + std::string(entry.key)}};
      for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
        sections.insert(name.substr(0, dot));
      }
    }
  }
  for (const std::string_view inner : sections) {
    properties[inner] = section_json(schema, prefix + std::string(inner));
  }
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

}  // namespace

std::string json_schema(const Schema& schema) {
  Json json{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "problem.yaml of amgsolve"}};
  Json definitions = Json::object();
  for (const SchemaEntry& entry : schema.entries()) {
    definitions[entry.key] = definition(entry);
  }
  const Json top = section_json(schema, "");
  json["$ref"] = "#/$defs/problem.yaml";
  definitions["problem.yaml"] = top;
  json["$defs"] = std::move(definitions);
  return json.dump() + "\n";
}

}  // namespace amgsolve
