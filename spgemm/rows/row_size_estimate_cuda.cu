#include <algorithm>

#include "core/atomic_cuda.cuh"
#include "core/copy.hpp"
#include "core/timer.hpp"
#include "spgemm/rows/hash_table_cuda.cuh"
#include "spgemm/rows/row_size_estimate.hpp"
#include "spgemm/rows/tuning.hpp"

namespace amgsolve {
namespace {

constexpr int warps_of_estimate = row_sizes::block_threads / warp_size;
constexpr int sample_slots = 2 * most_counted_entries;

/// The longest row, for a grid whose threads begin at `first` and are `step` in number.
__device__ int longest_row(Index rows, const Offset* row_offsets, std::int64_t first, std::int64_t step) {
  __shared__ int of_warp[warps_of_estimate];
  int longest = 0;
#pragma unroll 8
  for (std::int64_t i = first; i < rows; i += step) {
    longest = max(longest, static_cast<int>(row_offsets[i + 1] - row_offsets[i]));
  }
  longest = __reduce_max_sync(all_lanes, longest);
  __syncthreads();  // an earlier call may still read
  if (threadIdx.x % warp_size == 0) {
    of_warp[threadIdx.x / warp_size] = longest;
  }
  __syncthreads();
  for (const int other : of_warp) {
    longest = max(longest, other);
  }
  return longest;
}

/// A row of C.
struct Sample {
  Offset products;
  Index entries;  ///< where at most most_counted_entries
};

/// A warp counts the entries of a row: lanes side by side over the entries of A's row, each through its row of B.
__device__ Sample sample_row(const CsrRef<NoValue>& A, const CsrRef<NoValue>& B, std::int64_t row,
                             HashTable<NoValue> table) {
  using Group = LaneGroup<warp_size>;
  table.clear<Group>();
  Group::sync();
  Sample sample{};
  const Offset a_end = A.row_offsets[row + 1];
  for (Offset first = A.row_offsets[row]; first < a_end && sample.entries <= most_counted_entries; first += warp_size) {
    Offset b_next = 0;
    Offset b_end = 0;
    if (first + Group::rank() < a_end) {
      const Index b_row = A.col_indices[first + Group::rank()];
      b_next = B.row_offsets[b_row];
      b_end = B.row_offsets[b_row + 1];
      sample.products += b_end - b_next;
    }
    Index next_col = b_next < b_end ? B.col_indices[b_next] : 0;
    while (sample.entries <= most_counted_entries && __any_sync(all_lanes, b_next < b_end)) {
      const Index col = next_col;
      const bool is_active = b_next < b_end;
      ++b_next;
      // On its way while this one is looked for.
      next_col = b_next < b_end ? B.col_indices[b_next] : 0;
      const int entries = table.entries;
      table.add<false>(is_active, col, {});
      sample.entries += __popc(__ballot_sync(all_lanes, table.entries > entries));
    }
  }
  sample.products = sum_lanes(sample.products);
  return sample;
}

/// A block takes a sample a warp, of `samples` in all.
__device__ void sample_rows(const CsrRef<NoValue>& A, const CsrRef<NoValue>& B, Index rows, Index samples,
                            RowSizeEstimate* estimate) {
  __shared__ __align__(16) std::uint32_t cols[warps_of_estimate][sample_slots];
  __shared__ Sample taken[warps_of_estimate];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const Index first = static_cast<Index>(blockIdx.x) * warps_of_estimate;
  if (const Index i = first + warp; i < samples) {
    const Sample sample = sample_row(A, B, RowStrata{rows, samples}.row(i), {nullptr, cols[warp], sample_slots});
    if (threadIdx.x % warp_size == 0) {
      taken[warp] = sample;
    }
  }
  __syncthreads();
  if (threadIdx.x > 0) {
    return;
  }
  RowSizeEstimate sum;
  for (Index i = 0; i < min(samples - first, warps_of_estimate); ++i) {
    const Sample& sample = taken[i];
    if (sample.entries > most_counted_entries) {
      ++sum.uncounted_rows;
    } else {
      sum.sample.longest = max(sum.sample.longest, sample.entries);
      sum.products += sample.products;
      sum.sample.entries += sample.entries;
      sum.sample.squares += static_cast<Offset>(sample.entries) * sample.entries;
    }
  }
  atomicAdd(&estimate->uncounted_rows, sum.uncounted_rows);
  atomicMax(&estimate->sample.longest, sum.sample.longest);
  atomic_add(&estimate->products, sum.products);
  atomic_add(&estimate->sample.entries, sum.sample.entries);
  atomic_add(&estimate->sample.squares, sum.sample.squares);
}

/// The first blocks take samples, the others compare row lengths meanwhile.
__global__ void __launch_bounds__(row_sizes::block_threads)
    estimate_kernel(Index a_rows, CsrRef<NoValue> A, Index b_rows, CsrRef<NoValue> B, Index samples, int sample_blocks,
                    RowSizeEstimate* estimate) {
  if (blockIdx.x < sample_blocks) {
    sample_rows(A, B, a_rows, samples, estimate);
    return;
  }
  const std::int64_t first = thread_index() - static_cast<std::int64_t>(sample_blocks) * row_sizes::block_threads;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x - sample_blocks) * row_sizes::block_threads;
  const int longest_a = longest_row(a_rows, A.row_offsets, first, step);
  const int longest_b = longest_row(b_rows, B.row_offsets, first, step);
  if (threadIdx.x == 0) {
    atomicMax(&estimate->longest_a, longest_a);
    atomicMax(&estimate->longest_b, longest_b);
  }
}

}  // namespace

double RowSizeEstimate::products_per_row() const {
  return static_cast<double>(products) / std::max(sample.sampled_rows, 1);
}

template <class T>
RowSizeEstimate estimate_row_sizes(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B) {
  ScopedTimer timer(ctx, "row sizes");
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const auto estimate = scope.take<RowSizeEstimate>(1);
  set_zero(ctx, estimate);
  const double products_per_row =
      static_cast<double>(A.nnz()) / std::max(A.rows, 1) * (static_cast<double>(B.nnz()) / std::max(B.rows, 1));
  const Index samples = std::min(
      A.rows, std::max(row_sizes::least_samples, static_cast<Index>(std::min<double>(
                                                     row_sizes::most_samples, row_sizes::most_sampled_products /
                                                                                  std::max(products_per_row, 1.0)))));
  const std::int64_t sample_blocks = (samples + warps_of_estimate - 1) / warps_of_estimate;
  const std::int64_t length_blocks = std::min(
      Grid::of_threads(std::max(A.rows, B.rows), row_sizes::block_threads).blocks, row_sizes::most_length_blocks);
  launch(ctx, estimate_kernel, Grid{sample_blocks + length_blocks, row_sizes::block_threads}, A.rows, pattern_ref(A),
         B.rows, pattern_ref(B), samples, static_cast<int>(sample_blocks), estimate.data());
  RowSizeEstimate result = element(ctx, estimate, 0);
  result.sample.rows = A.rows;
  result.sample.sampled_rows = samples - result.uncounted_rows;
  return result;
}

template RowSizeEstimate estimate_row_sizes(Context<Cuda>&, const CsrMatrix<float, Cuda>&,
                                            const CsrMatrix<float, Cuda>&);
template RowSizeEstimate estimate_row_sizes(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                            const CsrMatrix<double, Cuda>&);

}  // namespace amgsolve
