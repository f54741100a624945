#pragma once

#include <cmath>

#include "core/host_device.hpp"
#include "core/types.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// A block in the b sorted rows of a node, where cursors(r) is its first entry in the node's row r, or the first behind
/// it where that row has none in it.
template <class T, class Cursors>
class NodeBlock {
 public:
  AMGSOLVE_HOST_DEVICE NodeBlock(const CsrRef<T>& A, Index block_size, std::int64_t node, const Cursors& cursors)
      : row_ends_(A.row_offsets + node * block_size + 1),
        col_indices_(A.col_indices),
        values_(A.values),
        block_size_(block_size),
        first_row_(node * block_size),
        cursors_(cursors) {}

  /// Its column; max_index behind the last one.
  AMGSOLVE_HOST_DEVICE Index block_col() const {
    Index least = max_index;
    for (Index r = 0; r < block_size_; ++r) {
      const Offset k = cursors_(r);
      if (k < row_ends_[r] && col_indices_[k] / block_size_ < least) {
        least = col_indices_[k] / block_size_;
      }
    }
    return least;
  }

  /// Its Frobenius norm.
  AMGSOLVE_HOST_DEVICE T norm(Index block_col) const {
    T largest = 0;
    for (Index r = 0; r < block_size_; ++r) {
      for (Offset k = cursors_(r), end = end_of(r, block_col); k < end; ++k) {
        const T a = std::abs(values_[k]);
        largest = largest < a ? a : largest;
      }
    }
    if (largest == T{0}) {
      return 0;
    }
    T sum = 0;
    for (Index r = 0; r < block_size_; ++r) {
      for (Offset k = cursors_(r), end = end_of(r, block_col); k < end; ++k) {
        const T a = values_[k] / largest;
        sum += a * a;
      }
    }
    return largest * std::sqrt(sum);
  }

  /// Its trace, unknown r with the sign of candidate r at both nodes.
  template <MemorySpace S>
  AMGSOLVE_HOST_DEVICE T signed_trace(Index block_col, MultiVectorView<const T, S> candidates) const {
    const std::int64_t first_col = static_cast<std::int64_t>(block_col) * block_size_;
    T sum = 0;
    for (Index r = 0; r < block_size_; ++r) {
      for (Offset k = cursors_(r), end = end_of(r, block_col); k < end; ++k) {
        if (col_indices_[k] == first_col + r) {
          const bool row_is_negative = candidates.data[(first_row_ + r) * candidates.columns + r] < T{0};
          const bool col_is_negative = candidates.data[(first_col + r) * candidates.columns + r] < T{0};
          sum += row_is_negative == col_is_negative ? values_[k] : -values_[k];
        }
      }
    }
    return sum;
  }

 protected:
  /// The first entry of row r behind it.
  AMGSOLVE_HOST_DEVICE Offset end_of(Index r, Index block_col) const {
    Offset k = cursors_(r);
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
  Cursors cursors_;
};

/// Places in b rows, `stride` apart: b is not known when this is compiled.
struct KeptCursors {
  Offset* places;
  std::int64_t stride;

  AMGSOLVE_HOST_DEVICE Offset& operator()(Index r) const { return places[r * stride]; }
};

/// The block that a thread has come to, which merges the rows of a node.
template <class T>
class BlockMerge : public NodeBlock<T, KeptCursors> {
 public:
  AMGSOLVE_HOST_DEVICE BlockMerge(const CsrRef<T>& A, Index block_size, std::int64_t node, const KeptCursors& cursors)
      : NodeBlock<T, KeptCursors>(A, block_size, node, cursors) {
    for (Index r = 0; r < block_size; ++r) {
      cursors(r) = A.row_offsets[node * block_size + r];
    }
  }

  /// Steps over the block, whose column this is.
  AMGSOLVE_HOST_DEVICE void skip(Index block_col) {
    for (Index r = 0; r < this->block_size_; ++r) {
      this->cursors_(r) = this->end_of(r, block_col);
    }
  }

  /// Calls visitor.visit(node, number, column, block) for all blocks of the node, and visitor.finish(node, count).
  template <class Visitor>
  AMGSOLVE_HOST_DEVICE void visit_all(std::int64_t node, const Visitor& visitor) {
    Offset count = 0;
    for (Index column = this->block_col(); column != max_index; column = this->block_col()) {
      visitor.visit(node, count, column, *this);
      skip(column);
      ++count;
    }
    visitor.finish(node, count);
  }
};

}  // namespace amgsolve
