#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace amgsolve {

/// What format_text() hands its arguments to.
std::string format_arguments(fmt::string_view text, fmt::format_args arguments);

/// fmt::format(), compiled once. Of fmt only the headers are used, so that what we install asks for no version of its
/// library; but then every source that calls fmt::format() compiles all of it, two seconds each.
template <class... Arguments>
std::string format_text(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return format_arguments(text, fmt::make_format_args(arguments...));
}

/// A byte count for people: "512 B", "3.2 MB", "141.0 GB" (powers of 1000, as vendors and memory bandwidths count).
std::string format_bytes(std::size_t bytes);

/// Seconds for people, three significant digits with a unit: "1.23 s", "45.6 ms", "7.89 us"; whole ones from 1000 s on.
std::string format_seconds(double seconds);

/// A number of things for people: "1 thread", "2 threads".
std::string format_count(std::int64_t n, std::string_view noun);

/// A message for a terminal: control characters, which would move its cursor, replaced by '?'.
std::string printable(std::string text);

}  // namespace amgsolve
