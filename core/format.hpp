#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace amgsolve {

/// A byte count for people: "512 B", "3.2 MB", "141.0 GB" (powers of 1000, as vendors and memory bandwidths count).
std::string format_bytes(std::size_t bytes);

/// Seconds for people, three significant digits with a unit: "1.23 s", "45.6 ms", "7.89 us".
std::string format_seconds(double seconds);

/// A number of things for people: "1 thread", "2 threads".
std::string format_count(std::int64_t n, std::string_view noun);

/// A message for a terminal: control characters, which would move its cursor, replaced by '?'.
std::string printable(std::string text);

}  // namespace amgsolve
