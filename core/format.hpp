#pragma once

#include <cstddef>
#include <string>

namespace amgsolve {

/// A byte count for people: "512 B", "3.2 MB", "141.0 GB" (powers of 1000, as vendors and memory bandwidths count).
std::string format_bytes(std::size_t bytes);

/// Seconds for people, three significant digits with a unit: "1.23 s", "45.6 ms", "7.89 us".
std::string format_seconds(double seconds);

}  // namespace amgsolve
