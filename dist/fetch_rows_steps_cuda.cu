#include "core/instantiate.hpp"
#include "dist/fetch_rows_rows.hpp"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve::detail {

template <class T>
void append_rows(Context<Cuda>& ctx, Index count, Span<const Index, Cuda> rows, const Piece<T>& piece,
                 Span<Offset, Cuda> next_of_rows, CsrMatrix<T, Cuda>& whole) {
  const Index* const row_of = rows.empty() ? nullptr : rows.data();
  Offset* const next = next_of_rows.data();
  Index* const columns = whole.col_indices.data();
  T* const values = whole.values.data();
  parallel_rows(ctx, count, [=] __device__(const RowLanes& lanes, std::int64_t i) {
    const std::int64_t row = row_of == nullptr ? i : row_of[i];
    const Offset place = next[row];
    const Offset begin = piece.offsets[i];
    const Offset length = piece.offsets[i + 1] - begin;
    for (Offset k = lanes.thread_rank(); k < length; k += lanes.num_threads()) {
      columns[place + k] = piece.columns[begin + k] + piece.shift;
      values[place + k] = piece.values[begin + k];
    }
    lanes.sync();  // all have read where the row goes on
    if (lanes.thread_rank() == 0) {
      next[row] = place + length;
    }
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                      \
  template void append_rows(Context<S>&, Index, Span<const Index, S>, const Piece<T>&, Span<Offset, S>, \
                            CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)
AMGSOLVE_INSTANTIATE_FETCH_STEPS(Cuda)

}  // namespace amgsolve::detail
