#pragma once

#include <string>
#include <string_view>

#include "core/types.hpp"

namespace amgsolve {

/// "path:line: expected `expected`, found 'token'"; an empty token is the end of the line. Long
/// tokens are shortened and bytes that are not printable ASCII replaced, since the message goes to a terminal.
std::string unexpected_at(const std::string& path, Offset line, std::string_view expected, std::string_view token);

/// Throws that as an InputError.
[[noreturn]] void throw_unexpected(const std::string& path, Offset line, std::string_view expected,
                                   std::string_view token);

/// Throws InputError "path:line: message".
[[noreturn]] void throw_at_line(const std::string& path, Offset line, std::string_view message);

}  // namespace amgsolve
