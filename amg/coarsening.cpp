#include "amg/coarsening.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "amg/amalgamation.hpp"
#include "amg/block_couplings.hpp"
#include "amg/density.hpp"
#include "amg/hubs.hpp"
#include "amg/strength.hpp"
#include "amg/tentative.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// The graph of strong connections between nodes of block_size unknowns by the symmetric measure.
template <class T, MemorySpace S>
Graph<S> strong_nodes(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const T, S> diagonal, Index block_size,
                      double threshold) {
  if (block_size == 1) {
    return strength_graph<T>(ctx, A, diagonal, threshold);
  }
  const CsrMatrix<T, S> norms = amalgamate(ctx, A, block_size);
  Buffer<T, S> node_diagonal(ctx, static_cast<std::size_t>(norms.rows));
  extract_diagonal<T>(ctx, norms, node_diagonal);
  return strength_graph<T>(ctx, norms, node_diagonal, threshold);
}

}  // namespace

template <class T, MemorySpace S>
Coarsening<T, S>::Coarsening(Context<S>& ctx, const CsrMatrix<T, S>& M, Span<const T, S> diagonal,
                             MultiVectorView<const T, S> near_nullspace, Index block_size, int level,
                             CouplingKind finer, const AmgOptions& options)
    : options_(options),
      block_size_(block_size),
      level_(level),
      kind_(level == 0 && near_nullspace.columns > block_size ? CouplingKind::directed_once : finer),
      is_signed_(near_nullspace.columns >= block_size && options.strength.measure != StrengthMeasure::symmetric),
      filters_(options.filter.value_or(is_signed_)) {
  {
    ScopedTimer timer(ctx, "strength", level);
    hubs_ = find_hubs(ctx, M, block_size);
    if (hubs_.empty()) {
      find_strong(ctx, M, diagonal, near_nullspace);
    } else {
      rest_ = without_hubs(ctx, M, block_size);
      Buffer<T, S> rest_diagonal(ctx, diagonal.size());
      extract_diagonal<T>(ctx, rest_, rest_diagonal);
      find_strong(ctx, rest_, rest_diagonal.span(), near_nullspace);
    }
  }
  ScopedTimer timer(ctx, "aggregation", level);
  aggregates_ = aggregate(ctx, couplings_.strong, passes_on(level, options), hubs_, root_order(kind_));
  const bool has_plain_blocks = block_size > 1 && near_nullspace.columns <= block_size;
  if (level == 0 && has_plain_blocks && mean_aggregate_size() > largest_plain_aggregate) {
    aggregates_ = aggregate(ctx, couplings_.strong, passes_on(1, options), hubs_);
  }
  if (filter() == nullptr) {
    couplings_.strong = {};
  }
}

template <class T, MemorySpace S>
void Coarsening<T, S>::find_strong(Context<S>& ctx, const CsrMatrix<T, S>& M, Span<const T, S> diagonal,
                                   MultiVectorView<const T, S> near_nullspace) {
  if (!is_signed_) {
    take_symmetric_measure(ctx, M, diagonal);
  } else if (block_size_ > 1 || near_nullspace.columns > 1) {
    find_strong_blocks(ctx, M, diagonal, near_nullspace);
  } else {
    CouplingJudge judge(level_, kind_, options_);
    couplings_ = strong_couplings(ctx, M, diagonal, near_nullspace.span(), first_threshold(level_, kind_, options_),
                                  filters_, nullptr, std::ref(judge));
    threshold_ = couplings_.threshold;
    kind_ = judge.kind();
    if (!judge.is_signed()) {
      take_symmetric_measure(ctx, M, diagonal);
    }
  }
}

template <class T, MemorySpace S>
void Coarsening<T, S>::find_strong_blocks(Context<S>& ctx, const CsrMatrix<T, S>& M, Span<const T, S> diagonal,
                                          MultiVectorView<const T, S> near_nullspace) {
  const auto find = [&](double threshold) {
    threshold_ = threshold;
    couplings_ = strong_block_couplings(ctx, M, near_nullspace, block_size_, threshold_, filters_);
  };
  find(first_threshold(level_, kind_, options_));
  const Graph<S>& strong = couplings_.strong;
  if (!is_signed_measure(static_cast<double>(strong.col_indices.size()), strong.nodes, options_)) {
    take_symmetric_measure(ctx, M, diagonal);
    return;
  }
  if (!options_.filter && couplings_.dropped_weight <= least_block_weight) {
    couplings_.filtered = {};
    couplings_.kept_blocks = {};
    couplings_.dropped_weight = 0.0;
    filters_ = false;
  }
  kind_ = coupling_kind(level_, kind_, couplings_.dropped_weight, couplings_.one_sided_share);
  if (const std::optional<double> threshold = second_threshold(level_, kind_, options_)) {
    find(*threshold);
  }
}

