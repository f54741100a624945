#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/vectors_host.hpp"
#include "core/workspace.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// Lists the products a_ik b_kj of an entry a_ik of A, for C = A B. Rows of B are copied in pieces of fixed size that
/// may reach past their end. Where they are short, as those of a prolongator are, a loop over each would end in a
/// mispredicted branch every few products. Plain values, to be copied into a function that lists: stores to the list
/// could otherwise change them for all that the compiler knows.
template <class T>
class ProductFactors {
 public:
  static constexpr Offset piece = 8;

  ProductFactors(const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B)
      : a_offsets_(A.row_offsets.data()),
        a_cols_(A.col_indices.data()),
        a_values_(A.values.data()),
        last_a_(A.nnz() - 1),
        b_offsets_(B.row_offsets.data()),
        b_cols_(B.col_indices.data()),
        b_values_(B.values.data()),
        last_piece_(B.nnz() - piece) {}

  /// The entries of A's row i.
  Offset begin(Index i) const { return a_offsets_[i]; }
  Offset end(Index i) const { return a_offsets_[i + 1]; }

  /// The products of entry k of A.
  Offset count(Offset k) const { return b_offsets_[a_cols_[k] + 1] - b_offsets_[a_cols_[k]]; }

  /// Writes the products of entry k, columns times 2^Shift, and up to piece − 1 elements more. Returns their count.
  template <int Shift = 0>
  Offset list(Offset k, Index* cols, T* values) const {
    const Offset ahead = b_offsets_[a_cols_[std::min(k + prefetch_distance, last_a_)]];
    __builtin_prefetch(b_cols_ + ahead);
    __builtin_prefetch(b_values_ + ahead);
    // An address and no pointer: it may be of no element, where B has none even of nothing.
    __builtin_prefetch(
        reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(b_values_ + ahead) + piece * sizeof(T)));
    const Offset begin = b_offsets_[a_cols_[k]];
    const Offset count = b_offsets_[a_cols_[k] + 1] - begin;
    if (begin + count > last_piece_) [[unlikely]] {
      scale_exactly(Index{1} << Shift, b_cols_ + begin, count, cols);
      scale_exactly(a_values_[k], b_values_ + begin, count, values);
    } else {
      for (Offset l = 0; l < count; l += piece) {
        scale_piece(Index{1} << Shift, b_cols_ + begin + l, cols + l);
        scale_piece(a_values_[k], b_values_ + begin + l, values + l);
      }
    }
    return count;
  }

  /// Writes `count` products of entry k from product `first` on, and nothing else.
  void list_part(Offset k, Offset first, Offset count, Index* cols, T* values) const {
    const Offset begin = b_offsets_[a_cols_[k]] + first;
    scale_exactly(Index{1}, b_cols_ + begin, count, cols);
    scale_exactly(a_values_[k], b_values_ + begin, count, values);
  }

 private:
  // Entries of A ahead: rows of B lie apart and are too short for the processor to foresee. Half the time of R (A P) on
  // an AMD EPYC (Zen 5); 8 and 32 are no better.
  static constexpr Offset prefetch_distance = 16;

  template <class V>
  static void scale_piece(V factor, const V* from, V* to) {
    constexpr std::size_t lanes = lanes_of<V>(std::size_t{piece});
    for (std::size_t l = 0; l < std::size_t{piece}; l += lanes) {
      store_lanes<lanes>(factor * load_lanes<lanes>(from + l), to + l);
    }
  }

  // A call: inlined, the rare case takes registers from the common one.
  template <class V>
  [[gnu::noinline]] static void scale_exactly(V factor, const V* from, Offset count, V* to) {
    std::transform(from, from + count, to, [factor](V value) { return factor * value; });
  }

  const Offset* a_offsets_;
  const Index* a_cols_;
  const T* a_values_;
  Offset last_a_;
  const Offset* b_offsets_;
  const Index* b_cols_;
  const T* b_values_;
  Offset last_piece_;
};

/// Lists the products of a row of C = A B, in the order of A's row: their columns and values. One a thread.
/// @tparam Factors  ProductFactors<T>, or what lists the products of an entry of A as it does
template <class T, class Factors>
class ProductList {
 public:
  ProductList(WorkspaceScope<Host>& scope, const Factors& factors)
      : factors_(factors),
        cols_(scope.take<Index>(limit + Factors::piece).data()),
        values_(scope.take<T>(limit + Factors::piece).data()) {}

  /// Calls sink(cols, values, count) with parts of the list of row i, from the first to the last.
  template <class Sink>
  void list(Index i, const Sink& sink) {
    const Factors factors = factors_;
    Index* const cols = cols_;
    T* const values = values_;
    const Offset end = factors.end(i);
    Offset listed = 0;
    for (Offset k = factors.begin(i); k < end; ++k) {
      if (factors.count(k) > limit - listed) [[unlikely]] {
        listed = fill(k, listed, sink);
      } else {
        listed += factors.list(k, cols + listed, values + listed);
      }
    }
    sink(cols, values, listed);
  }

 private:
  static constexpr Offset limit = 1024;  // 12 kB: stays in the nearest cache

  /// Lists the products of entry k of A after `listed` others, in as many parts as they take. Returns what is listed
  /// after the last full one.
  template <class Sink>
  [[gnu::noinline]] Offset fill(Offset k, Offset listed, const Sink& sink) {
    const Offset count = factors_.count(k);
    for (Offset first = 0; first < count;) {
      if (listed == limit) {
        sink(cols_, values_, listed);
        listed = 0;
      }
      const Offset part = std::min(count - first, limit - listed);
      factors_.list_part(k, first, part, cols_ + listed, values_ + listed);
      first += part;
      listed += part;
    }
    return listed;
  }

  Factors factors_;
  Index* cols_;
  T* values_;
};

}  // namespace amgsolve
