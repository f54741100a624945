#pragma once

#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// The pattern of Aᵀ and where in A its values lie, for transposing many matrices of one pattern: what an operator's
/// new values need. Results have the bits of transpose(). All functions throw std::invalid_argument naming both where a
/// matrix has not the sizes or number of entries of the pattern; that its pattern is the same is the caller's promise.
template <class T, MemorySpace S>
class TransposePlan {
 public:
  /// As costly as transpose(), whose scratch it needs.
  TransposePlan(Context<S>& ctx, const CsrMatrix<T, S>& A);

  /// Aᵀ. One pass over its entries: 12 + 2 sizeof(T) bytes each.
  CsrMatrix<T, S> transpose(Context<S>& ctx, const CsrMatrix<T, S>& A) const;

  /// Puts the values of A into an At that transpose() made. Allocates nothing.
  void update(Context<S>& ctx, const CsrMatrix<T, S>& A, CsrMatrix<T, S>& At) const;

  /// What the plan holds: 8 bytes a row of Aᵀ and an entry.
  std::size_t bytes() const { return row_offsets_.bytes() + col_indices_.bytes() + places_.bytes(); }

 private:
  Index rows_;  ///< of Aᵀ
  Index cols_;
  Buffer<Offset, S> row_offsets_;
  Buffer<Index, S> col_indices_;
  Buffer<Index, S> places_;  ///< of each entry in its row of A
};

}  // namespace amgsolve
