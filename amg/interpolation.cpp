#include "amg/interpolation.hpp"

#include <array>
#include <utility>

#include "amg/density.hpp"
#include "amg/jacobi_matrix.hpp"
#include "amg/prolongator.hpp"
#include "amg/spectral_radius.hpp"
#include "amg/truncation.hpp"
#include "core/instantiate.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// Roots of the Chebyshev polynomial of degree two on [0.4, 1], 0.7 ± 0.3 cos 45°.
constexpr std::array<double, 2> roots = {0.912132034355964, 0.487867965644036};

/// What is dropped of a row of P, relative to its largest entry, where the coarse matrix is too dense and much too
/// dense.
constexpr double drop_tolerance = 0.25;
constexpr double large_drop_tolerance = 0.4;
constexpr double much_too_dense = 1.4;  ///< times the limit

}  // namespace

template <class T, MemorySpace S>
Interpolation<T, S> interpolate(Context<S>& ctx, const InterpolationOperands<T, S>& operands, int steps,
                                const AmgOptions& options) {
  const bool is_filtered = operands.filtered.rows > 0;
  const CsrMatrix<T, S>& A = is_filtered ? operands.filtered : operands.A;
  Buffer<T, S> filtered_diagonal;
  Span<const T, S> diagonal = operands.diagonal;
  double rho = operands.spectral_radius;
  if (is_filtered) {
    filtered_diagonal = Buffer<T, S>(ctx, static_cast<std::size_t>(A.rows));
    extract_diagonal<T>(ctx, A, filtered_diagonal);
    diagonal = std::as_const(filtered_diagonal).span();
    rho = spectral_radius<T, S>(ctx, A, diagonal, options.spectral_radius_steps);
  }
  const auto step = [&](double damping) { return static_cast<T>(rho > 0.0 ? damping / rho : 0.0); };
  const auto smoothed = [&](double damping) {
    return smoothed_prolongator<T>(ctx, A, nullptr, operands.aggregates, operands.block_size, operands.tentative,
                                   step(damping));
  };
  Interpolation<T, S> result;
  const auto form = [&](int wanted) {
    result.choices.steps = wanted;
    result.P = wanted == 1 ? smoothed(options.prolongator_damping)
                           : multiply(ctx, jacobi_matrix(ctx, A, diagonal, step(1.0 / roots[1])),
                                      smoothed(1.0 / roots[0]), options.spgemm);
  };
  const auto density = [&] {
    result.R = transpose(ctx, result.P);
    return estimate_density(ctx, result.R, operands.A, result.P);
  };
  form(steps);
  if (!is_filtered) {
    return result;
  }
  double q = density();
  if (q > options.density_limit && steps == 2 && !options.prolongator_steps) {
    form(1);
    q = density();
  }
  if (q > options.density_limit && operands.tentative.coarse_candidates.columns() == 1) {
    result.choices.truncation = q > much_too_dense * options.density_limit ? large_drop_tolerance : drop_tolerance;
    result.P = truncate_prolongator(ctx, result.P, operands.tentative.coarse_candidates.view().span(),
                                    result.choices.truncation);
    result.R = {};
  }
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template Interpolation<T, S> interpolate(Context<S>&, const InterpolationOperands<T, S>&, int, const AmgOptions&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
