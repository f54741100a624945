#include "problems/line_error.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"

namespace amgsolve {
namespace {

constexpr std::size_t longest_token = 40;

std::string quoted(std::string_view token) {
  std::string text(token.substr(0, longest_token));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return fmt::format("'{}{}'", text, token.size() > longest_token ? "..." : "");
}

}  // namespace

std::string unexpected_at(const std::string& path, Offset line, std::string_view expected, std::string_view token) {
  return fmt::format("{}:{}: expected {}, found {}", path, line, expected,
                     token.empty() ? "the end of the line" : quoted(token));
}

void throw_unexpected(const std::string& path, Offset line, std::string_view expected, std::string_view token) {
  throw InputError(unexpected_at(path, line, expected, token));
}

void throw_at_line(const std::string& path, Offset line, std::string_view message) {
  throw InputError(fmt::format("{}:{}: {}", path, line, message));
}

}  // namespace amgsolve
