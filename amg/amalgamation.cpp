#include "amg/amalgamation.hpp"

#include <stdexcept>

#include "amg/amalgamation_steps.hpp"
#include "core/collectively.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {
namespace {

/// The matrix of A's blocks, of which the rows are counted.
template <class T, MemorySpace S>
CsrMatrix<T, S> counted_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size) {
  if (A.rows != A.cols || block_size < 1 || A.rows % block_size != 0) {
    throw std::invalid_argument(
        format_text("amalgamation: a {} x {} matrix has no square blocks of {}", A.rows, A.cols, block_size));
  }
  CsrMatrix<T, S> nodes = uncounted_matrix<T>(ctx, A.rows / block_size, A.rows / block_size);
  count_blocks(ctx, A, block_size, row_counts(nodes));
  return nodes;
}

}  // namespace

template <class T, MemorySpace S>
double share_of_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, const Communicator& ranks) {
  Offset blocks = 0;
  collectively(ranks, [&] {
    CsrMatrix<T, S> nodes = counted_blocks(ctx, A, block_size);
    blocks = counts_to_offsets(ctx, nodes.row_offsets);
  });
  ctx.profile().add({.bytes = static_cast<std::int64_t>(A.bytes()), .flops = 0});
  return static_cast<double>(ranks.sum(A.nnz())) / (static_cast<double>(ranks.sum(blocks)) * block_size * block_size);
}

template <class T, MemorySpace S>
CsrMatrix<T, S> amalgamate(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size,
                           std::type_identity_t<MultiVectorView<const T, S>> candidates) {
  if (candidates.data != nullptr && (candidates.rows != A.rows || candidates.columns < block_size)) {
    throw std::invalid_argument(format_text("amalgamation: blocks of {} in {} rows, {} candidates of {} rows",
                                            block_size, A.rows, candidates.columns, candidates.rows));
  }
  CsrMatrix<T, S> nodes = counted_blocks(ctx, A, block_size);
  allocate_entries(ctx, nodes);
  fill_blocks<T>(ctx, A, block_size, candidates, nodes);
  ctx.profile().add({.bytes = static_cast<std::int64_t>(2 * A.bytes() + nodes.bytes()), .flops = 2 * A.nnz()});
  return nodes;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                  \
  template double share_of_blocks(Context<S>&, const CsrMatrix<T, S>&, Index, const Communicator&); \
  template CsrMatrix<T, S> amalgamate(Context<S>&, const CsrMatrix<T, S>&, Index,                   \
                                      std::type_identity_t<MultiVectorView<const T, S>>);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
