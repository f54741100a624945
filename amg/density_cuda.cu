#include <algorithm>

#include "amg/density_steps.hpp"
#include "amg/density_tuning_cuda.hpp"
#include "core/atomic_cuda.cuh"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {
namespace {

using density::block_threads;
using density::most_words;

constexpr int word_bits = 32;

/// Entries of a row of R A P in a window of its columns, a bit each. A block for each of the windows of each row of the
/// choice; row_lanes for each entry of R's row.
template <class T>
__global__ void __launch_bounds__(block_threads)
    count_product_entries_kernel(CsrRef<T> R, CsrRef<T> A, CsrRef<T> P, RowStrata choice, int words, Offset* entries) {
  extern __shared__ unsigned marks[];
  for (int w = static_cast<int>(threadIdx.x); w < words; w += block_threads) {
    marks[w] = 0;
  }
  __syncthreads();
  const Index row = choice.row(blockIdx.x % choice.count);
  const auto first = static_cast<Index>(blockIdx.x / choice.count * words * word_bits);
  const auto lane = static_cast<int>(threadIdx.x) % row_lanes;
  for (Offset r = R.row_offsets[row] + static_cast<int>(threadIdx.x) / row_lanes; r < R.row_offsets[row + 1];
       r += block_threads / row_lanes) {
    const Index i = R.col_indices[r];
    for (Offset a = A.row_offsets[i] + lane; a < A.row_offsets[i + 1]; a += row_lanes) {
      const Index j = A.col_indices[a];
      for (Offset p = P.row_offsets[j]; p < P.row_offsets[j + 1]; ++p) {
        const auto col = static_cast<unsigned>(P.col_indices[p] - first);  // large where it lies before
        const unsigned bit = 1U << col % word_bits;
        if (col / word_bits < static_cast<unsigned>(words) && (marks[col / word_bits] & bit) == 0) {
          atomicOr(&marks[col / word_bits], bit);
        }
      }
    }
  }
  __syncthreads();
  int count = 0;
  for (int w = static_cast<int>(threadIdx.x); w < words; w += block_threads) {
    count += __popc(marks[w]);
  }
  count = sum_block<block_threads>(count);
  if (threadIdx.x == 0) {
    atomic_add(entries, count);
  }
}

}  // namespace

template <class T>
Offset count_product_entries(Context<Cuda>& ctx, const CsrRef<T>& R, const CsrRef<T>& A, const CsrRef<T>& P, Index cols,
                             const RowStrata& choice) {
  const std::int64_t all_words = (std::int64_t{cols} + word_bits - 1) / word_bits;
  const auto words = static_cast<int>(std::min<std::int64_t>(all_words, most_words));
  WorkspaceScope scope(ctx.workspace());
  const auto entries = scope.take<Offset>(1);
  set_zero(ctx, entries);
  launch(ctx, count_product_entries_kernel<T>,
         {.blocks = choice.count * ((all_words + words - 1) / words),
          .threads = block_threads,
          .shared_bytes = words * sizeof(unsigned)},
         R, A, P, choice, words, entries.data());
  return element(ctx, entries, 0);
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_DENSITY_STEPS, Cuda)

}  // namespace amgsolve
