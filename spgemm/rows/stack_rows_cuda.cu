#include <utility>

#include "core/copy.hpp"
#include "core/parallel_cuda.cuh"
#include "core/timer.hpp"
#include "spgemm/rows/stack_rows_cuda.hpp"

namespace amgsolve {

template <class T>
CsrMatrix<T, Cuda> stack_rows(Context<Cuda>& ctx, Index cols, std::vector<CsrMatrix<T, Cuda>> parts) {
  if (parts.size() == 1) {
    return std::move(parts.front());
  }
  ScopedTimer timer(ctx, "concatenation");
  Index rows = 0;
  Offset nnz = 0;
  for (const CsrMatrix<T, Cuda>& part : parts) {
    rows += part.rows;
    nnz += part.nnz();
  }
  CsrMatrix<T, Cuda> C(ctx, rows, cols, nnz);
  set_zero(ctx, C.row_offsets.span().subspan(0, 1));
  Index first_row = 0;
  Offset first_entry = 0;
  for (CsrMatrix<T, Cuda>& part : parts) {
    const auto entry = static_cast<std::size_t>(first_entry);
    const std::size_t entries = part.values.size();
    copy(ctx, part.col_indices.span(), C.col_indices.span().subspan(entry, entries));
    copy(ctx, part.values.span(), C.values.span().subspan(entry, entries));
    parallel_for(ctx, std::int64_t{part.rows} + 1,
                 [from = part.row_offsets.data(), to = C.row_offsets.data() + first_row,
                  first_entry] __device__(std::int64_t i) { to[i] = first_entry + from[i]; });
    first_row += part.rows;
    first_entry += part.nnz();
    part = {};
  }
  return C;
}

template CsrMatrix<float, Cuda> stack_rows(Context<Cuda>&, Index, std::vector<CsrMatrix<float, Cuda>>);
template CsrMatrix<double, Cuda> stack_rows(Context<Cuda>&, Index, std::vector<CsrMatrix<double, Cuda>>);

}  // namespace amgsolve
