#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "spmv/shapes.hpp"

namespace amgsolve {

/// Throws std::invalid_argument naming both sizes where the operands of lanczos_step do not match.
inline void expect_lanczos_shapes(std::size_t d, Shape q, Shape v, Shape v_previous) {
  expect_length("d", d, v.rows);
  expect_shape("q", q, {v.rows, 1});
  expect_shape("v", v, {v.rows, 1});
  expect_shape("v_previous", v_previous, {v.rows, 1});
}

/// What lanczos_step multiplies its vectors by; see there.
template <class T>
struct LanczosFactors {
  T product;
  T vector;
  T previous;

  AMGSOLVE_HOST_DEVICE LanczosFactors(double curvature, double norm_squared, double previous_squared) {
    const double inverse_norm = norm_squared > 0.0 ? 1.0 / std::sqrt(norm_squared) : 0.0;
    product = static_cast<T>(inverse_norm);
    vector = static_cast<T>(curvature * inverse_norm * inverse_norm * inverse_norm);
    previous = static_cast<T>(previous_squared > 0.0 ? std::sqrt(norm_squared / previous_squared) : 0.0);
  }

  /// The next vector's entry in a row.
  AMGSOLVE_HOST_DEVICE T next(T d, T q, T v, const T* v_previous) const {
    const T rest = product * q / d - vector * v;
    const T next = previous == T{0} ? rest : rest - previous * *v_previous;
    return d > T{0} ? next : T{0};
  }
};

}  // namespace amgsolve
