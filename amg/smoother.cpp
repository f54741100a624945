#include "amg/smoother.hpp"

#include <utility>

#include "amg/diagonal.hpp"
#include "spmv/blas1.hpp"
#include "spmv/spmv.hpp"

namespace amgsolve {
namespace {

/// The spectral radius is estimated from below: the interval of the polynomial reaches a little further.
constexpr double interval_margin = 1.1;

}  // namespace

template <class T, MemorySpace S>
Smoother<T, S>::Smoother(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const T, S> diagonal, double spectral_radius,
                         const SmootherOptions& options)
    : scaling_(ctx, static_cast<std::size_t>(A.rows)) {
  if (options.type == SmootherType::l1_jacobi) {
    invert_l1_norms<T>(ctx, A, scaling_);
    steps_ = {{T{1}, T{0}}};
    return;
  }
  invert_diagonal<T>(ctx, diagonal, false, scaling_);
  const double rho = spectral_radius > 0.0 ? spectral_radius : 1.0;
  const int degree = options.type == SmootherType::chebyshev ? options.degree : 1;
  // Chebyshev iteration on the interval [a, b] (Saad, Iterative Methods for Sparse Linear Systems, algorithm 12.1).
  const double upper = interval_margin * rho;
  const double lower = options.lower_fraction * rho;
  const double centre = (upper + lower) / 2.0;
  const double half_width = (upper - lower) / 2.0;
  const double sigma = centre / half_width;
  const double first = options.type == SmootherType::chebyshev ? 1.0 / centre : options.damping / rho;
  double ratio = 1.0 / sigma;
  steps_ = {{T{1}, T{0}}};
  for (int step = 1; step < degree; ++step) {
    const double next_ratio = 1.0 / (2.0 * sigma - ratio);
    steps_.push_back({static_cast<T>(2.0 * next_ratio / half_width / first), static_cast<T>(next_ratio * ratio)});
    ratio = next_ratio;
  }
  const FatView<T, S> scaling(scaling_.data(), A.rows);
  axpby<T>(ctx, T{0}, scaling, static_cast<T>(first), scaling);
}

template <class T, MemorySpace S>
void Smoother<T, S>::apply(Context<S>& ctx, const CsrMatrix<T, S>& A, int sweeps, bool from_zero, FatView<const T, S> b,
                           Iterate<T, S>& iterate) const {
  if (sweeps == 0 && from_zero) {
    fill<T>(ctx, T{0}, iterate.x);
  }
  // `next` holds the iterate before x from a sweep's second step on; a zero one is left out of the sum instead.
  bool zero = from_zero;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    bool previous_is_zero = zero;
    for (const Step& step : steps_) {
      if (zero) {
        scale_rows<T>(ctx, scaling_, b, iterate.x);
        zero = false;
        continue;
      }
      const T reach_back = previous_is_zero ? T{0} : -step.momentum;
      smoothing_step<T>(ctx, A, scaling_, step.residual, T{1} + step.momentum, reach_back, b, iterate.x, iterate.next);
      std::swap(iterate.x, iterate.next);
      previous_is_zero = false;
    }
  }
}

template class Smoother<float, Host>;
template class Smoother<double, Host>;
#if AMGSOLVE_HAVE_CUDA
template class Smoother<float, Cuda>;
template class Smoother<double, Cuda>;
#endif

}  // namespace amgsolve
