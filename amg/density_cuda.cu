#include <algorithm>

#include "amg/density_rows.hpp"
#include "amg/density_tuning_cuda.hpp"
#include "core/atomic_cuda.cuh"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {
namespace {

using density::block_threads;
using density::most_words;

constexpr int word_bits = 32;

/// Sets a bit of a window of shared memory. Most are set already.
__device__ void mark(unsigned* marks, int words, unsigned position) {
  const unsigned bit = 1U << position % word_bits;
  if (position / word_bits < static_cast<unsigned>(words) && (marks[position / word_bits] & bit) == 0) {
    atomicOr(&marks[position / word_bits], bit);
  }
}

/// Entries of a row of R A P in a window of `words` words for its columns, a bit each. A block for each of the windows
/// of each row of the sample; row_lanes for each entry of R's row, and for each row of P, read side by side. Where
/// there is room, `reached_words` for all columns of A, the row of R A is marked first, so that each row of P is read
/// once.
template <class T>
__global__ void __launch_bounds__(block_threads)
    count_product_entries_kernel(CsrRef<T> R, CsrRef<T> A, CsrRef<T> P, SampledRows sample, Index first_of_A, int words,
                                 int reached_words, Offset* entries) {
  constexpr int groups = block_threads / row_lanes;
  const Index row = sample.row(blockIdx.x % sample.choice.count);
  if (row < 0) {
    return;
  }
  extern __shared__ unsigned marks[];
  unsigned* const reached = marks + words;
  for (int w = static_cast<int>(threadIdx.x); w < words + reached_words; w += block_threads) {
    marks[w] = 0;
  }
  __syncthreads();
  const auto first = static_cast<Index>(blockIdx.x / sample.choice.count * words * word_bits);
  const int lane = static_cast<int>(threadIdx.x) % row_lanes;
  const int group = static_cast<int>(threadIdx.x) / row_lanes;
  const auto mark_row_of_P = [&](Index j) {
    for (Offset p = P.row_offsets[j] + lane; p < P.row_offsets[j + 1]; p += row_lanes) {
      mark(marks, words, static_cast<unsigned>(P.col_indices[p] - first));  // large where it lies before
    }
  };
  for (Offset r = R.row_offsets[row] + group; r < R.row_offsets[row + 1]; r += groups) {
    const Index i = R.col_indices[r] - first_of_A;
    if (i < 0 || i >= A.rows) {
      continue;
    }
    if (reached_words > 0) {
      for (Offset a = A.row_offsets[i] + lane; a < A.row_offsets[i + 1]; a += row_lanes) {
        mark(reached, reached_words, static_cast<unsigned>(A.col_indices[a]));
      }
    } else {
      for (Offset a = A.row_offsets[i]; a < A.row_offsets[i + 1]; ++a) {
        mark_row_of_P(A.col_indices[a]);
      }
    }
  }
  __syncthreads();
  for (int w = group; w < reached_words; w += groups) {
    for (unsigned bits = reached[w]; bits != 0; bits &= bits - 1) {
      mark_row_of_P(static_cast<Index>(w) * word_bits + __ffs(static_cast<int>(bits)) - 1);
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
                             const SampledRows& sample, Index first_of_A) {
  const std::int64_t all_words = (std::int64_t{cols} + word_bits - 1) / word_bits;
  const auto words = static_cast<int>(std::min<std::int64_t>(all_words, most_words));
  const std::int64_t all_reached = (std::int64_t{P.rows} + word_bits - 1) / word_bits;
  const int reached_words = words + all_reached <= most_words ? static_cast<int>(all_reached) : 0;
  WorkspaceScope scope(ctx.workspace());
  const auto entries = scope.take<Offset>(1);
  set_zero(ctx, entries);
  launch(ctx, count_product_entries_kernel<T>,
         {.blocks = sample.choice.count * ((all_words + words - 1) / words),
          .threads = block_threads,
          .shared_bytes = (words + reached_words) * sizeof(unsigned)},
         R, A, P, sample, first_of_A, words, reached_words, entries.data());
  return element(ctx, entries, 0);
}

AMGSOLVE_INSTANTIATE_DENSITY_ROWS(Cuda)
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_DENSITY_STEPS, Cuda)

}  // namespace amgsolve
