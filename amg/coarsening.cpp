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
CoarseLevel<T, S> Coarsening<T, S>::form(Context<S>& ctx, const CsrMatrix<T, S>& A, double spectral_radius,
                                         FatVector<T, S>& candidates) const {
  Tentative<T, S> tentative;
  {
    ScopedTimer timer(ctx, "tentative", level_);
    tentative = tentative_prolongator<T>(ctx, aggregates_, block_size_, candidates);
  }
  CoarseLevel<T, S> coarse;
  {
    ScopedTimer timer(ctx, "prolongator", level_);
    const double damping = spectral_radius > 0.0 ? options_.prolongator_damping / spectral_radius : 0.0;
    coarse.P = smoothed_prolongator<T>(ctx, A, options_.filter_prolongator ? &strong_ : nullptr, aggregates_,
                                       block_size_, tentative, static_cast<T>(damping));
  }
  {
    ScopedTimer timer(ctx, "transpose", level_);
    coarse.R = transpose(ctx, coarse.P);
  }
  {
    ScopedTimer timer(ctx, "galerkin product", level_);
    GalerkinStatistics* products = options_.spgemm.statistics ? &coarse.products.emplace() : nullptr;
    coarse.A = galerkin_product(ctx, coarse.R, A, coarse.P, options_.spgemm, products);
  }
  candidates = std::move(tentative.coarse_candidates);
  return coarse;
}

template class Coarsening<float, Host>;
template class Coarsening<double, Host>;
#if AMGSOLVE_HAVE_CUDA
template class Coarsening<float, Cuda>;
template class Coarsening<double, Cuda>;
#endif

}  // namespace amgsolve
