#include "problems/line_error.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve {
namespace {

constexpr std::size_t longest_token = 40;

std::string quoted(std::string_view token) {
  std::string text(token.substr(0, longest_token));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return format_text("'{}{}'", text, token.size() > longest_token ? "..." : "");
}

}  // namespace

std::string unexpected_at(const std::string& path, Offset line, std::string_view expected, std::string_view token) {
  return format_text("{}:{}: expected {}, found {}", path, line, expected,
                     token.empty() ? "the end of the line" : quoted(token));
}

void throw_unexpected(const std::string& path, Offset line, std::string_view expected, std::string_view token) {
  throw InputError(unexpected_at(path, line, expected, token));
}

void throw_at_line(const std::string& path, Offset line, std::string_view message) {
  throw InputError(format_text("{}:{}: {}", path, line, message));
}

}  // namespace amgsolve
