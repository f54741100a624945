#include "core/algorithms.hpp"
#include "core/parallel_cuda.cuh"
#include "problems/generate.hpp"
#include "problems/stencil.hpp"

namespace amgsolve {

// A thread a row. Rows are short and neighbours in memory, so that what a warp writes meets again in the L2 cache.
template <class T>
CsrMatrix<T, Cuda> generate_matrix(Context<Cuda>& ctx, const GeneratedProblem& problem) {
  const Stencil stencil = make_stencil(problem);
  const Index rows = problem.grid.unknowns();

  CsrMatrix<T, Cuda> A;
  A.rows = rows;
  A.cols = rows;
  A.row_offsets = Buffer<Offset, Cuda>(ctx, static_cast<std::size_t>(rows) + 1);
  Offset* offsets = A.row_offsets.data();
  parallel_for(ctx, rows, [stencil, offsets] __device__(std::int64_t i) {
    offsets[i + 1] = row_length(stencil, static_cast<Index>(i));
  });
  const auto nnz = static_cast<std::size_t>(counts_to_offsets(ctx, A.row_offsets));

  A.col_indices = Buffer<Index, Cuda>(ctx, nnz);
  A.values = Buffer<T, Cuda>(ctx, nnz);
  Index* columns = A.col_indices.data();
  T* values = A.values.data();
  parallel_for(ctx, rows, [stencil, offsets, columns, values] __device__(std::int64_t i) {
    fill_row(stencil, static_cast<Index>(i), columns + offsets[i], values + offsets[i]);
  });
  return A;
}

template CsrMatrix<float, Cuda> generate_matrix(Context<Cuda>&, const GeneratedProblem&);
template CsrMatrix<double, Cuda> generate_matrix(Context<Cuda>&, const GeneratedProblem&);

}  // namespace amgsolve
