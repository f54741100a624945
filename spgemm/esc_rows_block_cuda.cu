#include <algorithm>
#include <cub/block/block_radix_sort.cuh>

#include "core/check_cuda.hpp"
#include "spgemm/esc_on_chip_cuda.cuh"
#include "spgemm/esc_rows_cuda.hpp"

namespace amgsolve::esc {
namespace {

// 12 keys a thread for the longest rows; fewer threads would need more registers each, more would share fewer barriers
// than they wait for.
constexpr int block_threads = 512;
constexpr int warps = block_threads / warp_size;
constexpr int most_keys = most_block_products / block_threads;
constexpr int number_bits = bits_below(most_block_products);

// Rows of B whose places are worked out at a time.
constexpr int rows_at_a_time = 256;

template <class Key, int Keys>
using Sort = cub::BlockRadixSort<Key, block_threads, Keys>;

/// What a block shares beside the products.
template <class T>
struct Shared {
  ScaledRow<T> rows[rows_at_a_time];
  int slots[rows_at_a_time];
  int counts[warps];
  std::uint32_t least_col;
  std::uint32_t most_col;
};

/// The block's dynamic shared memory: the values of the products; then room that takes their columns, what the sort
/// shares, and the numbers of the sorted products with the positions where entries begin, one after the other.
template <class Key, class T>
struct Layout {
  int capacity;

  static constexpr std::size_t sort_bytes =
      std::max({sizeof(typename Sort<Key, 4>::TempStorage), sizeof(typename Sort<Key, 8>::TempStorage),
                sizeof(typename Sort<Key, most_keys>::TempStorage)});

  __host__ __device__ std::size_t value_bytes() const {
    return (static_cast<std::size_t>(capacity) * sizeof(T) + 15) / 16 * 16;
  }
  std::size_t bytes() const {
    return value_bytes() + std::max(sort_bytes, static_cast<std::size_t>(capacity) * sizeof(std::uint32_t));
  }
  __device__ RowProducts<T> products(unsigned char* shared) const {
    return {reinterpret_cast<std::uint32_t*>(shared + value_bytes()), reinterpret_cast<T*>(shared), capacity};
  }
};

/// Σ x over the threads before this one. Not safe to call again without a barrier between.
__device__ int sum_before_in_block(int x, int* counts, int& total) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  int of_warp;
  const int before = sum_before<warp_size>(x, lane, of_warp);
  if (lane == 0) {
    counts[warp] = of_warp;
  }
  __syncthreads();
  const int before_warp = sum_before<warp_size>(lane < warps ? counts[lane] : 0, lane, total);
  return before + __shfl_sync(all_lanes, before_warp, warp);
}

/// Expands row `row`; returns the number of its products. Ends with a barrier.
template <class T>
__device__ int expand_row(const CsrRef<T>& A, const CsrRef<T>& B, Index row, Shared<T>& shared,
                          const RowProducts<T>& products) {
  const int thread = static_cast<int>(threadIdx.x);
  const Offset end = A.row_offsets[row + 1];
  int n = 0;
  for (Offset first = A.row_offsets[row]; first < end; first += rows_at_a_time) {
    const auto rows = static_cast<int>(min(end - first, static_cast<Offset>(rows_at_a_time)));
    const ScaledRow<T> scaled = load_scaled_row(A, B, first + thread, first + rows);
    int total;
    const int before = sum_before_in_block(static_cast<int>(scaled.length), shared.counts, total);
    if (thread < rows) {
      shared.rows[thread] = scaled;
      shared.slots[thread] = n + before;
    }
    __syncthreads();
    const int lanes = lanes_for(total, rows);
    for (int r = thread / lanes; r < rows; r += block_threads / lanes) {
      const ScaledRow<T> theirs = shared.rows[r];
      const int slot = shared.slots[r];
      for (int j = thread % lanes; j < static_cast<int>(theirs.length); j += lanes) {
        products.cols[slot + j] = static_cast<std::uint32_t>(B.col_indices[theirs.begin + j]);
        products.values[slot + j] = theirs.scale * B.values[theirs.begin + j];
      }
    }
    n += total;
    __syncthreads();
  }
  return n;
}

/// Sorts and contracts as sort_and_contract of a warp does; the sort looks at just the bits in which the row's columns
/// differ, and being stable takes the numbers below them along. Begins after a barrier.
template <int Keys, class Key, class T>
__device__ int sort_and_contract_block(const RowProducts<T>& products, int n, Shared<T>& shared, Index* col_indices,
                                       T* values) {
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % warp_size;
  Key keys[Keys];
  std::uint32_t least = 0xffffffffU;
  std::uint32_t most = 0;
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    const int number = thread * Keys + i;
    keys[i] = ~Key{0};
    if (number < n) {
      const std::uint32_t col = products.cols[number];
      least = min(least, col);
      most = max(most, col);
      keys[i] = static_cast<Key>(col) << number_bits | static_cast<Key>(number);
    }
  }
#pragma unroll
  for (int distance = warp_size / 2; distance > 0; distance /= 2) {
    least = min(least, __shfl_xor_sync(all_lanes, least, distance));
    most = max(most, __shfl_xor_sync(all_lanes, most, distance));
  }
  if (lane == 0) {
    atomicMin(&shared.least_col, least);
    atomicMax(&shared.most_col, most);
  }
  __syncthreads();  // also: the columns are read
  const std::uint32_t first_col = shared.least_col;
  const int col_bits = 32 - __clz(static_cast<int>(shared.most_col - first_col));
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    keys[i] = thread * Keys + i < n ? keys[i] - (static_cast<Key>(first_col) << number_bits) : keys[i];
  }
  if (col_bits > 0) {
    auto& room = *reinterpret_cast<typename Sort<Key, Keys>::TempStorage*>(products.cols);
    Sort<Key, Keys>(room).Sort(keys, number_bits, number_bits + col_bits);
  }

  // The key before this thread's first one is the last of the thread before.
  Key before = __shfl_up_sync(all_lanes, keys[Keys - 1], 1);
  __syncthreads();  // the sort is done with its room
  Key* const last_of_warps = reinterpret_cast<Key*>(products.cols);
  if (lane == warp_size - 1) {
    last_of_warps[thread / warp_size] = keys[Keys - 1];
  }
  __syncthreads();
  if (lane == 0 && thread > 0) {
    before = last_of_warps[thread / warp_size - 1];
  }
  unsigned begins_entry = 0;
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    const int position = thread * Keys + i;
    const bool begins = position < n && (position == 0 || keys[i] >> number_bits != before >> number_bits);
    begins_entry |= static_cast<unsigned>(begins) << i;
    before = keys[i];
  }
  int entries;
  int entry = sum_before_in_block(__popc(begins_entry), shared.counts, entries);  // its barrier: all have read `before`
  std::uint16_t* const numbers = products.numbers();
  std::uint16_t* const starts = products.starts();
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    const int position = thread * Keys + i;
    if (position < n) {
      numbers[position] = static_cast<std::uint16_t>(keys[i] & ((Key{1} << number_bits) - 1));
    }
    if ((begins_entry >> i & 1U) != 0) {
      starts[entry] = static_cast<std::uint16_t>(position);
      col_indices[entry] = static_cast<Index>(first_col + static_cast<std::uint32_t>(keys[i] >> number_bits));
      ++entry;
    }
  }
  __syncthreads();
  for (int e = thread; e < entries; e += block_threads) {
    const int end = e + 1 < entries ? starts[e + 1] : n;
    T sum{0};
    for (int i = starts[e]; i < end; ++i) {
      sum += products.values[numbers[i]];
    }
    values[e] = sum;
  }
  return entries;
}

