#include "src/application/yaml_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <cerrno>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/errors.hpp"

namespace amgsolve {
namespace fs = std::filesystem;
namespace {

std::string join_key(std::string_view section, std::string_view name) {
  return section.empty() ? std::string(name) : fmt::format("{}.{}", section, name);
}

std::string read_text(const fs::path& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) {
    throw ConfigurationError(fmt::format("{}: is a directory, not a YAML file", file.string()));
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (!stream || (stream.peek() != std::ifstream::traits_type::eof() && !(text << stream.rdbuf()))) {
    throw ConfigurationError(fmt::format("{}: cannot read: {}", file.string(), std::generic_category().message(errno)));
  }
  return text.str();
}

/// Where each key and section was given: "problem.yaml:12:5" or "--set amg.cycle=W".
using Positions = std::map<std::string, std::string, std::less<>>;

/// Takes one source, the file or an override, through the schema and collects what is wrong with it.
class Reader {
 public:
  Reader(const Schema& schema, std::string source) : schema_(schema), source_(std::move(source)) {}

  void read_file(const fs::path& file) {
    directory_ = file.parent_path();
    has_lines_ = true;
    const std::vector<YAML::Node> documents = parse(read_text(file));
    if (documents.size() > 1) {
      fail(documents[1].Mark(), "a second YAML document begins here; there must be one");
    } else if (documents.size() == 1 && !documents.front().IsNull()) {
      read_section(documents.front(), "");
    } else if (errors.empty()) {
      fail({}, "the file is empty; give 'problem.generate' or 'problem.matrix'");
    }
  }

  void read_override(const Override& override) {
    const SchemaEntry* entry = schema_.find(override.key);
    if (entry != nullptr && entry->type != ValueType::integer_list) {
      positions[override.key] = source_;
      assign(*entry, {}, override.value);
    } else {
      std::vector<YAML::Node> values = parse(override.value);
      if (values.empty() && errors.empty()) {
        values.emplace_back();  // "--set key=" is a key without a value, no document at all to YAML
      }
      for (const YAML::Node& value : values) {
        read_key({}, "", override.key, value);
      }
    }
  }

  std::vector<std::string> errors;
  Positions positions;

 private:
  std::vector<YAML::Node> parse(const std::string& text) {
    try {
      return YAML::LoadAll(text);
    } catch (const YAML::Exception& error) {
      fail(error.mark, fmt::format("not valid YAML: {}", error.msg));
      return {};
    }
  }

  void read_section(const YAML::Node& node, const std::string& section) {
    if (node.IsNull()) {
      return;
    }
    if (!node.IsMap()) {
      const auto names = schema_.names_in(section);
      fail(node.Mark(), section.empty()
                            ? fmt::format("the file must be a mapping with {}", fmt::join(names, ", "))
                            : fmt::format("'{}' must be a mapping with {}", section, fmt::join(names, ", ")));
      return;
    }
    for (const auto& item : node) {
      const YAML::Node& key = item.first;
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
      fail(mark, fmt::format("duplicate key '{}'; it is first given at {}", key, first->second));
    } else if (entry == nullptr) {
      read_section(value, key);
    } else {
      read_value(*entry, mark, value);
    }
  }

  void read_value(const SchemaEntry& entry, const YAML::Mark& key_mark, const YAML::Node& value) {
    if (value.IsNull()) {
      fail(key_mark, fmt::format("'{}' has no value; it must be {}", entry.key, entry.describe_values()));
    } else if (value.IsScalar()) {
      assign(entry, value.Mark(), value.Scalar());
    } else if (value.IsSequence() && entry.type == ValueType::integer_list) {
      std::vector<std::string> texts;
      for (const YAML::Node& item : value) {
        texts.push_back(item.IsScalar() ? item.Scalar() : "...");
      }
      attempt(value.Mark(), [&] { entry.set(entry.parse_list(texts)); });
    } else {
      fail(value.Mark(), fmt::format("'{}' is a {}; it must be {}", entry.key, value.IsMap() ? "mapping" : "list",
                                     entry.describe_values()));
    }
  }

  void assign(const SchemaEntry& entry, const YAML::Mark& mark, const std::string& text) {
    const bool is_word = std::ranges::find(entry.choices, text) != entry.choices.end();
    const bool is_file = entry.type == ValueType::input_file || entry.type == ValueType::output_file;
    const std::string value = is_file && !is_word && !text.empty() ? (directory_ / text).string() : text;
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
    errors.push_back(fmt::format("{}: {}", locate(mark), message));
  }

  std::string locate(const YAML::Mark& mark) const {
    return has_lines_ ? fmt::format("{}:{}:{}", source_, mark.line + 1, mark.column + 1) : source_;
  }

  const Schema& schema_;
  std::string source_;
  fs::path directory_;  ///< that relative paths begin in
  bool has_lines_ = false;
};

// The most precise position of a key that the message names, so that it points to one of the values in conflict.
std::string locate_conflict(const Positions& positions, const fs::path& file, std::string_view message) {
  std::string_view key;
  std::string position = file.string();
  for (const auto& [candidate, where] : positions) {
    if (candidate.size() > key.size() && message.find(candidate) != std::string_view::npos) {
      key = candidate;
      position = where;
    }
  }
  return position;
}

void check_one_problem(const Positions& positions, const JobConfiguration& configuration) {
  const auto generate = positions.lower_bound("problem.generate");
  const bool generated = generate != positions.end() && generate->first.starts_with("problem.generate");
  if (generated && !configuration.problem.matrix.empty()) {
    throw ConfigurationError("both 'problem.generate' and 'problem.matrix' are given; only one can be solved");
  }
}

}  // namespace

void read_configuration(const fs::path& file, std::span<const Override> overrides, const Schema& schema,
                        JobConfiguration& configuration) {
  std::vector<std::string> errors;
  Positions positions;
  const auto collect = [&](const Reader& reader) {
    errors.insert(errors.end(), reader.errors.begin(), reader.errors.end());
    for (const auto& [key, position] : reader.positions) {
      positions[key] = position;
    }
  };

  Reader file_reader(schema, file.string());
  file_reader.read_file(file);
  collect(file_reader);
  for (const Override& override : overrides) {
    Reader reader(schema, override.origin);
    reader.read_override(override);
    collect(reader);
  }
  if (errors.empty()) {
    try {
      check_one_problem(positions, configuration);
      validate(configuration);
    } catch (const ConfigurationError& error) {
      errors.push_back(fmt::format("{}: {}", locate_conflict(positions, file, error.what()), error.what()));
    }
  }
  if (!errors.empty()) {
    throw ConfigurationError(fmt::format("{}", fmt::join(errors, "\n")));
  }
}

}  // namespace amgsolve
