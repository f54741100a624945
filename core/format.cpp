#include "core/format.hpp"

#include <algorithm>
#include <array>

namespace amgsolve {

std::string format_arguments(fmt::string_view text, fmt::format_args arguments) {
  return fmt::vformat(text, arguments);
}

std::string format_bytes(std::size_t bytes) {
  if (bytes < 1000) {
    return format_text("{} B", bytes);
  }
  constexpr std::array units{"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000.0;
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < units.size()) {
    value /= 1000.0;
    ++unit;
  }
  return format_text("{:.1f} {}", value, units[unit]);
}

std::string format_seconds(double seconds) {
  // From here on three digits are 1000.
  constexpr double most = 999.5;
  if (const double us = seconds * 1e6; us < most) {
    return format_text("{:.3g} us", us);
  }
  if (const double ms = seconds * 1e3; ms < most) {
    return format_text("{:.3g} ms", ms);
  }
  return seconds < most ? format_text("{:.3g} s", seconds) : format_text("{:.0f} s", seconds);
}

std::string format_count(std::int64_t n, std::string_view noun) {
  return format_text("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string printable(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }, '?');
  return text;
}

}  // namespace amgsolve
