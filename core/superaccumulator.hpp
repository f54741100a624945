#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "core/host_device.hpp"

/// Sums of doubles that are exact, and so the same in any order: a fixed-point number that has room for all doubles
/// (Kulisch, Miranker, Computer Arithmetic in Theory and Practice, 1981), in 64-bit words that stand for 32 bits each,
/// so that words of several accumulators add up without carries.
namespace amgsolve {

/// Digits of 32 bits, the first worth 2⁻¹⁰⁷⁴: 2098 bits of doubles, and room for 2³⁰ of them.
inline constexpr int superaccumulator_digits = 67;

/// Behind the digits how often +∞ and −∞ were added (NaN is both), and a word that is always 0.
inline constexpr int superaccumulator_words = superaccumulator_digits + 3;

/// What a double adds to three neighbouring words.
struct SplitDouble {
  int word;
  std::int64_t parts[3];
};

AMGSOLVE_HOST_DEVICE inline SplitDouble split_double(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof(bits));
  const bool is_negative = bits >> 63 != 0;
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent == 0x7ff) {
    const bool is_nan = mantissa != 0;
    return {superaccumulator_digits, {is_nan || !is_negative, is_nan || is_negative, 0}};
  }
  mantissa |= std::uint64_t{exponent != 0} << 52;
  const int position = exponent != 0 ? exponent - 1 : 0;
  constexpr std::uint64_t digit = 0xffffffff;
  const std::uint64_t low = (mantissa & digit) << position % 32;
  const std::uint64_t high = (mantissa >> 32) << position % 32;
  const std::int64_t sign = is_negative ? -1 : 1;
  return {
      position / 32,
      {sign * static_cast<std::int64_t>(low & digit), sign * static_cast<std::int64_t>((low >> 32) + (high & digit)),
       sign * static_cast<std::int64_t>(high >> 32)}};
}

/// The sum that words stand for, rounded to the nearest double, of two to the even one.
/// @param words  are changed
/// @param first, last  of the digits all that are not 0 lie in [first, last)
AMGSOLVE_HOST_DEVICE inline double round_superaccumulator(std::int64_t* words, int first = 0,
                                                          int last = superaccumulator_digits) {
  const bool plus = words[superaccumulator_digits] != 0;
  const bool minus = words[superaccumulator_digits + 1] != 0;
  if (plus || minus) {
    return !minus ? HUGE_VAL : !plus ? -HUGE_VAL : HUGE_VAL - HUGE_VAL;
  }
  // A word may have carries for one digit more.
  const int end = last < superaccumulator_digits ? last + 1 : last;
  bool is_negative = false;
  for (const std::int64_t sign : {1, -1}) {
    std::int64_t carry = 0;
    for (int i = first; i < end; ++i) {
      carry += sign * words[i];
      words[i] = carry & 0xffffffff;
      carry >>= 32;
    }
    if (sign > 0 && carry == 0) {
      break;
    }
    is_negative = true;
  }
  int top = end - 1;
  while (top >= first && words[top] == 0) {
    --top;
  }
  if (top < first) {
    return 0.0;
  }
  const auto digit = [&](int i) { return i < first ? std::uint64_t{0} : static_cast<std::uint64_t>(words[i]); };
  std::uint64_t leading = digit(top) << 32 | digit(top - 1);
  std::uint64_t rest = digit(top - 2) << 32;
  bool has_more = false;
  for (int i = first; i < top - 2; ++i) {
    has_more = has_more || words[i] != 0;
  }
  int exponent = 32 * (top - 1);  // of the last bit of `leading`, in units of the smallest double
  for (; leading >> 63 == 0; --exponent) {
    leading = leading << 1 | rest >> 63;
    rest <<= 1;
  }
  constexpr int dropped = 11;  // a double has 53 bits; where it has fewer, those below the smallest one are zero
  const std::uint64_t remainder = leading & ((std::uint64_t{1} << dropped) - 1);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  std::uint64_t kept = leading >> dropped;
  if (remainder > half || (remainder == half && (rest != 0 || has_more || kept % 2 != 0))) {
    ++kept;
  }
  const double magnitude = std::ldexp(static_cast<double>(kept), exponent + dropped - 1074);
  return is_negative ? -magnitude : magnitude;
}

}  // namespace amgsolve
