#pragma once

#include <algorithm>
#include <cmath>

namespace amgsolve {

/// The largest power of two up to x, at least 2⁻¹⁰⁰⁰ and at most 2¹⁰⁰⁰, so that it has an inverse; 1 where x is not
/// positive and finite. What is scaled by it is not rounded.
inline double power_of_two_below(double x) {
  constexpr int most = 1000;
  return x > 0.0 && std::isfinite(x) ? std::ldexp(1.0, std::clamp(std::ilogb(x), -most, most)) : 1.0;
}

}  // namespace amgsolve
