#include "amg/polynomial_smoother.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "amg/diagonal.hpp"
#include "amg/optimal_polynomial.hpp"
#include "amg/residual_polynomial.hpp"
#include "amg/spectral_radius.hpp"
#include "core/collectively.hpp"
#include "core/instantiate.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

/// A step of a sweep, x_{m+1} = x_m + residual C (b − A x_m) + momentum (x_m − x_{m−1}), with C = diag(scaling).
template <class T>
struct Step {
  T residual;
  T momentum;
};

template <class T, MemorySpace S>
class PolynomialSmoother : public Smoother<T, S> {
 public:
  /// @param later_steps  after the first, which has residual = 1 and momentum = 0
  PolynomialSmoother(Buffer<T, S> scaling, std::vector<Step<T>> later_steps)
      : scaling_(std::move(scaling)), later_steps_(std::move(later_steps)) {}

  void sweep(Context<S>& ctx, const Operator<T, S>& A, Side, Start start, MultiVectorView<const T, S> b,
             Iterate<T, S>& iterate) const override {
    if (start == Start::zero) {
      scale_rows<T>(ctx, scaling_, b, iterate.x);
    } else {
      MultiVectorView<const T, S> x = std::as_const(iterate.x);
      x.has_ghosts = start == Start::with_ghosts;
      A.smoothing_step(ctx, scaling_, T{1}, T{1}, T{0}, b, x, iterate.next);
      std::swap(iterate.x, iterate.next);
    }
    // `next` holds the iterate before x; a zero one is left out of the sum instead.
    bool previous_is_zero = start == Start::zero;
    for (const Step<T>& step : later_steps_) {
      const T reach_back = previous_is_zero ? T{0} : -step.momentum;
      A.smoothing_step(ctx, scaling_, step.residual, T{1} + step.momentum, reach_back, b, iterate.x, iterate.next);
      std::swap(iterate.x, iterate.next);
      previous_is_zero = false;
    }
  }

  std::size_t bytes() const override { return scaling_.bytes(); }

 private:
  Buffer<T, S> scaling_;
  std::vector<Step<T>> later_steps_;
};

template <class T, MemorySpace S>
void scale(Context<S>& ctx, double factor, Buffer<T, S>& values) {
  const MultiVectorView<T, S> all(values.data(), static_cast<Index>(values.size()));
  axpby<T>(ctx, T{0}, all, static_cast<T>(factor), all);
}

/// factor · D⁻¹
template <class T, MemorySpace S>
Buffer<T, S> scaled_inverse(Context<S>& ctx, Span<const T, S> diagonal, double factor) {
  Buffer<T, S> scaling;
  collectively(ctx.communicator(), [&] {
    scaling = Buffer<T, S>(ctx, diagonal.size());
    invert_diagonal<T>(ctx, diagonal, scaling);
    scale<T>(ctx, factor, scaling);
  });
  return scaling;
}

/// Of the rows of A.
template <class T, MemorySpace S>
Buffer<T, S> inverse_l1_norms(Context<S>& ctx, const SmootherInput<T, S>& level) {
  Buffer<T, S> inverses;
  collectively(ctx.communicator(), [&] {
    inverses = Buffer<T, S>(ctx, level.diagonal.size());
    invert_l1_norms<T>(ctx, level.A, inverses);
  });
  return inverses;
}

}  // namespace

template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_jacobi(Context<S>& ctx, const SmootherInput<T, S>& level,
                                            const SmootherOptions& options) {
  const double damping = options.damping / positive_radius(level.spectral_radius);
  return std::make_unique<PolynomialSmoother<T, S>>(scaled_inverse<T>(ctx, level.diagonal, damping),
                                                    std::vector<Step<T>>{});
}

template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_l1_jacobi(Context<S>& ctx, const SmootherInput<T, S>& level,
                                               const SmootherOptions&) {
  return std::make_unique<PolynomialSmoother<T, S>>(inverse_l1_norms(ctx, level), std::vector<Step<T>>{});
}

