#include "amg/coarsening.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "amg/density.hpp"
#include "amg/hubs.hpp"
#include "amg/row_balance.hpp"
#include "amg/tentative.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// R diag(y), where there is a y.
template <class T, MemorySpace S>
void balance(Context<S>& ctx, Span<const T, S> y, CsrMatrix<T, S>& R) {
  if (y.size() > 0) {
    scale_columns_of<T>(ctx, y, R);
  }
}

}  // namespace

template <class T, MemorySpace S>
Coarsening<T, S>::Coarsening(Context<S>& ctx, const CsrMatrix<T, S>& M, Span<const T, S> diagonal,
                             MultiVectorView<const T, S> near_nullspace, Index block_size, const FinerLevels& finer,
                             const AmgOptions& options)
    : options_(options), block_size_(block_size), level_(finer.count), entries_(finer.entries) {
  const CouplingKind kind_before = kind_above(finer.kind, level_, near_nullspace.columns > block_size);
  {
    ScopedTimer timer(ctx, "strength", level_);
    hubs_ = find_hubs(ctx, M, block_size);
    const auto find = [&](const CsrMatrix<T, S>& of, Span<const T, S> of_diagonal) {
      found_ = find_couplings(ctx, of, of_diagonal, near_nullspace, block_size, level_, kind_before, options);
    };
    if (hubs_.empty()) {
      find(M, diagonal);
    } else {
      rest_ = without_hubs(ctx, M, block_size);
      const Buffer<T, S> rest_diagonal = diagonal_of(ctx, rest_);
      find(rest_, rest_diagonal.span());
    }
  }
  ScopedTimer timer(ctx, "aggregation", level_);
  Graph<S>& strong = found_.couplings.strong;
  aggregates_ = aggregate(ctx, strong, passes_on(level_, options), hubs_, root_order(found_.kind));
  if (takes_more_passes(level_, mean_aggregate_size(), block_size, near_nullspace.columns)) {
    aggregates_ = aggregate(ctx, strong, passes_on(1, options), hubs_);
  }
  if (filter() == nullptr) {
    strong = {};
  }
}

template <class T, MemorySpace S>
bool Coarsening<T, S>::is_too_dense(Context<S>& ctx, const CsrMatrix<T, S>& M, const CsrMatrix<T, S>& P,
                                    Index candidates) const {
  ScopedTimer timer(ctx, "prolongator", level_);
  return density_above(ctx, options_.density_limit, M, P, candidates) > options_.density_limit;
}

template <class T, MemorySpace S>
double Coarsening<T, S>::mean_aggregate_size() const {
  return static_cast<double>(aggregates_.of_node.size()) / aggregates_.count;
}

template <class T, MemorySpace S>
bool Coarsening<T, S>::stalls(Index candidates) const {
  return stalls_at(std::int64_t{aggregates_.count} * candidates, std::ssize(aggregates_.of_node.span()) * block_size_,
                   options_);
}

template <class T, MemorySpace S>
InterpolationOperands<T, S> Coarsening<T, S>::operands(const CsrMatrix<T, S>& M, Span<const T, S> diagonal,
                                                       double spectral_radius, const Tentative<T, S>& tentative) const {
  return {M, diagonal, spectral_radius, aggregates_, block_size_, tentative, filter()};
}

template <class T, MemorySpace S>
LevelInterpolation<T, S> Coarsening<T, S>::interpolate(Context<S>& ctx, const CsrMatrix<T, S>& M,
                                                       Span<const T, S> diagonal, double spectral_radius,
                                                       MultiVectorView<const T, S> candidates, bool keeps_patterns) {
  LevelInterpolation<T, S> result;
  Tentative<T, S>& tentative = result.tentative;
  Interpolation<T, S>& chosen = result.smoothed;
  const CsrMatrix<T, S> rest = std::exchange(rest_, {});
  const auto form = [&] {
    {
      ScopedTimer timer(ctx, "tentative", level_);
      tentative = tentative_prolongator<T>(ctx, aggregates_, block_size_, candidates);
    }
    ScopedTimer timer(ctx, "prolongator", level_);
    Couplings<T, S>& couplings = found_.couplings;
    chosen = interpolator_.form(ctx, operands(hubs_.empty() ? M : rest, diagonal, spectral_radius, tentative),
                                std::exchange(couplings.filtered, {}), std::exchange(couplings.kept_blocks, {}),
                                smoothing_steps(found_.kind, options_), density_limits(entries_, found_.kind, options_),
                                options_, keeps_patterns);
  };
  const bool may_aggregate =
      found_.is_signed && hubs_.empty() &&
      may_aggregate_anew(dropped_weight(), aggregates_.count, block_size_, candidates.columns, options_);
  form();
  if (may_aggregate && is_too_dense(ctx, M, chosen.P, candidates.columns)) {
    ScopedTimer timer(ctx, "aggregation", level_);
    found_ = find_symmetric_couplings(ctx, M, diagonal, block_size_, options_);
    aggregates_ = aggregate(ctx, found_.couplings.strong, passes_on(level_, options_));
    found_.couplings.strong = {};
    form();
  }
  return result;
}

