#pragma once

#include "dist/local_matrix.hpp"
#include "spgemm/options.hpp"

namespace amgsolve {

/// The strip of C = A B: the rows of B that A's ghosts stand for are fetched, then the local product of windows sums
/// every c_ij in the order that it has on one rank. Collective.
/// @param A  its columns are B's rows
template <class T, MemorySpace S>
LocalMatrix<T, S> multiply(Context<S>& ctx, const LocalMatrix<T, S>& A, const LocalMatrix<T, S>& B,
                           const SpgemmOptions& options);

/// What a product A B of few rows takes: A with the columns that it has entries in, and the rows of B that these are,
/// whoever owns them.
template <class T, MemorySpace S>
struct NarrowOperands {
  CsrMatrix<T, S> A;
  LocalMatrix<T, S> B;  ///< A.cols rows, of which no other rank has a part
};

/// Collective.
/// @param A  every ghost of its window has an entry, as to_local() and this function leave them
template <class T, MemorySpace S>
NarrowOperands<T, S> narrow_operands(Context<S>& ctx, const LocalMatrix<T, S>& A, const LocalMatrix<T, S>& B);

/// The strip of Aᵀ: entries go to the owners of their columns. Collective.
/// @param rows  of A
template <class T, MemorySpace S>
LocalMatrix<T, S> transpose(Context<S>& ctx, const LocalMatrix<T, S>& A, const Partition& rows);

}  // namespace amgsolve
