#include <algorithm>
#include <cmath>

#include "core/copy.hpp"
#include "core/timer.hpp"
#include "spgemm/hash_table_cuda.cuh"
#include "spgemm/survey_cuda.hpp"

namespace amgsolve {
namespace {

using namespace hash;

constexpr Index most_samples = 4096;
constexpr int sample_block = 128;
constexpr int sample_slots = 2 * survey_limit;
constexpr std::int64_t most_length_blocks = 1024;

__device__ int block_maximum(int x) {
  __shared__ int largest;
  if (threadIdx.x == 0) {
    largest = 0;
  }
  __syncthreads();
  x = __reduce_max_sync(0xffffffffU, x);
  if (threadIdx.x % warp_size == 0) {
    atomicMax(&largest, x);
  }
  __syncthreads();
  return largest;
}

__device__ int longest_row(Index rows, const Offset* row_offsets) {
  int longest = 0;
  for (std::int64_t i = thread_index(); i < rows; i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    longest = max(longest, static_cast<int>(row_offsets[i + 1] - row_offsets[i]));
  }
  return block_maximum(longest);
}

__global__ void longest_rows_kernel(Index a_rows, const Offset* a_offsets, Index b_rows, const Offset* b_offsets,
                                    Survey* survey) {
  const int a = longest_row(a_rows, a_offsets);
  __syncthreads();
  const int b = longest_row(b_rows, b_offsets);
  if (threadIdx.x == 0) {
    atomicMax(&survey->longest_a, a);
    atomicMax(&survey->longest_b, b);
  }
}

__device__ void add(Offset& target, Offset x) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&target), static_cast<unsigned long long>(x));
}

/// A warp counts the entries of a row: lanes side by side over the entries of A's row, each through its row of B.
__global__ void sample_rows_kernel(CsrRef<NoValue> A, CsrRef<NoValue> B, Index rows, Index samples, Survey* survey) {
  __shared__ std::uint32_t cols[sample_block / warp_size][sample_slots];
  const LaneGroup group(warp_size);
  const Table<NoValue> table{cols[threadIdx.x / warp_size], nullptr, sample_slots};
  const auto sample = static_cast<Index>(thread_index() / warp_size);
  if (sample >= samples) {
    return;
  }
  // A row of each stratum, chosen by Fibonacci hashing so that no period of the matrix is met.
  const std::int64_t begin = static_cast<std::int64_t>(sample) * rows / samples;
  const std::int64_t end = static_cast<std::int64_t>(sample + 1) * rows / samples;
  const std::int64_t row = begin + (static_cast<std::uint32_t>(sample) * 0x9E3779B9U >> 8) % (end - begin);
  table.clear(group);
  group.sync();
  Index entries = 0;
  Offset products = 0;
  const Offset a_end = A.row_offsets[row + 1];
  for (Offset first = A.row_offsets[row]; first < a_end && entries <= survey_limit; first += warp_size) {
    Offset b_next = 0;
    Offset b_end = 0;
    if (first + group.rank() < a_end) {
      const Index b_row = A.col_indices[first + group.rank()];
      b_next = B.row_offsets[b_row];
      b_end = B.row_offsets[b_row + 1];
      products += b_end - b_next;
    }
    for (; entries <= survey_limit && __any_sync(0xffffffffU, b_next < b_end); ++b_next) {
      bool is_new = false;
      if (b_next < b_end) {
        table.find_or_insert(B.col_indices[b_next], is_new);
      }
      entries += group.count(is_new);
    }
  }
  products = sum_lanes(products);
  if (group.rank() == 0) {
    if (entries > survey_limit) {
      atomicAdd(&survey->uncounted_rows, 1);
    } else {
      atomicMax(&survey->longest_sampled, entries);
      add(survey->sampled_products, products);
      add(survey->sampled_entries, entries);
      add(survey->sampled_squares, static_cast<Offset>(entries) * entries);
    }
  }
}

}  // namespace

double Survey::products_per_row() const {
  return static_cast<double>(sampled_products) / std::max(sampled_rows - uncounted_rows, 1);
}

double Survey::entries_per_row() const {
  return static_cast<double>(sampled_entries) / std::max(sampled_rows - uncounted_rows, 1);
}

Offset Survey::entries_bound() const {
  if (sampled_rows == rows) {
    return sampled_entries;
  }
  const double counted = std::max(sampled_rows - uncounted_rows, 1);
  const double mean = entries_per_row();
  const double variance = std::max(static_cast<double>(sampled_squares) / counted - mean * mean, 0.0);
  return static_cast<Offset>((mean + 4.5 * std::sqrt(variance / counted)) * rows) + 1;
}

template <class T>
Survey survey_product(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B) {
  ScopedTimer timer(ctx, "survey");
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const auto survey = scope.take<Survey>(1);
  set_zero(ctx, survey);
  const std::int64_t longest_blocks = std::min(Grid::of_threads(std::max(A.rows, B.rows)).blocks, most_length_blocks);
  launch(ctx, longest_rows_kernel, Grid{longest_blocks, default_block}, A.rows, A.row_offsets.data(), B.rows,
         B.row_offsets.data(), survey.data());
  const Index samples = std::min(A.rows, most_samples);
  launch(ctx, sample_rows_kernel, Grid::of_lanes(samples, warp_size, sample_block),
         CsrRef<NoValue>{A.row_offsets.data(), A.col_indices.data(), nullptr},
         CsrRef<NoValue>{B.row_offsets.data(), B.col_indices.data(), nullptr}, A.rows, samples, survey.data());
  Survey result = element(ctx, survey, 0);
  result.rows = A.rows;
  result.sampled_rows = samples;
  return result;
}

template Survey survey_product(Context<Cuda>&, const CsrMatrix<float, Cuda>&, const CsrMatrix<float, Cuda>&);
template Survey survey_product(Context<Cuda>&, const CsrMatrix<double, Cuda>&, const CsrMatrix<double, Cuda>&);

}  // namespace amgsolve
