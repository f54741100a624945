#include "spgemm/rows/row_products.hpp"

#include "core/parallel_cuda.cuh"

namespace amgsolve {
namespace {

// As many entries as common rows have, so that they are read coalesced.
constexpr int lanes_of_row = 8;

/// Some lanes a row, neighbouring entries on neighbouring lanes.
__global__ void count_row_products_kernel(Index rows, const Offset* a_offsets, const Index* a_cols,
                                          const Offset* b_offsets, Offset* products) {
  const std::int64_t row = thread_index() / lanes_of_row;
  const int lane = static_cast<int>(threadIdx.x) % lanes_of_row;
  Offset sum = 0;
  if (row < rows) {
    for (Offset k = a_offsets[row] + lane; k < a_offsets[row + 1]; k += lanes_of_row) {
      sum += b_offsets[a_cols[k] + 1] - b_offsets[a_cols[k]];
    }
  }
  sum = sum_lanes<lanes_of_row>(sum);
  if (row < rows && lane == 0) {
    products[row] = sum;
  }
}

}  // namespace

template <class T>
void count_row_products(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                        Span<Offset, Cuda> products) {
  launch(ctx, count_row_products_kernel, Grid::of_lanes(A.rows, lanes_of_row), A.rows, A.row_offsets.data(),
         A.col_indices.data(), B.row_offsets.data(), products.data());
}

template void count_row_products(Context<Cuda>&, const CsrMatrix<float, Cuda>&, const CsrMatrix<float, Cuda>&,
                                 Span<Offset, Cuda>);
template void count_row_products(Context<Cuda>&, const CsrMatrix<double, Cuda>&, const CsrMatrix<double, Cuda>&,
                                 Span<Offset, Cuda>);

}  // namespace amgsolve
