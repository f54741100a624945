#pragma once

#include <cstddef>
#include <string_view>

namespace amgsolve::reference {

inline constexpr std::size_t hostile_memory_allowed = std::size_t{8} << 20;

/// Parses any bytes as a matrix and as vectors, with little memory allowed. Returns whether either was accepted.
/// InputError and OutOfMemoryError are as it should be; a matrix that is not well-formed throws std::logic_error.
bool parse_hostile_text(std::string_view text);

}  // namespace amgsolve::reference