template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_gmres_polynomial(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                      const SmootherOptions& options) {
  Buffer<T, S> scaling = inverse_l1_norms(ctx, level);
  const int degree = std::min(options.degree.value_or(default_residual_degree), highest_residual_degree);
  const std::vector<std::complex<double>> roots =
      residual_polynomial<T>(ctx, level.products(ctx), scaling, degree, level.first_row);
  // With steps of |μ| both, 1 − 2 Re(μ) z + |μ|² z² leaves a momentum of 2 Re(μ) / |μ| − 2.
  std::vector<Step<double>> steps;
  for (const std::complex<double> mu : roots) {
    const bool is_second_of_pair = mu.imag() < 0.0;
    steps.push_back(
        {mu.imag() == 0.0 ? mu.real() : std::abs(mu), is_second_of_pair ? 2.0 * mu.real() / std::abs(mu) - 2.0 : 0.0});
  }
  std::erase_if(steps, [](const Step<double>& step) { return step.residual == 0.0; });
  const double first = steps.empty() ? 0.0 : steps.front().residual;
  scale<T>(ctx, first, scaling);
  std::vector<Step<T>> later_steps;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    later_steps.push_back({static_cast<T>(steps[i].residual / first), static_cast<T>(steps[i].momentum)});
  }
  return std::make_unique<PolynomialSmoother<T, S>>(std::move(scaling), std::move(later_steps));
}

template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_chebyshev(Context<S>& ctx, const SmootherInput<T, S>& level,
                                               const SmootherOptions& options) {
  // Chebyshev iteration on the interval [a, b] (Saad, Iterative Methods for Sparse Linear Systems, algorithm 12.1).
  const double rho = positive_radius(level.spectral_radius);
  const double upper = radius_margin * rho;
  const double lower = options.lower_fraction.value_or(default_lower_fraction) * rho;
  const double centre = (upper + lower) / 2.0;
  const double half_width = (upper - lower) / 2.0;
  const double sigma = centre / half_width;
  std::vector<Step<T>> later_steps;
  double ratio = 1.0 / sigma;
  for (int step = 1; step < options.degree.value_or(default_degree); ++step) {
    const double next_ratio = 1.0 / (2.0 * sigma - ratio);
    later_steps.push_back({static_cast<T>(2.0 * next_ratio / half_width * centre), static_cast<T>(next_ratio * ratio)});
    ratio = next_ratio;
  }
  return std::make_unique<PolynomialSmoother<T, S>>(scaled_inverse<T>(ctx, level.diagonal, 1.0 / centre),
                                                    std::move(later_steps));
}

template <class T, MemorySpace S>
std::unique_ptr<Smoother<T, S>> make_chebyshev_opt_fourth(Context<S>& ctx, const SmootherInput<T, S>& level,
                                                          const SmootherOptions& options) {
  const std::vector<double> steps =
      optimal_steps(options.degree.value_or(default_degree), radius_margin * positive_radius(level.spectral_radius));
  std::vector<Step<T>> later_steps;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    later_steps.push_back({static_cast<T>(steps[i] / steps.front()), T{0}});
  }
  return std::make_unique<PolynomialSmoother<T, S>>(scaled_inverse<T>(ctx, level.diagonal, steps.front()),
                                                    std::move(later_steps));
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                            \
  template std::unique_ptr<Smoother<T, S>> make_jacobi(Context<S>&, const SmootherInput<T, S>&,               \
                                                       const SmootherOptions&);                               \
  template std::unique_ptr<Smoother<T, S>> make_l1_jacobi(Context<S>&, const SmootherInput<T, S>&,            \
                                                          const SmootherOptions&);                            \
  template std::unique_ptr<Smoother<T, S>> make_gmres_polynomial(Context<S>&, const SmootherInput<T, S>&,     \
                                                                 const SmootherOptions&);                     \
  template std::unique_ptr<Smoother<T, S>> make_chebyshev_opt_fourth(Context<S>&, const SmootherInput<T, S>&, \
                                                                     const SmootherOptions&);                 \
  template std::unique_ptr<Smoother<T, S>> make_chebyshev(Context<S>&, const SmootherInput<T, S>&,            \
                                                          const SmootherOptions&);

AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
