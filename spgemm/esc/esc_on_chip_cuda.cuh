#pragma once

#include <cstdint>

#include "core/lane_scan_cuda.cuh"
#include "spgemm/esc/tuning.hpp"
#include "spgemm/rows/lanes_of_rows_cuda.cuh"
#include "spgemm/rows/scaled_row_cuda.cuh"
#include "spmv/index_bits.hpp"

/// Expansion, sorting and contraction of one row on chip; see esc.hpp. `Lanes` neighbouring lanes of a warp (a
/// power of two) work on a row together. All lanes of the warp must call, also those whose row is empty. Products are
/// numbered in the order of A's row; a key holds a product's column above its number, so that no two keys are equal and
/// any sort is stable.
namespace amgsolve::esc {

/// Whether the keys of `products` products with columns below `cols` have 32 bits at most.
constexpr bool has_narrow_keys(Index cols, int products) { return bits_below(cols) + bits_below(products) <= 32; }

/// The expanded products of a row in shared memory. Once the keys are made of the columns, their room takes the numbers
/// of the sorted products and the positions where the entries begin, or the columns of the entries.
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

/// Writes the products of the rows of B that the group's first `rows` lanes have, `length` of them from `begin` on as
/// numbers `slot`, …; each row by `lanes` neighbouring lanes, several rows' reads under way at a time.
template <int Lanes, class T>
__device__ void write_products(const CsrRef<T>& B, Offset begin, int length, T scale, int slot, int rows, int rank,
                               int lanes, const RowProducts<T>& products) {
  constexpr int unroll = Lanes == warp_size ? 4 : 2;
  const int together = Lanes / lanes;
  const int first_product = rank & (lanes - 1);
  for (int first = rank / lanes; __any_sync(all_lanes, first < rows); first += unroll * together) {
    Offset k[unroll];
    int left[unroll];
    Index col[unroll];
    T value[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const int source = first + u * together;
      k[u] = __shfl_sync(all_lanes, begin, source, Lanes) + first_product;
      left[u] = __shfl_sync(all_lanes, length, source, Lanes) - first_product;
      left[u] = source < rows ? left[u] : 0;
      if (left[u] > 0) {
        col[u] = B.col_indices[k[u]];
        value[u] = B.values[k[u]];
      }
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const int source = first + u * together;
      int number = __shfl_sync(all_lanes, slot, source, Lanes) + first_product;
      const T their_scale = __shfl_sync(all_lanes, scale, source, Lanes);
      while (left[u] > 0) {
        products.cols[number] = static_cast<std::uint32_t>(col[u]);
        products.values[number] = their_scale * value[u];
        number += lanes;
        k[u] += lanes;
        left[u] -= lanes;
        if (left[u] > 0) {
          col[u] = B.col_indices[k[u]];
          value[u] = B.values[k[u]];
        }
      }
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

/// A lane's share of a row's sorted products: those at positions rank · Keys, … that are below n.
template <int Keys>
struct Share {
  unsigned begins;  ///< bit i: the i-th begins an entry
  int size;
  int first_entry;  ///< number of the first entry that begins here
};

/// Sums the products of each entry by a lane that reads one after the other from shared memory: for shares that would
/// take too many registers. Writes columns and values.
template <int Lanes, int Keys, class Key, class T>
__device__ void contract_in_shared_memory(const RowProducts<T>& products, const Key (&keys)[Keys], int number_bits,
                                          const Share<Keys>& share, int n, int entries, int rank, Index* col_indices,
                                          T* values) {
  std::uint16_t* const numbers = products.numbers();
  std::uint16_t* const starts = products.starts();
  int entry = share.first_entry;
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    const int position = rank * Keys + i;
    if (i < share.size) {
      numbers[position] = static_cast<std::uint16_t>(keys[i] & ((Key{1} << number_bits) - 1));
    }
    if ((share.begins >> i & 1U) != 0) {
      starts[entry] = static_cast<std::uint16_t>(position);
      col_indices[entry] = static_cast<Index>(keys[i] >> number_bits);
      ++entry;
    }
  }
  __syncwarp();
  for (int e = rank; e < entries; e += Lanes) {
    const int end = e + 1 < entries ? starts[e + 1] : n;
    T sum{0};
    for (int i = starts[e]; i < end; ++i) {
      sum += products.values[numbers[i]];
    }
    values[e] = sum;
  }
}

/// The same with every share in registers, which is quicker: each lane sums the entries that begin in its share, then
/// those that began before it go on from the sum of the lane before, as soon as that is known. Entries are put in order
/// in shared memory, so that they are written side by side.
template <int Lanes, int Keys, class Key, class T>
__device__ void contract_in_registers(const RowProducts<T>& products, const Key (&keys)[Keys], int number_bits,
                                      const Share<Keys>& share, int n, int entries, int rank, Index* col_indices,
                                      T* values) {
  T sums[Keys];
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    sums[i] = i < share.size ? products.values[static_cast<int>(keys[i] & ((Key{1} << number_bits) - 1))] : T{0};
  }
  const int leading = share.begins == 0 ? share.size : __ffs(static_cast<int>(share.begins)) - 1;
  T sum{0};
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    if (i >= leading && i < share.size) {
      sum = ((share.begins >> i & 1U) != 0 ? T{0} : sum) + sums[i];
      sums[i] = sum;
    }
  }
  bool is_known = share.begins != 0;  // `sum`, where the next lane goes on
  bool waits = leading > 0;
  while (__any_sync(all_lanes, waits)) {
    const T before = __shfl_up_sync(all_lanes, sum, 1, Lanes);
    const bool is_before_known = __shfl_up_sync(all_lanes, static_cast<int>(is_known), 1, Lanes) != 0;
    if (waits && is_before_known) {
      T continued = before;
#pragma unroll
      for (int i = 0; i < Keys; ++i) {
        if (i < leading) {
          continued += sums[i];
          sums[i] = continued;
        }
      }
      sum = is_known ? sum : continued;
      is_known = true;
      waits = false;
    }
  }
  const bool next_begins = (__shfl_down_sync(all_lanes, share.begins, 1, Lanes) & 1U) != 0 && rank + 1 < Lanes;
  __syncwarp();  // all products are read
  int entry = share.first_entry - 1;
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    entry += static_cast<int>(share.begins >> i & 1U);
    const bool ends = i + 1 < Keys ? (share.begins >> (i + 1) & 1U) != 0 : next_begins;
    if (i < share.size && (ends || rank * Keys + i == n - 1)) {
      products.cols[entry] = static_cast<std::uint32_t>(keys[i] >> number_bits);
      products.values[entry] = sums[i];
    }
  }
  __syncwarp();
  for (int e = rank; e < entries; e += Lanes) {
    col_indices[e] = static_cast<Index>(products.cols[e]);
    values[e] = products.values[e];
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
  Share<Keys> share{0, min(max(n - rank * Keys, 0), Keys), 0};
#pragma unroll
  for (int i = 0; i < Keys; ++i) {
    const Key before = i == 0 ? before_first : keys[i == 0 ? 0 : i - 1];
    const bool begins = i < share.size && ((i == 0 && rank == 0) || keys[i] >> number_bits != before >> number_bits);
    share.begins |= static_cast<unsigned>(begins) << i;
  }
  int entries;
  share.first_entry = sum_before<Lanes>(__popc(share.begins), entries);
  // The lanes of a warp must stay together, whatever its rows have room for.
  const int written = entries <= most_entries ? entries : 0;
  if (__any_sync(all_lanes, written > 0)) {
    if constexpr (Keys <= most_keys_in_registers) {
      contract_in_registers<Lanes>(products, keys, number_bits, share, n, written, rank, col_indices, values);
    } else {
      contract_in_shared_memory<Lanes>(products, keys, number_bits, share, n, written, rank, col_indices, values);
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
