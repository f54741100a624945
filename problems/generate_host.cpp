#include <utility>

#include "core/algorithms.hpp"
#include "core/parallel_host.hpp"
#include "problems/generate.hpp"
#include "problems/stencil.hpp"

namespace amgsolve {

template <class T>
CsrMatrix<T, Host> generate_matrix(Context<Host>& ctx, const GeneratedProblem& problem) {
  const Stencil stencil = make_stencil(problem);
  const Index rows = problem.grid.unknowns();

  CsrMatrix<T, Host> A;
  A.rows = rows;
  A.cols = rows;
  A.row_offsets = Buffer<Offset, Host>(ctx, static_cast<std::size_t>(rows) + 1);
  parallel_for(ctx, rows, [&](std::int64_t i) {
    A.row_offsets[static_cast<std::size_t>(i) + 1] = row_length(stencil, static_cast<Index>(i));
  });
  const auto nnz = static_cast<std::size_t>(counts_to_offsets(ctx, A.row_offsets));

  A.col_indices = Buffer<Index, Host>(ctx, nnz);
  A.values = Buffer<T, Host>(ctx, nnz);
  parallel_for(ctx, rows, [&](std::int64_t i) {
    const Offset first = A.row_offsets[static_cast<std::size_t>(i)];
    fill_row(stencil, static_cast<Index>(i), A.col_indices.data() + first, A.values.data() + first);
  });
  return A;
}

template CsrMatrix<float, Host> generate_matrix(Context<Host>&, const GeneratedProblem&);
template CsrMatrix<double, Host> generate_matrix(Context<Host>&, const GeneratedProblem&);

}  // namespace amgsolve
