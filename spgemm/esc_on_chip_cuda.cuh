#pragma once

#include <cstdint>

#include "core/parallel_cuda.cuh"
#include "spgemm/csr_ref_cuda.hpp"

/// Expansion, sorting and contraction of one row on chip; see esc_cuda.hpp. `Lanes` neighbouring lanes of a warp (a
/// power of two) work on a row together. All lanes of the warp must call, also those whose row is empty. Products are
/// numbered in the order of A's row; a key holds a product's column above its number, so that no two keys are equal and
/// any sort is stable.
namespace amgsolve::esc {

inline constexpr unsigned all_lanes = 0xffffffffU;

/// Bits of the numbers below n.
__host__ __device__ constexpr int bits_below(std::int64_t n) {
  int bits = 0;
  while (std::int64_t{1} << bits < n) {
    ++bits;
  }
  return bits;
}

/// Whether the keys of `products` products with columns below `cols` have 32 bits at most.
constexpr bool has_narrow_keys(Index cols, int products) { return bits_below(cols) + bits_below(products) <= 32; }

/// The expanded products of a row in shared memory. Once the keys are made of the columns, their room takes the numbers
/// of the sorted products and the positions where the entries begin.
template <class T>
struct RowProducts {
  std::uint32_t* cols;  ///< `capacity` of them
  T* values;
  int capacity;

  __device__ std::uint16_t* numbers() const { return reinterpret_cast<std::uint16_t*>(cols); }
  __device__ std::uint16_t* starts() const { return numbers() + capacity; }
};

/// The products of the rows that a block forms at the same time: values of all rows, then their columns.
struct ProductRooms {
  int rows;
  int capacity;  ///< products of a row

  template <class T>
  std::size_t bytes() const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(capacity) * (sizeof(T) + sizeof(std::uint32_t));
  }

  /// `shared` is aligned to 16 bytes.
  template <class T>
  __device__ RowProducts<T> room(unsigned char* shared, int row) const {
    T* const values = reinterpret_cast<T*>(shared);
    std::uint32_t* const cols = reinterpret_cast<std::uint32_t*>(values + rows * capacity);
    return {cols + row * capacity, values + row * capacity, capacity};
  }
};

/// A row of B and the entry of A that scales it.
template <class T>
struct ScaledRow {
  Offset begin;
  Offset length;
  T scale;
};

/// That of A's entry k; an empty row from `end` on.
template <class T>
__device__ ScaledRow<T> load_scaled_row(const CsrRef<T>& A, const CsrRef<T>& B, Offset k, Offset end) {
  if (k >= end) {
    return {0, 0, T{0}};
  }
  const Index col = A.col_indices[k];
  const Offset begin = B.row_offsets[col];
  return {begin, B.row_offsets[col + 1] - begin, A.values[k]};
}

/// Σ x over the lanes of the group before this one; `total`: over all of them.
template <int Lanes, class Number>
__device__ Number sum_before(Number x, int rank, Number& total) {
  Number sum = x;
#pragma unroll
  for (int distance = 1; distance < Lanes; distance *= 2) {
    const Number below = __shfl_up_sync(all_lanes, sum, distance, Lanes);
    sum += rank >= distance ? below : Number{0};
  }
  total = __shfl_sync(all_lanes, sum, Lanes - 1, Lanes);
  return sum - x;
}

/// The same over the threads of a block, with room for the sum of each warp. Not safe to call again without a barrier
/// between.
template <int Threads>
__device__ int sum_before_in_block(int x, int (&sums)[Threads / warp_size], int& total) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  int of_warp;
  const int before = sum_before<warp_size>(x, lane, of_warp);
  if (lane == 0) {
    sums[warp] = of_warp;
  }
  __syncthreads();
  const int before_warp = sum_before<warp_size>(lane < Threads / warp_size ? sums[lane] : 0, lane, total);
  return before + __shfl_sync(all_lanes, before_warp, warp);
}

/// How many of `most` lanes share a row of B: the power of two nearest to its mean length, so that lanes rarely wait
/// for one another, and those of a row read neighbouring addresses.
__device__ inline int lanes_for(int products, int rows, int most) {
  int lanes = 1;
  while (lanes < most && 3 * lanes * rows < 2 * products) {
    lanes *= 2;
  }
  return lanes;
}

/// Writes the products of the rows of B that the group's first `rows` lanes have, `length` of them from `begin` on as
/// numbers `slot`, …; each row by `lanes` neighbouring lanes.
template <int Lanes, class T>
__device__ void write_products(const CsrRef<T>& B, Offset begin, int length, T scale, int slot, int rows, int rank,
                               int lanes, const RowProducts<T>& products) {
  const int together = Lanes / lanes;
  const int mine = rank / lanes;
  const int first_product = rank & (lanes - 1);
  for (int first = 0; Lanes == warp_size ? first < rows : __any_sync(all_lanes, first < rows); first += together) {
    const int source = first + mine;
    const Offset their_begin = __shfl_sync(all_lanes, begin, source, Lanes);
    const int source_length = __shfl_sync(all_lanes, length, source, Lanes);
    const int their_length = source < rows ? source_length : 0;
    const int their_slot = __shfl_sync(all_lanes, slot, source, Lanes);
    const T their_scale = __shfl_sync(all_lanes, scale, source, Lanes);
    for (int j = first_product; j < their_length; j += lanes) {
      const Index col = B.col_indices[their_begin + j];
      const T value = B.values[their_begin + j];
      products.cols[their_slot + j] = static_cast<std::uint32_t>(col);
      products.values[their_slot + j] = their_scale * value;
    }
  }
}

