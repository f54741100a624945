#include "amg/row_lanes_cuda.cuh"
#include "amg/true_residual.hpp"

namespace amgsolve {
namespace {

/// Blocks of a sum over all rows: enough for any GPU, and always the same, so that the bits of the sum do not depend on
/// which one it is.
constexpr int sum_blocks = 1024;

/// partial_p = Σ_i r_i² over the rows of block p, for one column of b and x: neighbouring lanes read neighbouring
/// entries of a row, and every block strides over groups of rows.
template <class T>
__global__ void sum_squared_residuals(Index rows, const Offset* row_offsets, const Index* col_indices, const T* values,
                                      const T* b, const T* x, Index columns, double* partial) {
  constexpr int rows_at_once = default_block / row_lanes;
  const int lane = static_cast<int>(threadIdx.x) % row_lanes;
  double sum_of_squares = 0.0;
  // All threads of a block stay to the end, since the sums over lanes and block need them.
  for (std::int64_t group = blockIdx.x; group * rows_at_once < rows; group += gridDim.x) {
    const std::int64_t i = group * rows_at_once + threadIdx.x / row_lanes;
    double product = 0.0;
    if (i < rows) {
      for (Offset k = row_offsets[i] + lane; k < row_offsets[i + 1]; k += row_lanes) {
        product += static_cast<double>(values[k]) *
                   static_cast<double>(x[static_cast<std::int64_t>(col_indices[k]) * columns]);
      }
    }
    product = sum_lanes<row_lanes>(product);
    if (i < rows && lane == 0) {
      const double r = static_cast<double>(b[i * columns]) - product;
      sum_of_squares += r * r;
    }
  }
  sum_of_squares = sum_block<default_block>(sum_of_squares);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum_of_squares;
  }
}

/// Σ of the blocks' sums, by one block.
__global__ void add_partial_sums(const double* partial, double* result) {
  double sum = 0.0;
  for (int i = static_cast<int>(threadIdx.x); i < sum_blocks; i += default_block) {
    sum += partial[i];
  }
  sum = sum_block<default_block>(sum);
  if (threadIdx.x == 0) {
    *result = sum;
  }
}

}  // namespace

template <class T>
void true_residual_norms(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                         FatView<const std::type_identity_t<T>, Cuda> b, FatView<const std::type_identity_t<T>, Cuda> x,
                         Span<double, Cuda> norm_squared) {
  WorkspaceScope scope(ctx.workspace());
  double* partial = scope.take<double>(sum_blocks).data();
  // A pass over A for each column: done once a solve, where a simple sum is worth more than a fast one.
  for (Index j = 0; j < b.columns; ++j) {
    launch(ctx, sum_squared_residuals<T>, {.blocks = sum_blocks}, A.rows, A.row_offsets.data(), A.col_indices.data(),
           A.values.data(), b.data + j, x.data + j, b.columns, partial);
    launch(ctx, add_partial_sums, {.blocks = 1}, partial, norm_squared.data() + j);
  }
  const auto k = static_cast<std::size_t>(b.columns);
  ctx.profile().add({.bytes = static_cast<std::int64_t>(k * A.bytes() + 2 * b.size() * sizeof(T)),
                     .flops = (2 * A.nnz() + 3 * std::int64_t{A.rows}) * b.columns});
}

template void true_residual_norms(Context<Cuda>&, const CsrMatrix<float, Cuda>&, FatView<const float, Cuda>,
                                  FatView<const float, Cuda>, Span<double, Cuda>);
template void true_residual_norms(Context<Cuda>&, const CsrMatrix<double, Cuda>&, FatView<const double, Cuda>,
                                  FatView<const double, Cuda>, Span<double, Cuda>);

}  // namespace amgsolve
