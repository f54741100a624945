#pragma once

#include <cmath>

#include "amg/couplings.hpp"
#include "core/host_device.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/fat_vector.hpp"

namespace amgsolve {

/// The filter of strong_block_couplings() for a row or a node at a time: drop() for all rows, then lump() for all
/// nodes, then fill() for all rows. Exact for the first b candidates only.
template <class T, MemorySpace S>
struct BlockFilter {
  CsrRef<T> A;
  CsrRef<T> kept;  ///< its pattern: the blocks to keep, the diagonal ones among them
  FatView<const T, S> candidates;
  Index block_size;
  T* lumps;       ///< n × b: (Σ_dropped A_IJ B̄_J)_r, then columns of the change of D_I
  T* basis;       ///< n × b, scratch: B̄
  Index* pivots;  ///< n: which column of D_I column c of lumps belongs to; −1: to none

  /// Adds up what row i drops. Returns how many entries of A_F it has.
  AMGSOLVE_HOST_DEVICE Offset drop(std::int64_t i) const {
    const Index b = block_size;
    for (Index c = 0; c < b; ++c) {
      lumps[i * b + c] = T{0};
    }
    Offset count = b;  // The diagonal block is stored whole.
    walk(i, [&](Offset k, Index J, bool is_kept) {
      if (!is_kept) {
        for (Index c = 0; c < b; ++c) {
          lumps[i * b + c] += A.values[k] * candidate(A.col_indices[k], c);
        }
      } else if (J != i / b) {
        ++count;
      }
    });
    return count;
  }

  /// Solves X B̄_I = W for the change X of D_I, by elimination of columns with pivots chosen from the rows.
  AMGSOLVE_HOST_DEVICE void lump(std::int64_t node) const {
    const Index b = block_size;
    const std::int64_t first = node * b;
    T* W = lumps + first * b;
    T* M = basis + first * b;
    Index* pivot = pivots + first;
    for (Index r = 0; r < b; ++r) {
      for (Index c = 0; c < b; ++c) {
        M[r * b + c] = candidate(first + r, c);
      }
      pivot[r] = -1;
    }
    for (Index c = 0; c < b; ++c) {
      pivot[c] = pivot_row(M, pivot, first, c);
      for (Index d = c + 1; pivot[c] >= 0 && d < b; ++d) {
        const T factor = M[pivot[c] * b + d] / M[pivot[c] * b + c];
        for (Index r = 0; r < b; ++r) {
          M[r * b + d] -= factor * M[r * b + c];
          W[r * b + d] -= factor * W[r * b + c];
        }
      }
    }
    for (Index c = b; c-- > 0;) {
      if (pivot[c] < 0) {
        continue;
      }
      for (Index r = 0; r < b; ++r) {
        T sum = W[r * b + c];
        for (Index d = c + 1; d < b; ++d) {
          sum -= pivot[d] >= 0 ? W[r * b + d] * M[pivot[d] * b + c] : T{0};
        }
        W[r * b + c] = sum / M[pivot[c] * b + c];
      }
    }
    if (!leaves_a_diagonal(first)) {
      for (Index c = 0; c < b; ++c) {
        pivot[c] = -1;
      }
    }
  }

  /// Writes row i of A_F.
  AMGSOLVE_HOST_DEVICE void fill(std::int64_t i, Offset next, Index* cols, T* values) const {
    const Index b = block_size;
    const auto node = static_cast<Index>(i / b);
    Offset diagonal = -1;
    const auto open_diagonal = [&] {
      diagonal = next;
      for (Index c = 0; c < b; ++c) {
        cols[next] = node * b + c;
        values[next++] = T{0};
      }
      for (Index c = 0; c < b; ++c) {
        const Index column = pivots[static_cast<std::int64_t>(node) * b + c];
        if (column >= 0) {
          values[diagonal + column] = lumps[i * b + c];
        }
      }
    };
    walk(i, [&](Offset k, Index J, bool is_kept) {
      if (diagonal < 0 && J >= node) {
        open_diagonal();
      }
      if (J == node) {
        values[diagonal + A.col_indices[k] - node * b] += A.values[k];
      } else if (is_kept) {
        cols[next] = A.col_indices[k];
        values[next++] = A.values[k];
      }
    });
    if (diagonal < 0) {
      open_diagonal();
    }
  }

 private:
  static constexpr T dependence = sizeof(T) == sizeof(double) ? T(1.5e-8) : T(3.5e-4);  ///< √ε of T

  AMGSOLVE_HOST_DEVICE T candidate(std::int64_t row, Index c) const {
    return candidates.data[row * candidates.columns + c];
  }

  /// Calls visit(k, J, is_kept) for the entries of row i and the nodes of their columns.
  template <class Visit>
  AMGSOLVE_HOST_DEVICE void walk(std::int64_t i, const Visit& visit) const {
    const std::int64_t node = i / block_size;
    Offset block = kept.row_offsets[node];
    const Offset last_block = kept.row_offsets[node + 1];
    for (Offset k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
      const Index J = A.col_indices[k] / block_size;
      while (block < last_block && kept.col_indices[block] < J) {
        ++block;
      }
      visit(k, J, J == node || (block < last_block && kept.col_indices[block] == J));
    }
  }

  /// The row with the largest entry of column c among those that are no pivot yet; −1 where elimination left of the
  /// column no more than rounding.
  AMGSOLVE_HOST_DEVICE Index pivot_row(const T* M, const Index* pivot, std::int64_t first, Index c) const {
    T largest = 0;
    T original = 0;
    Index best = -1;
    for (Index r = 0; r < block_size; ++r) {
      original = std::fmax(original, std::fabs(candidate(first + r, c)));
      bool is_free = true;
      for (Index d = 0; d < c; ++d) {
        is_free = is_free && pivot[d] != r;
      }
      if (const T size = std::fabs(M[r * block_size + c]); is_free && size > largest) {
        largest = size;
        best = r;
      }
    }
    return largest > dependence * original ? best : -1;
  }

  AMGSOLVE_HOST_DEVICE bool leaves_a_diagonal(std::int64_t first) const {
    for (Index c = 0; c < block_size; ++c) {
      const Index r = pivots[first + c];
      if (r >= 0) {
        const T d = diagonal_entry(first + r);
        if (!(d + lumps[(first + r) * block_size + c] > static_cast<T>(least_lumped_diagonal) * d)) {
          return false;
        }
      }
    }
    return true;
  }

  AMGSOLVE_HOST_DEVICE T diagonal_entry(std::int64_t i) const {
    for (Offset k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
      if (A.col_indices[k] == i) {
        return A.values[k];
      }
    }
    return T{0};
  }
};

}  // namespace amgsolve