template <class T, MemorySpace S>
CoarseLevel<T, S> Coarsening<T, S>::form(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                         LevelInterpolation<T, S> interpolation, MultiVector<T, S>& candidates,
                                         bool keeps_patterns, Span<const T, S> row_scales) {
  auto& [tentative, chosen] = interpolation;
  CoarseLevel<T, S> coarse{.P = std::move(chosen.P), .R = {}, .A = {}, .choices = chosen.choices};
  SpgemmOptions spgemm = options_.spgemm;
  spgemm.nodes = {block_size_, block_size_, tentative.coarse_candidates.columns()};
  GalerkinStatistics* const products = options_.spgemm.statistics ? &coarse.products.emplace() : nullptr;
  if (!keeps_patterns) {
    candidates = std::move(tentative.coarse_candidates);
    {
      ScopedTimer timer(ctx, "transpose", level_);
      coarse.R = transpose(ctx, coarse.P);
      balance(ctx, row_scales, coarse.R);
    }
    ScopedTimer timer(ctx, "galerkin product", level_);
    coarse.A = galerkin_product(ctx, coarse.R, A, coarse.P, spgemm, products);
    return coarse;
  }
  std::optional<TransposePlan<T, S>> transpose_plan;
  {
    ScopedTimer timer(ctx, "transpose", level_);
    transpose_plan.emplace(ctx, coarse.P);
    coarse.R = transpose_plan->transpose(ctx, coarse.P);
    balance(ctx, row_scales, coarse.R);
  }
  ScopedTimer timer(ctx, "galerkin product", level_);
  GalerkinPlan<T, S> galerkin_plan(ctx, coarse.R, A, coarse.P, spgemm, &coarse.A, products);
  patterns_.emplace(
      Patterns{std::move(candidates), std::move(tentative), std::move(*transpose_plan), std::move(galerkin_plan)});
  const MultiVector<T, S>& coarse_candidates = patterns_->tentative.coarse_candidates;
  candidates = MultiVector<T, S>(ctx, coarse_candidates.rows(), coarse_candidates.columns());
  copy<T, T>(ctx, coarse_candidates, candidates);
  return coarse;
}

template <class T, MemorySpace S>
CoarseLevel<T, S> Coarsening<T, S>::update(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& M,
                                           Span<const T, S> diagonal, double spectral_radius,
                                           Span<const T, S> row_scales) {
  CoarseLevel<T, S> coarse;
  {
    ScopedTimer timer(ctx, "prolongator", level_);
    const CsrMatrix<T, S> rest = hubs_.empty() ? CsrMatrix<T, S>() : without_hubs(ctx, M, block_size_);
    coarse.P =
        interpolator_.update(ctx, operands(hubs_.empty() ? M : rest, diagonal, spectral_radius, patterns_->tentative),
                             std::as_const(patterns_->near_nullspace).view(), options_);
  }
  {
    ScopedTimer timer(ctx, "transpose", level_);
    coarse.R = patterns_->transpose.transpose(ctx, coarse.P);
    balance(ctx, row_scales, coarse.R);
  }
  ScopedTimer timer(ctx, "galerkin product", level_);
  coarse.A = patterns_->galerkin.multiply(ctx, coarse.R, A, coarse.P);
  return coarse;
}

#define AMGSOLVE_INSTANTIATE(T, S) template class Coarsening<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
