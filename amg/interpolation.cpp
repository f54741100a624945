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

/// The matrix that T is smoothed with.
template <class T, MemorySpace S>
struct Smoothing {
  const CsrMatrix<T, S>& A;
  Buffer<T, S> own_diagonal;
  Span<const T, S> diagonal;
  double spectral_radius;

  T step(double damping) const { return damping_step<T>(damping, spectral_radius); }
};

/// A_F, or A where that is empty.
template <class T, MemorySpace S>
Smoothing<T, S> smoothing_with(Context<S>& ctx, const CsrMatrix<T, S>& filtered,
                               const InterpolationOperands<T, S>& operands, RadiusEstimate<T, S>& radius,
                               const AmgOptions& options, bool keeps) {
  if (filtered.rows == 0) {
    return {operands.A, {}, operands.diagonal, operands.spectral_radius};
  }
  Buffer<T, S> diagonal(ctx, static_cast<std::size_t>(filtered.rows));
  extract_diagonal<T>(ctx, filtered, diagonal);
  const Operator<T, S> products(ctx, borrow(filtered), Storage::csr);
  const double rho = radius.of(ctx, products, diagonal, options.spectral_radius_steps, keeps);
  const Span<const T, S> view = std::as_const(diagonal).span();
  return {filtered, std::move(diagonal), view, rho};
}

template <class T, MemorySpace S>
CsrMatrix<T, S> second_smoother(Context<S>& ctx, const Smoothing<T, S>& with) {
  return jacobi_matrix(ctx, with.A, with.diagonal, with.step(1.0 / chebyshev_roots[1]));
}

/// The matrix, whose pattern it leaves behind.
template <class T, MemorySpace S>
CsrMatrix<T, S> leave_pattern(CsrMatrix<T, S> matrix, CsrMatrix<T, S>& pattern) {
  Buffer<T, S> values = std::move(matrix.values);
  pattern = std::move(matrix);
  CsrMatrix<T, S> result = borrow(pattern);
  result.values = std::move(values);
  return result;
}

}  // namespace

template <class T, MemorySpace S>
Interpolation<T, S> Interpolator<T, S>::form(Context<S>& ctx, const InterpolationOperands<T, S>& operands,
                                             CsrMatrix<T, S> filtered, CsrMatrix<T, S> kept_blocks, int steps,
                                             const AmgOptions& options, bool keeps) {
  const Smoothing<T, S> with = smoothing_with(ctx, filtered, operands, radius_, options, keeps);
  Interpolation<T, S> result;
  choices_ = {};
  const auto count = [&](Offset entries) { choices_.entries = std::max(choices_.entries, filtered.nnz() + entries); };
  const auto smooth = [&](int wanted) {
    choices_.steps = wanted;
    product_.reset();
    result.P = smoothed_prolongator<T>(ctx, with.A, operands.strong, operands.aggregates, operands.block_size,
                                       operands.tentative, with.step(first_damping(wanted, options)));
    if (keeps) {
      result.P = leave_pattern(std::move(result.P), smoothed_);
    }
    count(result.P.nnz());
    if (wanted == 1) {
      return;
    }
    const CsrMatrix<T, S> second = second_smoother(ctx, with);
    CsrMatrix<T, S> P = multiply(ctx, second, result.P, options.spgemm);
    count(second.nnz() + result.P.nnz() + P.nnz());
    if (keeps) {
      product_.emplace(ctx, second, result.P, options.spgemm, P);
    }
    result.P = std::move(P);
  };
  smooth(steps);
  const bool may_smooth_less = steps == 2 && !options.prolongator_steps;
  const MultiVectorView<const T, S> coarse_candidates = operands.tentative.coarse_candidates.view();
  const Index candidates = coarse_candidates.columns;
  const bool may_truncate =
      candidates == 1 || (candidates == operands.block_size && candidates <= most_truncated_candidates);
  if (may_smooth_less || may_truncate) {
    const auto density = [&](const CsrMatrix<T, S>& P) {
      return density_above(ctx, options.density_limit, operands.A, P, candidates);
    };
    double q = density(result.P);
    if (q > options.density_limit && may_smooth_less) {
      result = {};
      smooth(1);
      q = density(result.P);
    }
    // Coarse blocks are whole, whatever truncation leaves of them: those of A count as whole, too.
    const bool goes_by_blocks = q > options.density_limit && may_truncate && candidates > 1;
    const double share = goes_by_blocks ? share_of_blocks(ctx, operands.A, candidates) : 1.0;
    q *= share;
    if (q > options.density_limit && may_truncate) {
      CsrMatrix<T, S> truncated;
      const auto truncate = [&](double tolerance) {
        choices_.truncation = tolerance;
        truncated = {};
        truncated = truncate_prolongator(ctx, result.P, coarse_candidates, tolerance);
        count(result.P.nnz() + truncated.nnz());
      };
      truncate(truncation_for(q, options));
      if (choices_.truncation < largest_alone && leaves_largest_alone(share * density(truncated), options)) {
        truncate(largest_alone);
      }
      result.P = std::move(truncated);
      if (keeps) {
        result.P = leave_pattern(std::move(result.P), truncated_);
      }
    }
  }
  if (keeps) {
    kept_ = std::move(kept_blocks.rows > 0 ? kept_blocks : filtered);
    kept_.values = {};
  }
  result.choices = choices_;
  return result;
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
  const Smoothing<T, S> with = smoothing_with(ctx, filtered, operands, radius_, options, true);
  CsrMatrix<T, S> P = borrow_pattern(ctx, smoothed_);
  update_smoothed_prolongator<T>(ctx, with.A, operands.strong, operands.aggregates, operands.block_size,
                                 operands.tentative, with.step(first_damping(choices_.steps, options)), P);
  if (product_) {
    P = product_->multiply(ctx, second_smoother(ctx, with), P);
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
