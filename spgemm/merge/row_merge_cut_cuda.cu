#include "core/algorithms.hpp"
#include "core/parallel_cuda.cuh"
#include "core/search.hpp"
#include "spgemm/merge/row_merge_rows_cuda.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {

template <class T>
CutRows<T> cut_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  CutRows<T> cut;
  cut.sums.rows = A.rows;
  cut.sums.row_offsets = Buffer<Offset, Cuda>(ctx, static_cast<std::size_t>(A.rows) + 1);
  const Offset* const a_offsets = A.row_offsets.data();
  Offset* const first_pieces = cut.sums.row_offsets.data();
  parallel_for(ctx, A.rows, [=] __device__(std::int64_t row) {
    first_pieces[row + 1] = (a_offsets[row + 1] - a_offsets[row] + merge::width - 1) / merge::width;
  });
  const Offset pieces = counts_to_offsets(ctx, cut.sums.row_offsets);
  cut.sums.cols = checked_index(pieces, "pieces of rows of a sparse product");
  cut.sums.col_indices = Buffer<Index, Cuda>(ctx, static_cast<std::size_t>(pieces));
  cut.sums.values = Buffer<T, Cuda>(ctx, static_cast<std::size_t>(pieces));
  cut.pieces = borrow(A);
  cut.pieces.rows = cut.sums.cols;
  cut.pieces.row_offsets = Buffer<Offset, Cuda>(ctx, static_cast<std::size_t>(pieces) + 1);
  Offset* const offsets = cut.pieces.row_offsets.data();
  Index* const cols = cut.sums.col_indices.data();
  T* const values = cut.sums.values.data();
  const Index rows = A.rows;
  parallel_for(ctx, pieces + 1, [=] __device__(std::int64_t piece) {
    if (piece == pieces) {
      offsets[piece] = a_offsets[rows];
      return;
    }
    // The last row that begins at this piece or before it.
    const std::int64_t row = lower_bound(first_pieces, 0, rows, Offset{piece} + 1) - 1;
    offsets[piece] = a_offsets[row] + (piece - first_pieces[row]) * merge::width;
    cols[piece] = static_cast<Index>(piece);
    values[piece] = T{1};
  });
  return cut;
}

template CutRows<float> cut_rows(Context<Cuda>&, const CsrMatrix<float, Cuda>&);
template CutRows<double> cut_rows(Context<Cuda>&, const CsrMatrix<double, Cuda>&);

}  // namespace amgsolve
