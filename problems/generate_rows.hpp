#pragma once

#include "core/algorithms.hpp"
#include "core/instantiate.hpp"
#include "problems/elastic_stencil.hpp"
#include "problems/generate.hpp"
#include "problems/stencil.hpp"

namespace amgsolve {

/// Rows that a stencil gives as arrays in CSR, written once for both memory spaces: parallel_for is that of the
/// context. On a device a thread makes a row: rows are short and neighbours in memory, so that what a warp writes meets
/// again in the L2 cache.
/// @tparam Column  a number of 32 or 64 bits
template <class Column, class T, MemorySpace S, class RowStencil>
void generate_rows(Context<S>& ctx, const RowStencil& stencil, RowRange rows, Buffer<Offset, S>& row_offsets,
                   Buffer<Column, S>& col_indices, Buffer<T, S>& row_values) {
  const std::int64_t first = rows.first;
  row_offsets = Buffer<Offset, S>(ctx, static_cast<std::size_t>(rows.count()) + 1);
  Offset* const offsets = row_offsets.data();
  parallel_for(ctx, rows.count(), [stencil, offsets, first] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    offsets[i + 1] = row_length(stencil, first + i);
  });
  const auto nnz = static_cast<std::size_t>(counts_to_offsets(ctx, row_offsets.span()));
  col_indices = Buffer<Column, S>(ctx, nnz);
  row_values = Buffer<T, S>(ctx, nnz);
  Column* const columns = col_indices.data();
  T* const values = row_values.data();
  parallel_for(ctx, rows.count(), [stencil, offsets, columns, values, first] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    fill_row(stencil, first + i, columns + offsets[i], values + offsets[i]);
  });
}

template <class Column, class T, MemorySpace S>
void generate_rows(Context<S>& ctx, const GeneratedProblem& problem, RowRange range, Buffer<Offset, S>& row_offsets,
                   Buffer<Column, S>& col_indices, Buffer<T, S>& values) {
  problem.validate();
  const RowRange rows = problem.rows(range);
  if (problem.pde == Pde::elasticity) {
    generate_rows(ctx, make_elastic_stencil(problem), rows, row_offsets, col_indices, values);
  } else {
    generate_rows(ctx, make_stencil(problem), rows, row_offsets, col_indices, values);
  }
}

template <class T, MemorySpace S>
CsrMatrix<T, S> generate_matrix(Context<S>& ctx, const GeneratedProblem& problem) {
  CsrMatrix<T, S> A;
  generate_rows(ctx, problem, all_rows, A.row_offsets, A.col_indices, A.values);
  A.rows = A.cols = static_cast<Index>(A.row_offsets.size() - 1);
  return A;
}

template <class T, MemorySpace S>
RankRows<T, S> generate_strip(Context<S>& ctx, const GeneratedProblem& problem, RowRange rows) {
  RankRows<T, S> strip;
  if (problem.unknowns() <= max_index) {
    strip.col_indices.template emplace<Buffer<Index, S>>();
  }
  std::visit([&](auto& columns) { generate_rows(ctx, problem, rows, strip.row_offsets, columns, strip.values); },
             strip.col_indices);
  return strip;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                \
  template CsrMatrix<T, S> generate_matrix(Context<S>&, const GeneratedProblem&); \
  template RankRows<T, S> generate_strip(Context<S>&, const GeneratedProblem&, RowRange);

}  // namespace amgsolve
