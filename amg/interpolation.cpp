#include "amg/interpolation.hpp"

#include <algorithm>
#include <utility>

#include "amg/amalgamation.hpp"
#include "amg/block_couplings.hpp"
#include "amg/coarsening_choices.hpp"
#include "amg/density.hpp"
#include "amg/jacobi_matrix.hpp"
#include "amg/prolongator.hpp"
#include "amg/truncation.hpp"
#include "core/instantiate.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// The matrix, whose pattern it leaves behind.
template <class T, MemorySpace S>
CsrMatrix<T, S> leave_pattern(CsrMatrix<T, S> matrix, CsrMatrix<T, S>& pattern) {
  Buffer<T, S> values = std::move(matrix.values);
  pattern = std::move(matrix);
  CsrMatrix<T, S> result = borrow(pattern);
  result.values = std::move(values);
  return result;
}

/// Of the coarse matrix, where it may be above what is wanted.
template <class T, MemorySpace S>
double coarse_density(Context<S>& ctx, const InterpolationOperands<T, S>& operands, const CsrMatrix<T, S>& P,
                      const DensityLimits& limits) {
  return density_above(ctx, limits.wanted, operands.A, P, operands.tentative.coarse_candidates.columns());
}

}  // namespace

template <class T, MemorySpace S>
struct Interpolator<T, S>::Smoothing {
  const CsrMatrix<T, S>& A;
  Buffer<T, S> own_diagonal;
  Span<const T, S> diagonal;
  double spectral_radius;

  T step(double damping) const { return damping_step<T>(damping, spectral_radius); }
  CsrMatrix<T, S> second(Context<S>& ctx) const {
    return jacobi_matrix(ctx, A, diagonal, step(1.0 / chebyshev_roots[1]));
  }
};

/// With A_F, or A where that is empty.
template <class T, MemorySpace S>
typename Interpolator<T, S>::Smoothing Interpolator<T, S>::smoothing_with(Context<S>& ctx,
                                                                          const CsrMatrix<T, S>& filtered,
                                                                          const InterpolationOperands<T, S>& operands,
                                                                          const AmgOptions& options, bool keeps) {
  if (filtered.rows == 0) {
    return {operands.A, {}, operands.diagonal, operands.spectral_radius};
  }
  Buffer<T, S> diagonal = diagonal_of(ctx, filtered);
  const Operator<T, S> products(ctx, borrow(filtered), Storage::csr);
  const double rho = radius_.of(ctx, products, diagonal, options.spectral_radius_steps, keeps);
  const Span<const T, S> view = std::as_const(diagonal).span();
  return {filtered, std::move(diagonal), view, rho};
}

template <class T, MemorySpace S>
CsrMatrix<T, S> Interpolator<T, S>::smooth(Context<S>& ctx, const InterpolationOperands<T, S>& operands,
                                           const Smoothing& with, int steps, const AmgOptions& options, bool keeps) {
  choices_.steps = steps;
  product_.reset();
  CsrMatrix<T, S> first =
      smoothed_prolongator<T>(ctx, with.A, operands.strong, operands.aggregates, operands.block_size,
                              operands.tentative, with.step(first_damping(steps, options)));
  if (keeps) {
    first = leave_pattern(std::move(first), smoothed_);
  }
  count(first.nnz());
  if (steps == 1) {
    return first;
  }
  const CsrMatrix<T, S> second = with.second(ctx);
  CsrMatrix<T, S> P = multiply(ctx, second, first, options.spgemm);
  count(second.nnz() + first.nnz() + P.nnz());
  if (keeps) {
    product_.emplace(ctx, second, first, options.spgemm, P);
  }
  return P;
}

/// P without its small entries; P as it is where its density is none beside whole blocks of A, since coarse blocks are
/// whole whatever truncation leaves of them.
template <class T, MemorySpace S>
CsrMatrix<T, S> Interpolator<T, S>::truncate(Context<S>& ctx, const InterpolationOperands<T, S>& operands,
                                             CsrMatrix<T, S> P, double density, const DensityLimits& limits) {
  const MultiVectorView<const T, S> candidates = operands.tentative.coarse_candidates.view();
  const double share = candidates.columns > 1 ? share_of_blocks(ctx, operands.A, candidates.columns) : 1.0;
  if (share * density <= limits.wanted) {
    return P;
  }
  CsrMatrix<T, S> truncated;
  const auto leave = [&](double tolerance) {
    choices_.truncation = tolerance;
    truncated = {};
    truncated = truncate_prolongator(ctx, P, candidates, tolerance);
    count(P.nnz() + truncated.nnz());
  };
  truncate_to_limit(share * density, limits, leave,
                    [&] { return share * coarse_density(ctx, operands, truncated, limits); });
  return truncated;
}

template <class T, MemorySpace S>
Interpolation<T, S> Interpolator<T, S>::form(Context<S>& ctx, const InterpolationOperands<T, S>& operands,
                                             CsrMatrix<T, S> filtered, CsrMatrix<T, S> kept_blocks, int steps,
                                             const DensityLimits& limits, const AmgOptions& options, bool keeps) {
  choices_ = {};
  truncated_ = {};
  const Smoothing with = smoothing_with(ctx, filtered, operands, options, keeps);
  CsrMatrix<T, S> P;
  form_below_density_limit(
      steps, can_truncate(operands.tentative.coarse_candidates.columns(), operands.block_size), limits, options,
      [&](int wanted) {
        P = {};
        P = smooth(ctx, operands, with, wanted, options, keeps);
      },
      [&] { return coarse_density(ctx, operands, P, limits); },
      [&](double density) { P = truncate(ctx, operands, std::move(P), density, limits); });
  if (keeps && choices_.truncation > 0.0) {
    P = leave_pattern(std::move(P), truncated_);
  }
  choices_.entries += filtered.nnz();
  if (keeps) {
    kept_ = std::move(kept_blocks.rows > 0 ? kept_blocks : filtered);
    kept_.values = {};
  }
  return {std::move(P), choices_};
}

template <class T, MemorySpace S>
CsrMatrix<T, S> Interpolator<T, S>::update(Context<S>& ctx, const InterpolationOperands<T, S>& operands,
                                           MultiVectorView<const T, S> near_nullspace, const AmgOptions& options) {
  CsrMatrix<T, S> filtered;
  if (kept_.rows > 0 && (operands.block_size > 1 || near_nullspace.columns > 1)) {
    filtered = filter_blocks(ctx, operands.A, near_nullspace, operands.block_size, kept_);
  } else if (kept_.rows > 0) {
    filtered = borrow_pattern(ctx, kept_);
    refill_filtered(ctx, operands.A, near_nullspace.span(), filtered);
  }
  const Smoothing with = smoothing_with(ctx, filtered, operands, options, true);
  CsrMatrix<T, S> P = borrow_pattern(ctx, smoothed_);
  update_smoothed_prolongator<T>(ctx, with.A, operands.strong, operands.aggregates, operands.block_size,
                                 operands.tentative, with.step(first_damping(choices_.steps, options)), P);
  if (product_) {
    P = product_->multiply(ctx, with.second(ctx), P);
  }
  if (truncated_.rows == 0) {
    return P;
  }
  CsrMatrix<T, S> truncated = borrow_pattern(ctx, truncated_);
  refill_truncated_prolongator(ctx, P, operands.tentative.coarse_candidates.view(), choices_.truncation, truncated);
  return truncated;
}

#define AMGSOLVE_INSTANTIATE(T, S) template class Interpolator<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
