#include "amg/block_couplings.hpp"

#include <utility>

#include "amg/amalgamation.hpp"
#include "amg/block_couplings_steps.hpp"
#include "core/algorithms.hpp"
#include "core/collectively.hpp"
#include "core/instantiate.hpp"
#include "dist/halo.hpp"
#include "spmv/counted_rows.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
CsrMatrix<T, S> filter_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A,
                              std::type_identity_t<MultiVectorView<const T, S>> candidates, Index block_size,
                              const CsrMatrix<T, S>& kept_blocks) {
  const auto n = static_cast<std::size_t>(A.rows);
  const std::size_t entries = n * static_cast<std::size_t>(block_size);
  WorkspaceScope<S> scope(ctx.workspace());
  const BlockFilter<T, S> filter{.A = ref_of(A),
                                 .kept = ref_of(kept_blocks),
                                 .candidates = candidates,
                                 .block_size = block_size,
                                 .lumps = scope.template take<T>(entries).data(),
                                 .basis = scope.template take<T>(entries).data(),
                                 .pivots = scope.template take<Index>(n).data()};
  CsrMatrix<T, S> filtered = uncounted_matrix<T>(ctx, A.rows, A.cols);
  lump_blocks<T>(ctx, filter, A.nnz(), row_counts(filtered));
  allocate_entries(ctx, filtered);
  fill_filtered<T>(ctx, filter, A.nnz(), filtered);
  ctx.profile().add({.bytes = static_cast<std::int64_t>(2 * A.bytes() + filtered.bytes() + 6 * entries * sizeof(T)),
                     .flops = static_cast<std::int64_t>(entries) * block_size * 4});
  return filtered;
}

template <class T, MemorySpace S>
Couplings<T, S> strong_block_couplings(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                       std::type_identity_t<MultiVectorView<const T, S>> candidates, Index block_size,
                                       double threshold, bool filter, std::type_identity_t<const Layout<S>*> window) {
  const Communicator& ranks = ranks_of(ctx, window);
  Buffer<T, S> with_ghosts;
  MultiVectorView<const T, S> all = candidates;
  if (window != nullptr) {
    with_ghosts = window_of<T, S>(ctx, *window, candidates.span(), block_size * candidates.columns);
    all = {with_ghosts.data(), A.rows, candidates.columns};
  }
  CsrMatrix<T, S> nodes;
  Buffer<T, S> diagonal;
  Buffer<T, S> magnitudes;
  collectively(ranks, [&] {
    nodes = amalgamate(ctx, A, block_size, all);
    diagonal = diagonal_of(ctx, nodes);
    magnitudes = Buffer<T, S>(ctx, static_cast<std::size_t>(nodes.rows));
    candidate_magnitudes<T>(ctx, all, block_size, magnitudes);
  });
  const auto own = [&](const Buffer<T, S>& values) {
    return window == nullptr ? values.span()
                             : values.span().subspan(static_cast<std::size_t>(window->first_own()),
                                                     static_cast<std::size_t>(window->own_rows()));
  };
  Couplings<T, S> result = strong_couplings<T>(ctx, nodes, own(diagonal), own(magnitudes), threshold, filter, window);
  if (block_size > 1) {
    result.one_sided_share = 0.0;  // that of traces tells of no unknowns
  }
  if (ranks.max(result.filtered.rows) > 0) {  // a rank may have no rows
    result.kept_blocks = std::move(result.filtered);
    result.kept_blocks.values = {};
    collectively(ranks, [&] { result.filtered = filter_blocks(ctx, A, all, block_size, result.kept_blocks); });
  }
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                  \
  template Couplings<T, S> strong_block_couplings(Context<S>&, const CsrMatrix<T, S>&,                              \
                                                  std::type_identity_t<MultiVectorView<const T, S>>, Index, double, \
                                                  bool, std::type_identity_t<const Layout<S>*>);                    \
  template CsrMatrix<T, S> filter_blocks(Context<S>&, const CsrMatrix<T, S>&, MultiVectorView<const T, S>, Index,   \
                                         const CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