template <class Key>
__device__ void order(Key& low, Key& high) {
  const Key smaller = min(low, high);
  high = max(low, high);
  low = smaller;
}

template <class Key>
__device__ Key keep(Key mine, Key other, bool smaller) {
  return smaller ? min(mine, other) : max(mine, other);
}

/// Merges ascending runs of Run / 2 keys to runs of Run, and so on up to all keys of the group; lane r has the keys
/// from r Keys on. Bitonic (Batcher 1968), the second run of each pair read backwards, so that every comparison is
/// ascending.
template <int Lanes, int Keys, int Run, class Key>
__device__ void merge_runs(Key (&keys)[Keys], int rank) {
  if constexpr (Run <= Keys) {
#pragma unroll
    for (int i = 0; i < Keys; ++i) {
      if (i % Run < Run / 2) {
        order(keys[i], keys[i + Run - 1 - 2 * (i % Run)]);
      }
    }
  } else {
    constexpr int reversal = Run / Keys - 1;
    const bool smaller = (rank & (Run / Keys / 2)) == 0;
#pragma unroll
    for (int i = 0; i < Keys / 2; ++i) {
      const Key for_low = __shfl_xor_sync(all_lanes, keys[Keys - 1 - i], reversal);
      const Key for_high = __shfl_xor_sync(all_lanes, keys[i], reversal);
      keys[i] = keep(keys[i], for_low, smaller);
      keys[Keys - 1 - i] = keep(keys[Keys - 1 - i], for_high, smaller);
    }
  }
#pragma unroll
  for (int distance = Run / 4; distance > 0; distance /= 2) {
    if (distance >= Keys) {
      const bool smaller = (rank & (distance / Keys)) == 0;
#pragma unroll
      for (int i = 0; i < Keys; ++i) {
        keys[i] = keep(keys[i], __shfl_xor_sync(all_lanes, keys[i], distance / Keys), smaller);
      }
    } else {
#pragma unroll
      for (int i = 0; i < Keys; ++i) {
        if ((i & distance) == 0) {
          order(keys[i], keys[i + distance]);
        }
      }
    }
  }
  if constexpr (Run < Lanes * Keys) {
    merge_runs<Lanes, Keys, 2 * Run>(keys, rank);
  }
}

/// Sorts n ≤ Lanes · Keys expanded products and sums those of equal column in the order of their numbers. Writes the
/// entries unless they are more than `most_entries`; returns how many there are. Every column must fit into the bits of
/// Key above those of a number.
template <int Lanes, int Keys, class Key, class T>
__device__ int sort_and_contract(const RowProducts<T>& products, int n, int rank, int most_entries, Index* col_indices,
                                 T* values) {
  static_assert(Keys % 2 == 0 && Keys <= 32);
  constexpr int number_bits = bits_below(Lanes * Keys);
  Key keys[Keys];
  __syncwarp();  // the products are written
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    const int number = rank + i * Lanes;
    keys[i] = number < n ? static_cast<Key>(products.cols[number]) << number_bits | static_cast<Key>(number) : ~Key{0};
  }
  __syncwarp();  // before their columns are overwritten
  merge_runs<Lanes, Keys, 2>(keys, rank);

  const Key before_first = __shfl_up_sync(all_lanes, keys[Keys - 1], 1, Lanes);
  unsigned begins_entry = 0;
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    const int position = rank * Keys + i;
    const Key before = i == 0 ? before_first : keys[i == 0 ? 0 : i - 1];
    const bool begins = position < n && (position == 0 || keys[i] >> number_bits != before >> number_bits);
    begins_entry |= static_cast<unsigned>(begins) << i;
  }
  int entries;
  int entry = sum_before<Lanes>(__popc(begins_entry), rank, entries);
  const bool has_room = entries <= most_entries;
  std::uint16_t* const numbers = products.numbers();
  std::uint16_t* const starts = products.starts();
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    const int position = rank * Keys + i;
    if (position < n) {
      numbers[position] = static_cast<std::uint16_t>(keys[i] & ((Key{1} << number_bits) - 1));
    }
    if ((begins_entry >> i & 1U) != 0) {
      starts[entry] = static_cast<std::uint16_t>(position);
      if (has_room) {
        col_indices[entry] = static_cast<Index>(keys[i] >> number_bits);
      }
      ++entry;
    }
  }
  __syncwarp();
  if (has_room) {
    for (int e = rank; e < entries; e += Lanes) {
      const int end = e + 1 < entries ? starts[e + 1] : n;
      T sum{0};
      for (int i = starts[e]; i < end; ++i) {
        sum += products.values[numbers[i]];
      }
      values[e] = sum;
    }
  }
  return entries;
}

/// The same for a row of a warp, by the smallest network that takes its products, of Keys to MostKeys keys a lane.
template <int Keys, int MostKeys, class Key, class T>
__device__ int sort_and_contract_warp(const RowProducts<T>& products, int n, int most_entries, Index* col_indices,
                                      T* values) {
  if constexpr (Keys < MostKeys) {
    if (n > warp_size * Keys) {
      return sort_and_contract_warp<2 * Keys, MostKeys, Key>(products, n, most_entries, col_indices, values);
    }
  }
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  return sort_and_contract<warp_size, Keys, Key>(products, n, lane, most_entries, col_indices, values);
}

}  // namespace amgsolve::esc