template <class T, MemorySpace S>
void Coarsening<T, S>::take_symmetric_measure(Context<S>& ctx, const CsrMatrix<T, S>& M, Span<const T, S> diagonal) {
  is_signed_ = false;
  kind_ = CouplingKind::plain;
  filters_ = options_.filter.value_or(false);
  threshold_ = options_.strength.threshold.value_or(symmetric_threshold);
  couplings_ = {};
  couplings_.strong = strong_nodes<T>(ctx, M, diagonal, block_size_, threshold_);
}

/// What could be factored may be as dense as it likes.
template <class T, MemorySpace S>
bool Coarsening<T, S>::may_aggregate_anew(Index candidates) const {
  const bool is_free = options_.strength.measure == StrengthMeasure::automatic && !options_.strength.threshold &&
                       !options_.filter && !options_.prolongator_steps;
  return candidates > block_size_ && block_size_ > 1 && is_free && is_signed_ && !filters_ && hubs_.empty() &&
         static_cast<double>(aggregates_.count) * candidates >
             std::max(options_.coarse_size, options_.direct_solve_limit);
}

template <class T, MemorySpace S>
bool Coarsening<T, S>::is_too_dense(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P,
                                    Index candidates) const {
  ScopedTimer timer(ctx, "prolongator", level_);
  return density_above(ctx, options_.density_limit, A, P, candidates) > options_.density_limit;
}

template <class T, MemorySpace S>
double Coarsening<T, S>::mean_aggregate_size() const {
  return static_cast<double>(aggregates_.of_node.size()) / aggregates_.count;
}

template <class T, MemorySpace S>
bool Coarsening<T, S>::stalls(Index candidates) const {
  const double rows = static_cast<double>(aggregates_.of_node.size()) * block_size_;
  const double coarse_rows = static_cast<double>(aggregates_.count) * candidates;
  return aggregates_.count == 0 || coarse_rows > options_.coarsening_stall_ratio * rows;
}

template <class T, MemorySpace S>
InterpolationOperands<T, S> Coarsening<T, S>::operands(const CsrMatrix<T, S>& M, Span<const T, S> diagonal,
                                                       double spectral_radius, const Tentative<T, S>& tentative) const {
  return {M, diagonal, spectral_radius, aggregates_, block_size_, tentative, filter()};
}

template <class T, MemorySpace S>
LevelInterpolation<T, S> Coarsening<T, S>::interpolate(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                                       const CsrMatrix<T, S>& M, Span<const T, S> diagonal,
                                                       double spectral_radius, MultiVectorView<const T, S> candidates,
                                                       bool keeps_patterns) {
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
    chosen = interpolator_.form(ctx, operands(hubs_.empty() ? M : rest, diagonal, spectral_radius, tentative),
                                std::exchange(couplings_.filtered, {}), std::exchange(couplings_.kept_blocks, {}),
                                smoothing_steps(kind_, options_), options_, keeps_patterns);
  };
  const bool may_be_denser = may_aggregate_anew(candidates.columns);
  form();
  if (may_be_denser && is_too_dense(ctx, A, chosen.P, candidates.columns)) {
    ScopedTimer timer(ctx, "aggregation", level_);
    take_symmetric_measure(ctx, M, diagonal);
    aggregates_ = aggregate(ctx, couplings_.strong, passes_on(level_, options_));
    couplings_.strong = {};
    form();
  }
  return result;
}

template <class T, MemorySpace S>
CoarseLevel<T, S> Coarsening<T, S>::form(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                         LevelInterpolation<T, S> interpolation, MultiVector<T, S>& candidates,
                                         bool keeps_patterns) {
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
                                           Span<const T, S> diagonal, double spectral_radius) {
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
  }
  ScopedTimer timer(ctx, "galerkin product", level_);
  coarse.A = patterns_->galerkin.multiply(ctx, coarse.R, A, coarse.P);
  return coarse;
}

#define AMGSOLVE_INSTANTIATE(T, S) template class Coarsening<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
