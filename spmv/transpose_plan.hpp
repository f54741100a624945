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

  /// Aᵀ over the plan's own pattern, which is borrowed: only values are allocated. One pass over the entries. The plan
  /// must outlive Aᵀ.
  CsrMatrix<T, S> transpose(Context<S>& ctx, const CsrMatrix<T, S>& A) const;

  /// What the plan holds: 8 bytes a row of Aᵀ and an entry.
  std::size_t bytes() const { return pattern_.bytes() + places_.bytes(); }

 private:
  CsrMatrix<T, S> pattern_;  ///< Aᵀ without values
  Buffer<Index, S> places_;  ///< of each entry in its row of A
};

}  // namespace amgsolve
