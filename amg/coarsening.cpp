#include "amg/coarsening.hpp"

#include <algorithm>
#include <utility>

#include "amg/amalgamation.hpp"
#include "amg/prolongator.hpp"
#include "amg/strength.hpp"
#include "amg/tentative.hpp"
#include "core/timer.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

int passes_on(int level, const AmgOptions& options) {
  const auto& passes = options.aggregation_passes;
  return passes[std::min(static_cast<std::size_t>(level), passes.size() - 1)];
}

/// The graph of strong connections between nodes of block_size unknowns.
template <class T, MemorySpace S>
Graph<S> strong_connections(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const T, S> diagonal, Index block_size,
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
Coarsening<T, S>::Coarsening(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const T, S> diagonal, Index block_size,
                             int level, const AmgOptions& options)
    : options_(options), block_size_(block_size), level_(level) {
  {
    ScopedTimer timer(ctx, "strength", level);
    strong_ = strong_connections<T>(ctx, A, diagonal, block_size, options.strength_threshold);
  }
  ScopedTimer timer(ctx, "aggregation", level);
  aggregates_ = aggregate(ctx, strong_, passes_on(level, options));
  if (filter() == nullptr) {
    strong_ = {};
  }
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
T Coarsening<T, S>::damping(double spectral_radius) const {
  return spectral_radius > 0.0 ? static_cast<T>(options_.prolongator_damping / spectral_radius) : T{0};
}

template <class T, MemorySpace S>
CoarseLevel<T, S> Coarsening<T, S>::form(Context<S>& ctx, const CsrMatrix<T, S>& A, double spectral_radius,
                                         FatVector<T, S>& candidates, bool keep_patterns) {
  Tentative<T, S> tentative;
  {
    ScopedTimer timer(ctx, "tentative", level_);
    tentative = tentative_prolongator<T>(ctx, aggregates_, block_size_, candidates);
  }
  candidates = std::move(tentative.coarse_candidates);
  CoarseLevel<T, S> coarse;
  {
    ScopedTimer timer(ctx, "prolongator", level_);
    coarse.P = smoothed_prolongator<T>(ctx, A, filter(), aggregates_, block_size_, tentative, damping(spectral_radius));
  }
  if (keep_patterns) {
    return keep(ctx, A, std::move(tentative), std::move(coarse.P));
  }
  {
    ScopedTimer timer(ctx, "transpose", level_);
    coarse.R = transpose(ctx, coarse.P);
  }
  ScopedTimer timer(ctx, "galerkin product", level_);
  GalerkinStatistics* products = options_.spgemm.statistics ? &coarse.products.emplace() : nullptr;
  coarse.A = galerkin_product(ctx, coarse.R, A, coarse.P, options_.spgemm, products);
  return coarse;
}

template <class T, MemorySpace S>
CoarseLevel<T, S> Coarsening<T, S>::keep(Context<S>& ctx, const CsrMatrix<T, S>& A, Tentative<T, S> tentative,
                                         CsrMatrix<T, S> P) {
  std::optional<TransposePlan<T, S>> transpose_plan;
  CoarseLevel<T, S> coarse;
  {
    ScopedTimer timer(ctx, "transpose", level_);
    transpose_plan.emplace(ctx, P);
    coarse.R = transpose_plan->transpose(ctx, P);
  }
  ScopedTimer timer(ctx, "galerkin product", level_);
  GalerkinPlan<T, S> galerkin_plan(ctx, coarse.R, A, P, options_.spgemm);
  coarse.A = galerkin_plan.multiply(ctx, coarse.R, A, P);
  Buffer<T, S> values = std::move(P.values);
  patterns_.emplace(Patterns{std::move(tentative), std::move(P), std::move(*transpose_plan), std::move(galerkin_plan)});
  coarse.P = borrow(patterns_->P);
  coarse.P.values = std::move(values);
  return coarse;
}

template <class T, MemorySpace S>
CoarseLevel<T, S> Coarsening<T, S>::update(Context<S>& ctx, const CsrMatrix<T, S>& A, double spectral_radius) const {
  CoarseLevel<T, S> coarse;
  {
    ScopedTimer timer(ctx, "prolongator", level_);
    coarse.P = borrow_pattern(ctx, patterns_->P);
    update_smoothed_prolongator<T>(ctx, A, filter(), aggregates_, block_size_, patterns_->tentative,
                                   damping(spectral_radius), coarse.P);
  }
  {
    ScopedTimer timer(ctx, "transpose", level_);
    coarse.R = patterns_->transpose.transpose(ctx, coarse.P);
  }
  ScopedTimer timer(ctx, "galerkin product", level_);
  coarse.A = patterns_->galerkin.multiply(ctx, coarse.R, A, coarse.P);
  return coarse;
}

template class Coarsening<float, Host>;
template class Coarsening<double, Host>;
#if AMGSOLVE_HAVE_CUDA
template class Coarsening<float, Cuda>;
template class Coarsening<double, Cuda>;
#endif

}  // namespace amgsolve
