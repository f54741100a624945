#pragma once

#include "spmv/counting_sort_host.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/parallel_rows_host.hpp"

namespace amgsolve {

/// See transpose_rows.hpp. By counting, stably; all that it allocates it does before it calls `write`.
template <class T, class Write>
void sort_by_column(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<Offset, Host> row_offsets,
                    const Write& write) {
  const Offset* offsets = A.row_offsets.data();
  const Index* columns = A.col_indices.data();
  counting_sort(
      ctx, A.nnz(), A.cols, row_offsets,
      [&](std::int64_t chunk, std::int64_t chunks, const auto& sink) {
        const Index last = balanced_split(A.rows, offsets, chunk + 1, chunks);
        for (Index row = balanced_split(A.rows, offsets, chunk, chunks); row < last; ++row) {
          for (Offset k = offsets[row]; k < offsets[row + 1]; ++k) {
            sink(columns[k], row, k);
          }
        }
      },
      write);
}

}  // namespace amgsolve
