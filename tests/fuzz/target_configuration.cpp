#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "src/application/yaml_reader.hpp"
#include "src/application/yaml_writer.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve::fuzz {
namespace {

constexpr std::string_view override_word = "--set ";

/// Takes the overrides away from the end of the text.
std::vector<Override> overrides_at_end(std::string_view& text) {
  std::vector<Override> overrides;
  for (;;) {
    const std::string_view body = text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
    const std::size_t line = body.rfind('\n') == std::string_view::npos ? 0 : body.rfind('\n') + 1;
    const std::string_view last = body.substr(line);
    const std::size_t equals = last.find('=');
    if (!last.starts_with(override_word) || equals == std::string_view::npos) {
      return overrides;
    }
    const std::string_view key = last.substr(override_word.size(), equals - override_word.size());
    overrides.insert(overrides.begin(), {std::string(key), std::string(last.substr(equals + 1)), "--set here"});
    text = text.substr(0, line);
  }
}

/// Every line says where, and nothing in it moves a terminal's cursor.
void check_message(std::string_view message, std::string_view file) {
  if (message.empty() ||
      std::ranges::any_of(message, [](char c) { return (c >= 0 && c < ' ' && c != '\n') || c == 127; })) {
    throw std::logic_error("a message is empty or has control characters");
  }
  for (std::size_t begin = 0; begin < message.size();) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    const std::string_view line = message.substr(begin, end - begin);
    if (!line.starts_with(file) && !line.starts_with("--set here: ")) {
      throw std::logic_error("a message does not say where: " + std::string(line));
    }
    begin = end + 1;
  }
}

std::string read_and_write(const std::filesystem::path& file, const std::vector<Override>& overrides) {
  JobConfiguration read;
  const Schema schema = job_schema(read);
  read_configuration(file, overrides, schema, read);
  return write_configuration(schema, read);
}

}  // namespace

bool configuration(std::string_view bytes) {
  static const reference::TemporaryDirectory directory;
  const std::vector<Override> overrides = overrides_at_end(bytes);
  const std::filesystem::path file = directory.write("problem.yaml", bytes);
  std::string text;
  try {
    text = read_and_write(file, overrides);
  } catch (const ConfigurationError& error) {
    check_message(error.what(), file.string());
    return false;
  }
  // What is written reads back as the same.
  if (read_and_write(directory.write("again.yaml", text), {}) != text) {
    throw std::logic_error("a configuration reads back as another one:\n" + text);
  }
  return true;
}

}  // namespace amgsolve::fuzz
