#pragma once

#include <cmath>
#include <cstdint>

#include "core/host_device.hpp"
#include "core/types.hpp"
#include "spmv/random.hpp"

/// What blas1.hpp and its like do to each value i = row · k + j of vectors, for host and device: operation(row, i,
/// factor) with factor = operation.factor(j), which is asked for once for many rows. Those of sums return a term.
namespace amgsolve::detail {

/// An operation that has no factors.
struct Plain {
  struct None {};
  AMGSOLVE_HOST_DEVICE None factor(Index) const { return {}; }
};

template <class T>
struct Fill : Plain {
  T value;
  T* x;

  AMGSOLVE_HOST_DEVICE void operator()(std::int64_t, std::int64_t i, None) const { x[i] = value; }
};

template <class T>
struct FillRandom : Plain {
  std::uint64_t seed;
  std::uint64_t first;
  T* x;

  AMGSOLVE_HOST_DEVICE void operator()(std::int64_t, std::int64_t i, None) const {
    x[i] = static_cast<T>(random_uniform(seed, first + static_cast<std::uint64_t>(i)));
  }
};

template <class T, class U>
struct Convert : Plain {
  const T* x;
  U* y;

  AMGSOLVE_HOST_DEVICE void operator()(std::int64_t, std::int64_t i, None) const { y[i] = static_cast<U>(x[i]); }
};

template <class T>
using ToFloat = Convert<T, float>;
template <class T>
using ToDouble = Convert<T, double>;

template <class T, class U>
struct ScaleColumns {
  const double* factors;
  const T* x;
  U* y;

  AMGSOLVE_HOST_DEVICE double factor(Index j) const { return factors[j]; }
  AMGSOLVE_HOST_DEVICE void operator()(std::int64_t, std::int64_t i, double factor) const {
    y[i] = factor == 0.0 ? U{0} : static_cast<U>(factor * static_cast<double>(x[i]));
  }
};

template <class T>
using ScaleToFloat = ScaleColumns<T, float>;
template <class T>
using ScaleToDouble = ScaleColumns<T, double>;

template <class T>
struct Axpby : Plain {
  T alpha;
  const T* x;
  T beta;
  T* y;

  AMGSOLVE_HOST_DEVICE void operator()(std::int64_t, std::int64_t i, None) const {
    y[i] = beta == T{0} ? alpha * x[i] : alpha * x[i] + beta * y[i];
  }
};

template <class T>
struct ScaleRows : Plain {
  const T* d;
  const T* x;
  T* y;

  AMGSOLVE_HOST_DEVICE void operator()(std::int64_t row, std::int64_t i, None) const { y[i] = d[row] * x[i]; }
};

/// scale · numerator_j / denominator_j, 0 where the denominator is; it is 1 where there is none.
template <class T>
struct Quotients {
  T scale;
  const double* numerator;
  const double* denominator;

  AMGSOLVE_HOST_DEVICE T factor(Index j) const {
    if (denominator == nullptr) {
      return scale * static_cast<T>(numerator[j]);
    }
    return denominator[j] == 0.0 ? T{0} : scale * static_cast<T>(numerator[j] / denominator[j]);
  }
};

/// y + factor x; where the factor is 0, y whatever x is: what is not finite shall not reach a column that stays.
template <class T>
AMGSOLVE_HOST_DEVICE T moved(T y, T factor, T x) {
  return factor == T{0} ? y : y + factor * x;
}

template <class T, class U>
struct CgDirection : Quotients<T> {
  const U* z;
  T* p;

  AMGSOLVE_HOST_DEVICE void operator()(std::int64_t, std::int64_t i, T beta) const {
    const auto value = static_cast<T>(z[i]);
    p[i] = beta == T{0} ? value : value + beta * p[i];
  }
};

template <class T>
using CgDirectionOfFloat = CgDirection<T, float>;
template <class T>
using CgDirectionOfDouble = CgDirection<T, double>;

template <class T>
struct AddColumns : Quotients<T> {
  const T* x;
  T* y;

  AMGSOLVE_HOST_DEVICE void operator()(std::int64_t, std::int64_t i, T factor) const {
    y[i] = moved(y[i], factor, x[i]);
  }
};

template <class T>
struct CgUpdate {
  const double* rho;
  const double* curvature;
  const double* units;
  const T* p;
  const T* q;
  T* x;
  T* r;

