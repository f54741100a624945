#include "amg/block_couplings.hpp"

#include <utility>

#include "amg/amalgamation.hpp"
#include "amg/block_couplings_steps.hpp"
#include "core/algorithms.hpp"
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
  CsrMatrix<T, S> filtered;
  filtered.rows = A.rows;
  filtered.cols = A.cols;
  filtered.row_offsets = Buffer<Offset, S>(ctx, n + 1);
  lump_blocks<T>(ctx, filter, A.nnz(), filtered.row_offsets.span().subspan(1, n));
  const auto nnz = static_cast<std::size_t>(counts_to_offsets(ctx, filtered.row_offsets));
  filtered.col_indices = Buffer<Index, S>(ctx, nnz);
  filtered.values = Buffer<T, S>(ctx, nnz);
  fill_filtered<T>(ctx, filter, A.nnz(), filtered);
  ctx.profile().add({.bytes = static_cast<std::int64_t>(2 * A.bytes() + filtered.bytes() + 6 * entries * sizeof(T)),
                     .flops = static_cast<std::int64_t>(entries) * block_size * 4});
  return filtered;
}

template <class T, MemorySpace S>
Couplings<T, S> strong_block_couplings(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                       std::type_identity_t<MultiVectorView<const T, S>> candidates, Index block_size,
                                       double threshold, bool filter) {
  const CsrMatrix<T, S> nodes = amalgamate(ctx, A, block_size, candidates);
  Buffer<T, S> diagonal(ctx, static_cast<std::size_t>(nodes.rows));
  extract_diagonal<T>(ctx, nodes, diagonal);
  Buffer<T, S> magnitudes(ctx, static_cast<std::size_t>(nodes.rows));
  candidate_magnitudes<T>(ctx, candidates, block_size, magnitudes);
  Couplings<T, S> result = strong_couplings<T>(ctx, nodes, std::as_const(diagonal).span(),
                                               std::as_const(magnitudes).span(), threshold, filter);
  if (block_size > 1) {
    result.one_sided_share = 0.0;  // that of traces tells of no unknowns
  }
  if (result.is_filtered()) {
    result.kept_blocks = std::move(result.filtered);
    result.kept_blocks.values = {};
    result.filtered = filter_blocks(ctx, A, candidates, block_size, result.kept_blocks);
  }
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                  \
  template Couplings<T, S> strong_block_couplings(                                                                  \
      Context<S>&, const CsrMatrix<T, S>&, std::type_identity_t<MultiVectorView<const T, S>>, Index, double, bool); \
  template CsrMatrix<T, S> filter_blocks(Context<S>&, const CsrMatrix<T, S>&, MultiVectorView<const T, S>, Index,   \
                                         const CsrMatrix<T, S>&);
AMGSOLVE_INSTANTIATE(float, Host)
AMGSOLVE_INSTANTIATE(double, Host)
#if AMGSOLVE_HAVE_CUDA
AMGSOLVE_INSTANTIATE(float, Cuda)
AMGSOLVE_INSTANTIATE(double, Cuda)
#endif
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
