#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "core/workspace.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// Lists the products a_ik b_kj of a row of C = A B, in the order of A's row: their columns and values. Rows of B are
/// copied in pieces of fixed size that may reach past their end. Where they are short, as those of a prolongator are, a
/// loop over each would end in a mispredicted branch every few products. One a thread.
template <class T>
class ProductList {
 public:
  ProductList(WorkspaceScope<Host>& scope, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B)
      : a_offsets_(A.row_offsets.data()),
        a_cols_(A.col_indices.data()),
        a_values_(A.values.data()),
        last_a_(A.nnz() - 1),
        b_offsets_(B.row_offsets.data()),
        b_cols_(B.col_indices.data()),
        b_values_(B.values.data()),
        last_piece_(B.nnz() - piece),
        cols_(scope.take<Index>(limit + piece).data()),
        values_(scope.take<T>(limit + piece).data()) {}

  /// Calls sink(cols, values, count) with parts of the list of row i, from the first to the last.
  template <class Sink>
  void list(Index i, const Sink& sink) {
    // Copies of the members, since stores to the list could otherwise change them for all that the compiler knows.
    Index* const cols = cols_;
    T* const values = values_;
    const Index* const a_cols = a_cols_;
    const T* const a_values = a_values_;
    const Offset last_a = last_a_;
    const Offset* const b_offsets = b_offsets_;
    const Index* const b_cols = b_cols_;
    const T* const b_values = b_values_;
    const Offset last_piece = last_piece_;
    Offset listed = 0;
    const Offset a_end = a_offsets_[i + 1];
    for (Offset k = a_offsets_[i]; k < a_end; ++k) {
      const Offset ahead = b_offsets[a_cols[std::min(k + prefetch_distance, last_a)]];
      __builtin_prefetch(b_cols + ahead);
      __builtin_prefetch(b_values + ahead);
      __builtin_prefetch(b_values + ahead + piece);
      const T a = a_values[k];
      const Offset b_end = b_offsets[a_cols[k] + 1];
      for (Offset l = b_offsets[a_cols[k]]; l < b_end; l += piece) {
        const Offset copied = l <= last_piece ? piece : b_end - l;
        copy(b_cols + l, copied, cols + listed);
        scale(a, b_values + l, copied, values + listed);
        listed += std::min(piece, b_end - l);
        if (listed >= limit) {
          sink(cols, values, listed);
          listed = 0;
        }
      }
    }
    sink(cols, values, listed);
  }

 private:
  static constexpr Offset piece = 8;
  static constexpr Offset limit = 1024;  // 12 kB: stays in the nearest cache
  // Entries of A ahead: rows of B lie apart and are too short for the processor to foresee. Half the time of R (A P) on
  // an AMD EPYC (Zen 5); 8 and 32 are no better.
  static constexpr Offset prefetch_distance = 16;

  static void copy(const Index* from, Offset count, Index* to) {
    if (count == piece) {
      std::memcpy(to, from, piece * sizeof(Index));
    } else {
      std::copy_n(from, count, to);
    }
  }

  static void scale(T a, const T* from, Offset count, T* to) {
    if (count == piece) {
      std::array<T, piece> scaled;
      std::memcpy(scaled.data(), from, sizeof(scaled));
      for (T& value : scaled) {
        value *= a;
      }
      std::memcpy(to, scaled.data(), sizeof(scaled));
    } else {
      std::transform(from, from + count, to, [a](T value) { return a * value; });
    }
  }

  const Offset* a_offsets_;
  const Index* a_cols_;
  const T* a_values_;
  Offset last_a_;
  const Offset* b_offsets_;
  const Index* b_cols_;
  const T* b_values_;
  Offset last_piece_;
  Index* cols_;
  T* values_;
};

}  // namespace amgsolve
