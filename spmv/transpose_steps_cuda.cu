#include "spmv/transpose_rows.hpp"

#include "core/algorithms.hpp"
#include "core/search.hpp"
#include "spmv/index_bits.hpp"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {

/// By a radix sort; `write` can be called on the device, by neighbouring threads for neighbouring positions.
template <class T, class Write>
void sort_by_column(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<Offset, Cuda> row_offsets,
                    const Write& write) {
  const Offset n = A.nnz();
  WorkspaceScope scope(ctx.workspace());
  const auto column_span = scope.take<std::uint64_t>(static_cast<std::size_t>(n));
  const auto source_span = scope.take<Offset>(static_cast<std::size_t>(n));
  std::uint64_t* const columns = column_span.data();
  Offset* const sources = source_span.data();
  const Offset* offsets = A.row_offsets.data();
  const Index* col_indices = A.col_indices.data();
  // A row and the place of an entry in it fit into one word of the sort, which tells both afterwards.
  constexpr int place_bits = 32;
  parallel_entries(ctx, A.rows, offsets, [=] __device__(std::int64_t row, Offset entry) {
    columns[entry] = static_cast<std::uint64_t>(col_indices[entry]);
    sources[entry] = (row << place_bits) | (entry - offsets[row]);
  });
  sort_pairs(ctx, column_span, source_span, bits_below(A.cols));

  Offset* const offsets_out = row_offsets.data();
  parallel_for(ctx, std::int64_t{A.cols} + 1, [=] __device__(std::int64_t column) {
    offsets_out[column] = lower_bound(columns, 0, n, static_cast<std::uint64_t>(column));
  });
  parallel_for(ctx, n, [=] __device__(std::int64_t i) {
    const auto row = static_cast<Index>(sources[i] >> place_bits);
    write(i, row, offsets[row] + (sources[i] & ((Offset{1} << place_bits) - 1)));
  });
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
