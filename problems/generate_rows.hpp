#pragma once

#include "core/algorithms.hpp"
#include "problems/generate.hpp"
#include "problems/stencil.hpp"

namespace amgsolve {

/// The body of generate_matrix, written once for both memory spaces: parallel_for is that of the context. On a device a
/// thread makes a row: rows are short and neighbours in memory, so that what a warp writes meets again in the L2 cache.
template <class T, MemorySpace S>
CsrMatrix<T, S> generate_rows(Context<S>& ctx, const GeneratedProblem& problem, RowRange range) {
  const Stencil stencil = make_stencil(problem);
  const Index cols = checked_index(problem.grid.unknowns(), "unknowns of the grid");
  const RowRange rows = problem.grid.rows(range);
  const std::int64_t first = rows.first;

  CsrMatrix<T, S> A;
  A.rows = static_cast<Index>(rows.count());
  A.cols = cols;
  A.row_offsets = Buffer<Offset, S>(ctx, static_cast<std::size_t>(A.rows) + 1);
  Offset* offsets = A.row_offsets.data();
  parallel_for(ctx, A.rows, [stencil, offsets, first] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    offsets[i + 1] = row_length(stencil, first + i);
  });
  const auto nnz = static_cast<std::size_t>(counts_to_offsets(ctx, A.row_offsets));

  A.col_indices = Buffer<Index, S>(ctx, nnz);
  A.values = Buffer<T, S>(ctx, nnz);
  Index* columns = A.col_indices.data();
  T* values = A.values.data();
  parallel_for(ctx, A.rows, [stencil, offsets, columns, values, first] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    fill_row(stencil, first + i, columns + offsets[i], values + offsets[i]);
  });
  return A;
}

}  // namespace amgsolve
