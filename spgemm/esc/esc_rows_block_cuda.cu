#include <algorithm>
#include <cub/block/block_radix_sort.cuh>

#include "core/instantiate.hpp"
#include "spgemm/esc/esc_on_chip_cuda.cuh"
#include "spgemm/esc/esc_rows_cuda.hpp"

namespace amgsolve::esc {
namespace {

/// A block and the networks of keys it has: of few_keys products a thread at most, or of many_keys.
template <int Threads, int MostProducts>
struct BlockShape {
  static constexpr int threads = Threads;
  static constexpr int few_keys = few_block_keys;
  static constexpr int many_keys = MostProducts / Threads;
  static constexpr int warps = Threads / warp_size;
  static constexpr int most_products = MostProducts;
  static constexpr int number_bits = bits_below(most_products);
  static constexpr int rows_at_a_time = std::min(Threads, most_rows_at_a_time);  ///< of B
};

using SmallBlock = BlockShape<small_block_threads, most_small_block_products>;
using LargeBlock = BlockShape<large_block_threads, most_block_products>;

template <class Block, class Key, int Keys>
using Sort = cub::BlockRadixSort<Key, Block::threads, Keys>;

/// What a block shares beside the products.
template <class Block, class T>
struct Shared {
  ScaledRow<T> rows[Block::rows_at_a_time];
  int slots[Block::rows_at_a_time];
  int sums[Block::warps];
  std::uint32_t least_col;
  std::uint32_t most_col;
};

/// The block's dynamic shared memory: the values of the products; then room that takes their columns, what the sort
/// shares, and the numbers of the sorted products with the positions where entries begin, one after the other.
template <class Block, class Key, class T>
struct Layout {
  int capacity;

  static constexpr std::size_t sort_bytes = std::max(sizeof(typename Sort<Block, Key, Block::few_keys>::TempStorage),
                                                     sizeof(typename Sort<Block, Key, Block::many_keys>::TempStorage));