/// A block a row.
template <class Key, class T>
__global__ void __launch_bounds__(block_threads)
    form_rows_by_blocks_kernel(CsrRef<T> A, CsrRef<T> B, RowSelection selection, Layout<Key, T> layout,
                               RowTarget<T> target) {
  extern __shared__ __align__(16) unsigned char dynamic[];
  __shared__ Shared<T> shared;
  if (threadIdx.x == 0) {
    shared.least_col = 0xffffffffU;
    shared.most_col = 0;
  }
  const RowProducts<T> products = layout.products(dynamic);
  const Index row = selection.rows == nullptr ? static_cast<Index>(blockIdx.x) : selection.rows[blockIdx.x];
  const int n = expand_row(A, B, row, shared, products);
  Index* const col_indices = target.col_indices + target.offsets[row];
  T* const values = target.values + target.offsets[row];
  int entries;
  if (n <= 4 * block_threads) {
    entries = sort_and_contract_block<4, Key>(products, n, shared, col_indices, values);
  } else if (n <= 8 * block_threads) {
    entries = sort_and_contract_block<8, Key>(products, n, shared, col_indices, values);
  } else {
    entries = sort_and_contract_block<most_keys, Key>(products, n, shared, col_indices, values);
  }
  if (threadIdx.x == 0) {
    target.counts[row] = entries;
  }
}

template <class Key, class T>
void launch_by_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                      const RowSelection& selection, int most_products, const RowTarget<T>& target) {
  const Layout<Key, T> layout{most_products};
  AMGSOLVE_CUDA_CHECK(cudaFuncSetAttribute(form_rows_by_blocks_kernel<Key, T>,
                                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(layout.bytes())));
  launch(ctx, form_rows_by_blocks_kernel<Key, T>, Grid{selection.count, block_threads, layout.bytes()}, csr_ref(A),
         csr_ref(B), selection, layout, target);
}

}  // namespace

template <class T>
void form_rows_by_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                         const RowSelection& selection, int most_products, const RowTarget<T>& target) {
  if (has_narrow_keys(B.cols, most_block_products)) {
    launch_by_blocks<std::uint32_t>(ctx, A, B, selection, most_products, target);
  } else {
    launch_by_blocks<std::uint64_t>(ctx, A, B, selection, most_products, target);
  }
}

template void form_rows_by_blocks(Context<Cuda>&, const CsrMatrix<float, Cuda>&, const CsrMatrix<float, Cuda>&,
                                  const RowSelection&, int, const RowTarget<float>&);
template void form_rows_by_blocks(Context<Cuda>&, const CsrMatrix<double, Cuda>&, const CsrMatrix<double, Cuda>&,
                                  const RowSelection&, int, const RowTarget<double>&);

}  // namespace amgsolve::esc
