#pragma once

#include "dist/local_matrix.hpp"
#include "spgemm/options.hpp"

namespace amgsolve {

/// Which ghosts the window of a product A B has.
enum class ProductGhosts {
  all,  ///< those of B's rows that take part; B gets the same window where its arrays have margins
  used  ///< those that A B has entries in; B cannot be exchanged any more
};

/// The strip of C = A B: the rows of B that A's ghosts stand for are fetched, then the local product of windows sums
/// every c_ij in the order that it has on one rank. Collective.
/// @param A        its columns are B's rows
/// @param B        another object than A; is left as it is but for its window. Where its margins
/// (SpgemmOptions::margins, margins_for()) hold
///                 the rows that are fetched nothing of it is copied
template <class T, MemorySpace S>
LocalMatrix<T, S> multiply(Context<S>& ctx, const LocalMatrix<T, S>& A, LocalMatrix<T, S>& B,
                           const SpgemmOptions& options, ProductGhosts ghosts = ProductGhosts::all);

/// Beside the rows of a matrix by which one of these columns is to be multiplied.
template <MemorySpace S>
RowMargins margins_for(const Layout<S>& columns) {
  return {columns.first_own(), columns.columns() - columns.first_own() - columns.own_rows()};
}

/// What a product A B of few rows takes: A with the columns that it has entries in, and the rows of B that these are,
/// whoever owns them.
template <class T, MemorySpace S>
struct NarrowOperands {
  CsrMatrix<T, S> A;
  LocalMatrix<T, S> B;  ///< A.cols rows, of which no other rank has a part
};

/// Collective.
/// @param A        every ghost of its window has an entry, as to_local() and this function leave them
/// @param is_last  B will not be multiplied by a further matrix: its layout is unconnected
template <class T, MemorySpace S>
NarrowOperands<T, S> narrow_operands(Context<S>& ctx, const LocalMatrix<T, S>& A, const LocalMatrix<T, S>& B,
                                     bool is_last = false);

/// The strip of Aᵀ: entries go to the owners of their columns. Collective.
/// @param rows  of A
template <class T, MemorySpace S>
LocalMatrix<T, S> transpose(Context<S>& ctx, const LocalMatrix<T, S>& A, const Partition& rows);

}  // namespace amgsolve
