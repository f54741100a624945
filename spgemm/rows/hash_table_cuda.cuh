#pragma once

#include <cstdint>

#include "core/thread_group_cuda.cuh"
#include "spgemm/rows/scaled_row_cuda.cuh"
#include "spgemm/rows/tuning.hpp"

namespace amgsolve {

/// A row's table of values by columns in shared memory: open addressing in buckets of four slots, which a thread reads
/// at once. All lanes of the warp make every call together.
template <class T>
struct HashTable {
  // As an unsigned number larger than any column.
  static constexpr std::uint32_t empty = 0xffffffffU;
  static constexpr int bucket_slots = 4;

  /// Slots from one table to the next beyond their own: groups that read the same slot of theirs in fours use different
  /// banks. The entries, moved to the front, end there with empty slots.
  static constexpr int gap = 4;

  T* values;
  std::uint32_t* cols;  ///< aligned to a bucket
  int slots;
  int buckets;           ///< a power of two
  int shift;             ///< 32 − log2(buckets)
  int entries = 0;       ///< that this thread added
  bool is_full = false;  ///< whether this thread found no slot for an entry

  __device__ HashTable(T* values_, std::uint32_t* cols_, int slots_)
      : values(values_), cols(cols_), slots(slots_), buckets(slots_ / bucket_slots) {
    shift = __clz(buckets) + 1;
  }

  /// The table of a group in the shared memory of its block, which begins with them and is aligned to 16 bytes.
  __device__ HashTable(unsigned char* shared, int slots_, int group, int groups)
      : values(reinterpret_cast<T*>(shared) + group * (slots_ + gap)),
        cols(reinterpret_cast<std::uint32_t*>(shared + groups * (slots_ + gap) * value_bytes) + group * (slots_ + gap)),
        slots(slots_),
        buckets(slots_ / bucket_slots) {
    shift = __clz(buckets) + 1;
  }

  /// Shared memory for the tables of a block.
  static std::size_t bytes(int slots, int groups) {
    return static_cast<std::size_t>(groups) * (slots + gap) * (value_bytes + sizeof(std::uint32_t));
  }

  template <class Group>
  __device__ void clear() {
    const int end = slots;  // a local one, which no store to the table can change
    for (int slot = Group::rank(); slot < end; slot += Group::size) {
      cols[slot] = empty;
    }
    entries = 0;
    is_full = false;
  }

  /// values[col] += x, for the active threads, whose columns differ, unless they are only counted.
  template <bool columns_differ = true>
  __device__ void add(bool is_active, Index col, T x) {
    static_assert(columns_differ || !has_values<T>);
    const auto wanted = static_cast<std::uint32_t>(col);
    // Fibonacci hashing (Knuth, vol. 3, 6.4).
    int bucket = static_cast<int>((wanted * 0x9E3779B9U) >> shift);
    // Lanes without a product do not even read: shared memory is what binds.
    int slot = is_active ? find(bucket, wanted) : -1;
    bool searches = is_active && slot < 0;
    for (int full_buckets = 0; __any_sync(all_lanes, searches);) {
      if (searches) {
        slot = find(bucket, empty);
        if (slot < 0) {
          bucket = (bucket + 1) & (buckets - 1);
          slot = find(bucket, wanted);
          is_full = is_full || ++full_buckets > buckets;
          searches = slot < 0 && !is_full;
        } else if (const std::uint32_t found = atomicCAS(cols + slot, empty, wanted);
                   found == empty || (!columns_differ && found == wanted)) {
          if (found == empty) {
            if constexpr (has_values<T>) {
              values[slot] = 0;
            }
            ++entries;
          }
          searches = false;
        }
      }
    }
    if constexpr (has_values<T>) {
      if (is_active && slot >= 0) {
        values[slot] += x;
      }
    }
  }

  /// Moves the entries to the front, in any order, with a gap of empty slots behind them. Returns their number.
  template <class Group>
  __device__ int compact() {
    int moved = 0;
    const int end = slots;  // a local one, which no store to the table can change
    for (int slot = Group::rank(); slot < end; slot += Group::size) {
      const std::uint32_t col = cols[slot];
      const bool is_entry = col != empty;
      const T value = is_entry ? values[slot] : T{0};
      int before;
      const int found = Group::count(is_entry, before);  // behind it, all have read what the first of them overwrite
      if (is_entry) {
        cols[moved + before] = col;
        values[moved + before] = value;
      }
      moved += found;
    }
    Group::sync();
    if (Group::rank() < gap) {
      cols[moved + Group::rank()] = empty;
    }
    Group::sync();
    return moved;
  }

 private:
  static constexpr std::size_t value_bytes = has_values<T> ? sizeof(T) : 0;

  /// The slot of the bucket that holds `wanted`; negative where none does.
  __device__ int find(int bucket, std::uint32_t wanted) const {
    const uint4 found = reinterpret_cast<const uint4*>(cols)[bucket];
    const int first = bucket_slots * bucket;
    int slot = found.x == wanted ? first : -1;
    slot = found.y == wanted ? first + 1 : slot;
    slot = found.z == wanted ? first + 2 : slot;
    return found.w == wanted ? first + 3 : slot;
  }
};

/// The entries of a compacted table in the order of their columns. Every entry finds its position by counting the
/// columns below its own: quadratic, but without a branch that depends on the data.
template <class Group, class T>
class SortedEntries {
 public:
  /// Finds the first positions.
  __device__ SortedEntries(const HashTable<T>& table, int entries) : table_(table), entries_(entries) {
    find_positions(Group::rank());
  }

  __device__ void write(Index* col_indices, T* values) {
    for (int first = Group::rank();;) {
#pragma unroll
      for (int i = 0; i < positions_at_a_time; ++i) {
        if (const int entry = first + i * Group::size; entry < entries_) {
          col_indices[positions_[i]] = static_cast<Index>(table_.cols[entry]);
          values[positions_[i]] = table_.values[entry];
        }
      }
      first += positions_at_a_time * Group::size;
      if (first >= entries_) {
        return;
      }
      find_positions(first);
    }
  }

 private:
  __device__ void find_positions(int first) {
    std::uint32_t cols[positions_at_a_time];
#pragma unroll
    for (int i = 0; i < positions_at_a_time; ++i) {
      cols[i] = first + i * Group::size < entries_ ? table_.cols[first + i * Group::size] : 0;
      positions_[i] = 0;
    }
    const auto* const fours = reinterpret_cast<const uint4*>(table_.cols);
    for (int four = 0; 4 * four < entries_; ++four) {
      const uint4 other = fours[four];
#pragma unroll
      for (int i = 0; i < positions_at_a_time; ++i) {
        positions_[i] += (other.x < cols[i]) + (other.y < cols[i]) + (other.z < cols[i]) + (other.w < cols[i]);
      }
    }
  }

  const HashTable<T>& table_;
  int entries_;
  int positions_[positions_at_a_time];
};

}  // namespace amgsolve