  __host__ __device__ constexpr std::size_t value_bytes() const {
    return (static_cast<std::size_t>(capacity) * sizeof(T) + 15) / 16 * 16;
  }
  constexpr std::size_t bytes() const {
    return value_bytes() + std::max(sort_bytes, static_cast<std::size_t>(capacity) * sizeof(std::uint32_t));
  }
  __device__ RowProducts<T> products(unsigned char* shared) const {
    return {reinterpret_cast<std::uint32_t*>(shared + value_bytes()), reinterpret_cast<T*>(shared), capacity};
  }
};

/// Expands row `row`; returns the number of its products. Ends with a barrier.
template <class Block, class T>
__device__ int expand_row(const CsrRef<T>& A, const CsrRef<T>& B, Index row, Shared<Block, T>& shared,
                          const RowProducts<T>& products) {
  const int thread = static_cast<int>(threadIdx.x);
  const Offset end = A.row_offsets[row + 1];
  int n = 0;
  for (Offset first = A.row_offsets[row]; first < end; first += Block::rows_at_a_time) {
    const auto rows = static_cast<int>(min(end - first, Offset{Block::rows_at_a_time}));
    const ScaledRow<T> scaled = load_scaled_row(A, B, first + thread, first + rows);
    int total;
    const int before = sum_before_in_block<Block::threads>(scaled.length, shared.sums, total);
    if (thread < rows) {
      shared.rows[thread] = scaled;
      shared.slots[thread] = n + before;
    }
    __syncthreads();
    const int lanes = lanes_for(total, rows, warp_size);
    for (int r = thread / lanes; r < rows; r += Block::threads / lanes) {
      const ScaledRow<T> theirs = shared.rows[r];
      const int slot = shared.slots[r];
      for (int j = thread % lanes; j < theirs.length; j += lanes) {
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
template <int Keys, class Key, class Block, class T>
__device__ int sort_and_contract_block(const RowProducts<T>& products, int n, Shared<Block, T>& shared,
                                       Index* col_indices, T* values) {
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % warp_size;
  constexpr int number_bits = Block::number_bits;
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
    auto& room = *reinterpret_cast<typename Sort<Block, Key, Keys>::TempStorage*>(products.cols);
    Sort<Block, Key, Keys>(room).Sort(keys, number_bits, number_bits + col_bits);
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
  int entry = sum_before_in_block<Block::threads>(__popc(begins_entry), shared.sums,
                                                  entries);  // its barrier: all have read `before`
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
  for (int e = thread; e < entries; e += Block::threads) {
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
template <class Block, class Key, class T>
__global__ void __launch_bounds__(Block::threads)
    form_rows_by_blocks_kernel(CsrRef<T> A, CsrRef<T> B, RowSelection selection, Layout<Block, Key, T> layout,
                               RowTarget<T> target) {
  extern __shared__ __align__(16) unsigned char dynamic[];
  __shared__ Shared<Block, T> shared;
  if (threadIdx.x == 0) {
    shared.least_col = 0xffffffffU;
    shared.most_col = 0;
  }
  const RowProducts<T> products = layout.products(dynamic);
  const Index row = selection.rows == nullptr ? static_cast<Index>(blockIdx.x) : selection.rows[blockIdx.x];
  const int n = expand_row<Block>(A, B, row, shared, products);
  Index* const col_indices = target.col_indices + target.offsets[row];
  T* const values = target.values + target.offsets[row];
  const int entries = n <= Block::threads * Block::few_keys
                          ? sort_and_contract_block<Block::few_keys, Key>(products, n, shared, col_indices, values)
                          : sort_and_contract_block<Block::many_keys, Key>(products, n, shared, col_indices, values);
  if (threadIdx.x == 0) {
    target.counts[row] = entries;
  }
}

template <class Block, class Key, class T>
void launch_with_keys(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                      const RowSelection& selection, int most_products, const RowTarget<T>& target) {
  const Layout<Block, Key, T> layout{most_products};
  launch(ctx, form_rows_by_blocks_kernel<Block, Key, T>, Grid{selection.count, Block::threads, layout.bytes()},
         ref_of(A), ref_of(B), selection, layout, target);
}

template <class Block, class T>
void launch_by_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                      const RowSelection& selection, int most_products, const RowTarget<T>& target) {
  if (has_narrow_keys(B.cols, Block::most_products)) {
    launch_with_keys<Block, std::uint32_t>(ctx, A, B, selection, most_products, target);
  } else {
    launch_with_keys<Block, std::uint64_t>(ctx, A, B, selection, most_products, target);
  }
}

/// Whether a block of a device has the shared memory that rows of so many products take.
template <class Block, class Key, class T>
constexpr bool has_room(int products, ComputeCapability device) {
  return Layout<Block, Key, T>{products}.bytes() + sizeof(Shared<Block, T>) <= block_shared_bytes(device);
}

}  // namespace

template <class T>
int most_block_products_of(Index cols, ComputeCapability device) {
  constexpr ComputeCapability least;
  static_assert(has_room<SmallBlock, std::uint64_t, T>(most_small_block_products, least));
  static_assert(has_room<LargeBlock, std::uint32_t, T>(most_block_products, least));
  static_assert(has_room<LargeBlock, std::uint64_t, T>(most_wide_block_products, least));
  const bool fits =
      has_narrow_keys(cols, most_block_products) || has_room<LargeBlock, std::uint64_t, T>(most_block_products, device);
  return fits ? most_block_products : most_wide_block_products;
}

template <class T>
void form_rows_by_small_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                               const RowSelection& selection, int most_products, const RowTarget<T>& target) {
  launch_by_blocks<SmallBlock>(ctx, A, B, selection, most_products, target);
}

template <class T>
void form_rows_by_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                         const RowSelection& selection, int most_products, const RowTarget<T>& target) {
  launch_by_blocks<LargeBlock>(ctx, A, B, selection, most_products, target);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                    \
  template int most_block_products_of<T>(Index, ComputeCapability);                                                   \
  template void form_rows_by_small_blocks(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&,                \
                                          const RowSelection&, int, const RowTarget<T>&);                             \
  template void form_rows_by_blocks(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, const RowSelection&, \
                                    int, const RowTarget<T>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve::esc
