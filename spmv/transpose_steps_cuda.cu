#include <limits>

#include "core/radix_pairs_cuda.hpp"
#include "core/search.hpp"
#include "spmv/index_bits.hpp"
#include "spmv/row_lanes_cuda.cuh"
#include "spmv/transpose_rows.hpp"

namespace amgsolve {
namespace {

/// @tparam Word  holds the number of any entry
template <class Word, class T, class Write>
void sort_entries(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<Offset, Cuda> row_offsets, const Write& write) {
  const Offset n = A.nnz();
  WorkspaceScope scope(ctx.workspace());
  RadixPairs<Word> entries(scope, static_cast<std::size_t>(n));
  Index* const row_of = scope.take<Index>(static_cast<std::size_t>(n)).data();
  Word* const columns = entries.keys();
  Word* const numbers = entries.values();
  const Offset* const offsets = A.row_offsets.data();
  const Index* const col_indices = A.col_indices.data();
  parallel_entries(ctx, A.rows, n, offsets, [=] __device__(std::int64_t row, Offset k) {
    columns[k] = static_cast<Word>(col_indices[k]);
    numbers[k] = static_cast<Word>(k);
    row_of[k] = static_cast<Index>(row);
  });
  entries.sort(ctx, bits_below(A.cols));

  const Word* const sorted_columns = entries.keys();
  const Word* const sorted = entries.values();
  Offset* const offsets_out = row_offsets.data();
  parallel_for(ctx, std::int64_t{A.cols} + 1, [=] __device__(std::int64_t column) {
    offsets_out[column] = lower_bound(sorted_columns, 0, n, static_cast<Word>(column));
  });
  parallel_for(ctx, n, [=] __device__(std::int64_t i) {
    const auto k = static_cast<Offset>(sorted[i]);
    write(i, row_of[k], k);
  });
}

}  // namespace

/// By a radix sort; `write` can be called on the device, by neighbouring threads for neighbouring positions.
template <class T, class Write>
void sort_by_column(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<Offset, Cuda> row_offsets,
                    const Write& write) {
  if (A.nnz() <= Offset{std::numeric_limits<std::uint32_t>::max()}) {
    sort_entries<std::uint32_t>(ctx, A, row_offsets, write);
  } else {
    sort_entries<std::uint64_t>(ctx, A, row_offsets, write);
  }
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
