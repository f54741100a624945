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
    const auto put = [&](Offset k, Index column, T value) {
      columns[place + k] = column + piece.shift;
      values[place + k] = value;
    };
    Offset k = lanes.thread_rank();
    for (const Offset step = lanes.num_threads(); k < length; k += 2 * step) {
      // Both are on their way before the first is written.
      const bool has_second = k + step < length;
      const Offset second = begin + (has_second ? k + step : k);
      const Index column = piece.columns[begin + k];
      const T value = piece.values[begin + k];
      const Index second_column = piece.columns[second];
      const T second_value = piece.values[second];
      put(k, column, value);
      if (has_second) {
        put(k + step, second_column, second_value);
      }
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
