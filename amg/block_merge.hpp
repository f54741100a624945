#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "core/types.hpp"

namespace amgsolve {

/// Merges the b sorted rows of a node block by block, by one thread.
template <class T>
class BlockMerge {
 public:
  /// @param cursors  room for the place in each of the b rows, `stride` apart: b is not known when this is compiled
  AMGSOLVE_HOST_DEVICE BlockMerge(const Offset* row_offsets, const Index* col_indices, const T* values,
                                  Index block_size, std::int64_t node, Offset* cursors, std::int64_t stride)
      : row_ends_(row_offsets + node * block_size + 1),
        col_indices_(col_indices),
        values_(values),
        block_size_(block_size),
        cursors_(cursors),
        stride_(stride) {
    for (Index r = 0; r < block_size; ++r) {
      cursors_[r * stride_] = row_offsets[node * block_size + r];
    }
  }

  /// The column of the block at the cursors; max_index behind the last one.
  AMGSOLVE_HOST_DEVICE Index block_col() const {
    Index least = max_index;
    for (Index r = 0; r < block_size_; ++r) {
      const Offset k = cursors_[r * stride_];
      if (k < row_ends_[r] && col_indices_[k] / block_size_ < least) {
        least = col_indices_[k] / block_size_;
      }
    }
    return least;
  }

  /// Steps over the block in that column.
  AMGSOLVE_HOST_DEVICE void skip(Index block_col) {
    for (Index r = 0; r < block_size_; ++r) {
      cursors_[r * stride_] = end_of(r, block_col);
    }
  }

  /// Its Frobenius norm.
  AMGSOLVE_HOST_DEVICE T norm(Index block_col) const {
    T largest = 0;
    for (Index r = 0; r < block_size_; ++r) {
      for (Offset k = cursors_[r * stride_], end = end_of(r, block_col); k < end; ++k) {
        const T a = std::abs(values_[k]);
        largest = largest < a ? a : largest;
      }
    }
    if (largest == T{0}) {
      return 0;
    }
    T sum = 0;
    for (Index r = 0; r < block_size_; ++r) {
      for (Offset k = cursors_[r * stride_], end = end_of(r, block_col); k < end; ++k) {
        const T a = values_[k] / largest;
        sum += a * a;
      }
    }
    return largest * std::sqrt(sum);
  }

 private:
  AMGSOLVE_HOST_DEVICE Offset end_of(Index r, Index block_col) const {
    Offset k = cursors_[r * stride_];
    while (k < row_ends_[r] && col_indices_[k] / block_size_ == block_col) {
      ++k;
    }
    return k;
  }

  const Offset* row_ends_;
  const Index* col_indices_;
  const T* values_;
  Index block_size_;
  Offset* cursors_;
  std::int64_t stride_;
};

}  // namespace amgsolve