  struct Factors {
    T r;
    T x;
  };
  AMGSOLVE_HOST_DEVICE Factors factor(Index j) const {
    const bool moves =
        units[j] > 0.0 && rho[j] > 0.0 && curvature[j] > 0.0 && std::isfinite(rho[j]) && std::isfinite(curvature[j]);
    const double alpha = moves ? rho[j] / curvature[j] : 0.0;
    return {static_cast<T>(alpha), static_cast<T>(units[j] * alpha)};
  }
  AMGSOLVE_HOST_DEVICE double operator()(std::int64_t, std::int64_t i, Factors alpha) const {
    const T residual = moved(r[i], -alpha.r, q[i]);
    x[i] = moved(x[i], alpha.x, p[i]);
    r[i] = residual;
    return static_cast<double>(residual) * static_cast<double>(residual);
  }
};

/// The same, with r also in float.
template <class T>
struct RoundingCgUpdate : CgUpdate<T> {
  float* rounded;

  AMGSOLVE_HOST_DEVICE double operator()(std::int64_t row, std::int64_t i, typename CgUpdate<T>::Factors alpha) const {
    const double square = CgUpdate<T>::operator()(row, i, alpha);
    rounded[i] = static_cast<float>(this->r[i]);
    return square;
  }
};

template <class T, class U>
struct Dot : Plain {
  const T* x;
  const U* y;

  AMGSOLVE_HOST_DEVICE double operator()(std::int64_t, std::int64_t i, None) const {
    return static_cast<double>(x[i]) * static_cast<double>(y[i]);
  }
};

/// The products of all columns of x with all of y, of column p of x and q of y as column p · columns_of_y + q.
template <class T>
struct InnerProducts {
  struct Columns {
    Index of_x;
    Index of_y;
  };

  const double* x;
  Index columns_of_x;
  const T* y;
  Index columns_of_y;

  AMGSOLVE_HOST_DEVICE Columns factor(Index j) const { return {j / columns_of_y, j % columns_of_y}; }
  AMGSOLVE_HOST_DEVICE double operator()(std::int64_t row, std::int64_t, Columns at) const {
    return x[row * columns_of_x + at.of_x] * static_cast<double>(y[row * columns_of_y + at.of_y]);
  }
};

template <class T>
using DotWithFloat = Dot<T, float>;
template <class T>
using DotWithDouble = Dot<T, double>;

template <class T>
struct ScaledSquare : Plain {
  double scale;
  double most;  ///< that |x| counts as; NaN stays
  const T* x;

  AMGSOLVE_HOST_DEVICE double operator()(std::int64_t, std::int64_t i, None) const {
    const double magnitude = std::abs(static_cast<double>(x[i]));
    const double scaled = scale * (most < magnitude ? most : magnitude);
    return scaled * scaled;
  }
};

template <class T>
struct LanczosStep {
  const double* curvature;
  const double* norm_squared;
  const double* previous_squared;
  const T* d;
  const T* q;
  const T* v;
  T* v_previous;

  struct Factors {
    T product;
    T vector;
    T previous;
  };
  AMGSOLVE_HOST_DEVICE Factors factor(Index) const {
    const double norm = *norm_squared;
    const double inverse_norm = norm > 0.0 ? 1.0 / std::sqrt(norm) : 0.0;
    return {static_cast<T>(inverse_norm), static_cast<T>(*curvature * inverse_norm * inverse_norm * inverse_norm),
            static_cast<T>(*previous_squared > 0.0 ? std::sqrt(norm / *previous_squared) : 0.0)};
  }
  AMGSOLVE_HOST_DEVICE double operator()(std::int64_t, std::int64_t i, Factors factors) const {
    const T diagonal = d[i];  // read once: again after the store it might have to wait for that
    T next = factors.product * q[i] / diagonal - factors.vector * v[i];
    next = factors.previous == T{0} ? next : next - factors.previous * v_previous[i];
    next = diagonal > T{0} ? next : T{0};
    v_previous[i] = next;
    return static_cast<double>(diagonal) * static_cast<double>(next) * static_cast<double>(next);
  }
};

/// u_i0 v_i1 − u_i1 v_i0 of vectors of two columns.
template <class T>
struct CrossDifference : Plain {
  const T* u;
  const T* v;

  AMGSOLVE_HOST_DEVICE double operator()(std::int64_t row, std::int64_t, None) const {
    return static_cast<double>(u[2 * row]) * static_cast<double>(v[2 * row + 1]) -
           static_cast<double>(u[2 * row + 1]) * static_cast<double>(v[2 * row]);
  }
};

}  // namespace amgsolve::detail
