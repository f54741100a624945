#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "core/types.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/fat_vector.hpp"

namespace amgsolve {

/// Merges the b sorted rows of a node block by block, by one thread.
template <class T>
class BlockMerge {
 public:
  /// @param cursors  room for the place in each of the b rows, `stride` apart: b is not known when this is compiled
  AMGSOLVE_HOST_DEVICE BlockMerge(const CsrRef<T>& A, Index block_size, std::int64_t node, Offset* cursors,
                                  std::int64_t stride)
      : row_ends_(A.row_offsets + node * block_size + 1),
        col_indices_(A.col_indices),
        values_(A.values),
        block_size_(block_size),
        first_row_(node * block_size),
        cursors_(cursors),
        stride_(stride) {
    for (Index r = 0; r < block_size; ++r) {
      cursors_[r * stride_] = A.row_offsets[first_row_ + r];
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

  /// Its trace, unknown r with the sign of candidate r at both nodes.
  template <MemorySpace S>
  AMGSOLVE_HOST_DEVICE T signed_trace(Index block_col, FatView<const T, S> candidates) const {
    const std::int64_t first_col = static_cast<std::int64_t>(block_col) * block_size_;
    T sum = 0;
    for (Index r = 0; r < block_size_; ++r) {
      for (Offset k = cursors_[r * stride_], end = end_of(r, block_col); k < end; ++k) {
        if (col_indices_[k] == first_col + r) {
          const bool row_is_negative = candidates.data[(first_row_ + r) * candidates.columns + r] < T{0};
          const bool col_is_negative = candidates.data[(first_col + r) * candidates.columns + r] < T{0};
          sum += row_is_negative == col_is_negative ? values_[k] : -values_[k];
        }
      }
    }
    return sum;
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
  std::int64_t first_row_;
  Offset* cursors_;
  std::int64_t stride_;
};

}  // namespace amgsolve
