#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "problems/line_blocks.hpp"

namespace amgsolve {

enum class NumberStatus { valid, malformed, not_finite, out_of_range };

/// Whether a number that no type holds is too close to 0, and not too far from it.
inline bool is_tiny(std::string_view number) {
  const std::size_t exponent = number.find_first_of("eE");
  return exponent < number.size() ? number[exponent + 1] == '-' : number.find_first_of("123456789") > number.find('.');
}

/// A number too large or too small for from_chars: one below the smallest denormal is 0, which is no error.
template <class T>
NumberStatus take_extreme(const char* first, const char* last, T& value) {
  long double wide = 0.0L;
  const bool is_held = std::from_chars(first, last, wide).ec == std::errc{};
  if (is_held ? std::abs(wide) > std::numeric_limits<T>::max() : !is_tiny({first, last})) {
    return NumberStatus::out_of_range;
  }
  value = static_cast<T>(wide);
  return NumberStatus::valid;
}

/// The characters up to the first blank.
inline std::string_view first_token(std::string_view line) {
  std::size_t size = 0;
  while (size < line.size() && !is_blank(line[size])) {
    ++size;
  }
  return line.substr(0, size);
}

template <class T>
NumberStatus take_number(std::string_view& line, T& value);

/// Whether digits with a point are followed by an exponent for which Fortran has no room to write a letter: -100.
inline bool has_bare_exponent(std::string_view digits, std::string_view exponent) {
  return digits.find('.') < digits.size() && exponent.size() == 4 && (exponent[0] == '-' || exponent[0] == '+') &&
         exponent.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

/// The same for a number at the beginning of the line whose exponent, behind its first `digits` characters, Fortran has
/// written: with a D for the E in double precision, or of three digits without a letter.
template <class T>
NumberStatus take_fortran_number(std::string_view& line, std::size_t digits, T& value) {
  const std::string_view token = first_token(line);
  const std::string_view mantissa = token.substr(0, digits);
  const std::string_view exponent = token.substr(digits);
  const bool has_letter = exponent.front() == 'd' || exponent.front() == 'D';
  std::array<char, 2048> copy;  // a double has at most 1074 digits behind the point
  if (token.size() >= copy.size() || !(has_letter || has_bare_exponent(mantissa, exponent))) {
    return NumberStatus::malformed;
  }
  char* end = std::ranges::copy(mantissa, copy.data()).out;
  *end++ = 'e';
  end = std::ranges::copy(exponent.substr(has_letter ? 1 : 0), end).out;
  std::string_view with_e(copy.data(), static_cast<std::size_t>(end - copy.data()));
  const NumberStatus status = take_number(with_e, value);
  if (status == NumberStatus::valid) {
    line.remove_prefix(token.size());
  }
  return status;
}

/// Takes a number (integer or decimal as T is, a sign allowed; 1d-3 is 1e-3, 1.0-100 1e-100) and the blanks before it
/// off the line. The number must be followed by a blank or the end of the line, else it is malformed. On failure the
/// line starts with the token at fault. Independent of the locale.
template <class T>
NumberStatus take_number(std::string_view& line, T& value) {
  line = skip_blanks(line);
  const char* first = line.data();
  const char* const last = first + line.size();
  // from_chars knows no plus sign.
  if (line.size() > 1 && first[0] == '+' && first[1] != '-') {
    ++first;
  }
  const auto [end, error] = std::from_chars(first, last, value);
  if constexpr (std::is_floating_point_v<T>) {
    if (error == std::errc{} && end != last && !is_blank(*end)) {
      return take_fortran_number(line, static_cast<std::size_t>(end - line.data()), value);
    }
  }
  if (error == std::errc::invalid_argument || (end != last && !is_blank(*end))) {
    return NumberStatus::malformed;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (error == std::errc::result_out_of_range) {
      if (const NumberStatus status = take_extreme(first, end, value); status != NumberStatus::valid) {
        return status;
      }
    } else if (!std::isfinite(value)) {
      return NumberStatus::not_finite;
    }
  } else if (error == std::errc::result_out_of_range) {
    return NumberStatus::out_of_range;
  }
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  return NumberStatus::valid;
}

}  // namespace amgsolve
