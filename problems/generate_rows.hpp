#pragma once

#include "core/instantiate.hpp"
#include "problems/elastic_stencil.hpp"
#include "problems/generate.hpp"
#include "problems/stencil.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {

/// The matrix whose rows a stencil gives, written once for both memory spaces: parallel_for is that of the context. On
/// a device a thread makes a row: rows are short and neighbours in memory, so that what a warp writes meets again in
/// the L2 cache.
template <class T, MemorySpace S, class RowStencil>
CsrMatrix<T, S> generate_rows(Context<S>& ctx, const GeneratedProblem& problem, const RowStencil& stencil,
                              RowRange range) {
  const Index cols = checked_index(problem.unknowns(), "unknowns of the grid");
  const RowRange rows = problem.rows(range);
  const std::int64_t first = rows.first;

  CsrMatrix<T, S> A = uncounted_matrix<T>(ctx, static_cast<Index>(rows.count()), cols);
  Offset* offsets = A.row_offsets.data();
  parallel_for(ctx, A.rows, [stencil, offsets, first] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    offsets[i + 1] = row_length(stencil, first + i);
  });
  allocate_entries(ctx, A);
  Index* columns = A.col_indices.data();
  T* values = A.values.data();
  parallel_for(ctx, A.rows, [stencil, offsets, columns, values, first] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    fill_row(stencil, first + i, columns + offsets[i], values + offsets[i]);
  });
  return A;
}

template <class T, MemorySpace S>
CsrMatrix<T, S> generate_matrix(Context<S>& ctx, const GeneratedProblem& problem, RowRange range) {
  return problem.pde == Pde::elasticity ? generate_rows<T>(ctx, problem, make_elastic_stencil(problem), range)
                                        : generate_rows<T>(ctx, problem, make_stencil(problem), range);
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template CsrMatrix<T, S> generate_matrix(Context<S>&, const GeneratedProblem&, RowRange);

}  // namespace amgsolve
