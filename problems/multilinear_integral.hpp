#pragma once

namespace amgsolve {

/// ∫ ∂φ_a/∂x_p ∂φ_b/∂x_q over the unit square times 12, or the unit cube times 72, for the bi- or trilinear basis
/// functions of two corners, of which bit d tells the side in direction d. It is a product of integrals in one
/// dimension, ∫ φ'φ' = ±1, ∫ φ'φ = ±1/2 and ∫ φφ = 1/3 or 1/6, times 1, 2 and 6.
constexpr int multilinear_integral(int dimensions, int a, int b, int p, int q) {
  const auto bit = [](int corner, int d) { return (corner >> d) & 1; };
  const auto slope = [&](int corner, int d) { return bit(corner, d) == 1 ? 1 : -1; };
  int integral = (p == q ? 2 : 3) * slope(a, p) * slope(b, q);
  for (int d = 0; d < dimensions; ++d) {
    if (d != p && d != q) {
      integral *= bit(a, d) == bit(b, d) ? 2 : 1;
    }
  }
  return integral;
}

constexpr double multilinear_denominator(int dimensions) { return dimensions == 2 ? 12.0 : 72.0; }

}  // namespace amgsolve
