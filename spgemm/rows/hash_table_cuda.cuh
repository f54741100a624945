#pragma once

#include <cstdint>

#include "core/parallel_cuda.cuh"
#include "spgemm/rows/scaled_row_cuda.cuh"

/// What both passes of the hash algorithm are made of; see hash_two_pass.hpp.
namespace amgsolve::hash {

/// 2, 4, … 32 neighbouring lanes of a warp that work on a row together. Other groups of the warp go their own way.
class LaneGroup {
 public:
  __device__ explicit LaneGroup(int size)
      : size_(size),
        rank_(static_cast<int>(threadIdx.x) % size),
        mask_((size == warp_size ? 0xffffffffU : (1U << size) - 1) << (threadIdx.x % warp_size - rank_)) {}

  __device__ int size() const { return size_; }
  __device__ int rank() const { return rank_; }
  /// Number of this group in its block.
  __device__ int index_in_block() const { return static_cast<int>(threadIdx.x) / size_; }

  __device__ void sync() const { __syncwarp(mask_); }

  /// The group's lanes with the predicate; `before`: how many of them precede this one. Orders memory accesses.
  __device__ int count(bool predicate) const {
    int before;
    return count(predicate, before);
  }
  __device__ int count(bool predicate, int& before) const {
    __syncwarp(mask_);
    const unsigned lanes = __ballot_sync(mask_, predicate);
    before = __popc(lanes & ((1U << (threadIdx.x % warp_size)) - 1));
    return __popc(lanes);
  }

 private:
  int size_;
  int rank_;
  unsigned mask_;
};

/// A block that works on a row together.
class BlockGroup {
 public:
  __device__ explicit BlockGroup(int size) : size_(size) {}

  __device__ int size() const { return size_; }
  __device__ int rank() const { return static_cast<int>(threadIdx.x); }
  __device__ int index_in_block() const { return 0; }
  __device__ void sync() const { __syncthreads(); }
  __device__ int count(bool predicate) const { return __syncthreads_count(predicate); }

 private:
  int size_;
};

/// A row's table: columns and values at the slots that the columns' hashes lead to.
template <class T>
struct Table {
  // As an unsigned number larger than any column, so that sorting by column moves empty slots to the end.
  static constexpr std::uint32_t empty = 0xffffffffU;

  std::uint32_t* cols;
  T* values;
  int slots;

  /// The slot of a column, taken for it where it is new. Ends, since the table is never full: it has at most limit
  /// entries when a step begins, and a step adds no more than threads ≤ slots − limit.
  __device__ int find_or_insert(Index col, bool& is_new) const {
    const auto wanted = static_cast<std::uint32_t>(col);
    // Fibonacci hashing (Knuth, vol. 3, 6.4); slots is a power of two.
    int slot = static_cast<int>((wanted * 0x9E3779B9U) >> (__clz(slots) + 1));
    for (;; slot = (slot + 1) & (slots - 1)) {
      const std::uint32_t found = atomicCAS(cols + slot, empty, wanted);
      if (found == empty || found == wanted) {
        is_new = found == empty;
        return slot;
      }
    }
  }

  template <class Group>
  __device__ void clear(const Group& group) const {
    for (int slot = group.rank(); slot < slots; slot += group.size()) {
      cols[slot] = empty;
    }
  }
};

/// Bytes between the tables of a block, in elements: neighbouring groups begin at different banks of shared memory, so
/// that lanes with the same slot of their tables do not collide.
inline __host__ __device__ int table_stride(int slots, int threads) {
  return threads > warp_size ? slots : slots + threads;
}

/// A block's shared memory: the rows of B in work, a group's worth for each group, then the tables of all groups.
template <class T>
struct SharedLayout {
  int slots;
  int threads;  ///< of a group
  int block_threads;

  __host__ __device__ int elements() const { return block_threads / threads * table_stride(slots, threads); }
  __host__ __device__ std::size_t bytes() const {
    return block_threads * sizeof(ScaledRow<T>) +
           elements() * (sizeof(std::uint32_t) + (has_values<T> ? sizeof(T) : 0));
  }

  /// `shared` is aligned to 16 bytes.
  template <class Group>
  __device__ ScaledRow<T>* scaled_rows(unsigned char* shared, const Group& group) const {
    return reinterpret_cast<ScaledRow<T>*>(shared) + group.index_in_block() * threads;
  }
  template <class Group>
  __device__ Table<T> table(unsigned char* shared, const Group& group) const {
    unsigned char* values = shared + block_threads * sizeof(ScaledRow<T>);
    unsigned char* cols = values + (has_values<T> ? elements() * sizeof(T) : 0);
    const int offset = group.index_in_block() * table_stride(slots, threads);
    return {reinterpret_cast<std::uint32_t*>(cols) + offset, reinterpret_cast<T*>(values) + offset, slots};
  }
};

/// Calls add(k, scale) → whether the product is the first of its entry, for every product scale · b_k of row `row` of
/// A B: one row of B after the other, its entries by the group's threads side by side. Returns the number of entries
/// found, or, as soon as it is more than `limit`, that number.
template <class Group, class T, class Add>
__device__ Index for_each_product(const Group& group, const CsrRef<T>& A, const CsrRef<T>& B, Index row,
                                  ScaledRow<T>* scaled_rows, Index limit, const Add& add) {
  Index entries = 0;
  const Offset end = A.row_offsets[row + 1];
  for (Offset first = A.row_offsets[row]; first < end; first += group.size()) {
    const int rows = static_cast<int>(min(end - first, static_cast<Offset>(group.size())));
    group.sync();  // the rows of B before are done with
    if (group.rank() < rows) {
      scaled_rows[group.rank()] = load_scaled_row(A, B, first + group.rank(), end);
    }
    group.sync();
    for (int r = 0; r < rows; ++r) {
      const ScaledRow<T> scaled = scaled_rows[r];
      for (Index step = 0; step < scaled.length; step += group.size()) {
        const bool works = group.rank() < scaled.length - step;
        entries += group.count(works && add(scaled.begin + step + group.rank(), scaled.scale));
        if (entries > limit) {
          return entries;
        }
      }
    }
  }
  return entries;
}

}  // namespace amgsolve::hash
