#include "src/application/yaml_writer.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace amgsolve {
namespace {

std::vector<std::string_view> split(std::string_view key) {
  std::vector<std::string_view> parts;
  while (!key.empty()) {
    parts.push_back(key.substr(0, key.find('.')));
    key.remove_prefix(std::min(parts.back().size() + 1, key.size()));
  }
  return parts;
}

void write_value(YAML::Emitter& yaml, const SchemaEntry& entry) {
  const Value value = entry.get();
  const std::string text = format(value);
  const bool is_word = std::ranges::find(entry.choices, text) != entry.choices.end();
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
    yaml << YAML::Flow << *list;
  } else if (const auto* names = std::get_if<NamedNumbers>(&value)) {
    yaml << YAML::Flow << YAML::BeginMap;
    for (const auto& [name, numbers] : *names) {
      yaml << YAML::Key << name << YAML::Value << YAML::Flow << YAML::BeginSeq;
      for (const std::optional<double>& number : numbers) {
        yaml << (number ? format(*number) : std::string(free_number));
      }
      yaml << YAML::EndSeq;
    }
    yaml << YAML::EndMap;
  } else if (std::holds_alternative<std::string>(value) && entry.type != ValueType::choice && !is_word &&
             !text.empty() && text != standard_output) {
    std::error_code error;  // where the working directory is gone
    const std::filesystem::path absolute = std::filesystem::absolute(text, error);
    yaml << (error ? text : absolute.lexically_normal().string());
  } else {
    yaml << text;
  }
}

}  // namespace

std::string write_configuration(const Schema& schema, const JobConfiguration& configuration) {
  YAML::Emitter yaml;
  yaml << YAML::BeginMap;
  std::vector<std::string_view> open;  // sections around the current key
  for (const SchemaEntry* entry : effective_entries(schema, configuration)) {
    const std::vector<std::string_view> sections = split(entry->section());
    const auto [same_end, ignored] = std::ranges::mismatch(open, sections);
    for (auto section = open.end(); section != same_end; --section) {
      yaml << YAML::EndMap;
    }
    const auto shared = static_cast<std::size_t>(same_end - open.begin());
    for (std::size_t i = shared; i < sections.size(); ++i) {
      yaml << YAML::Key << std::string(sections[i]) << YAML::Value << YAML::BeginMap;
    }
    open = sections;
    yaml << YAML::Key << std::string(entry->name()) << YAML::Value;
    write_value(yaml, *entry);
  }
  for (std::size_t i = 0; i <= open.size(); ++i) {
    yaml << YAML::EndMap;
  }
  return std::string(yaml.c_str()) + "\n";
}

}  // namespace amgsolve
