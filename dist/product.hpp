#pragma once

#include <memory>

#include "dist/local_matrix.hpp"
#include "spgemm/options.hpp"

namespace amgsolve {

/// B as a product A B takes it.
template <class T, MemorySpace S>
struct SecondFactor {
  CsrMatrix<T, S> rows;                      ///< one for each column of A, whoever owns it
  std::shared_ptr<const Layout<S>> columns;  ///< of them
};

/// Fetches the rows of B that A's ghosts stand for. The window gets the columns of these, too, and is then B's and the
/// product's. Collective.
/// @param window  of A's columns, whose own rows are B's
/// @param B       is left as it is but for its window, and outlives the result or is taken with it (take_rows()). Where
///                its margins (SpgemmOptions::margins, margins_for()) hold the rows that are fetched nothing of it is
///                copied
template <class T, MemorySpace S>
SecondFactor<T, S> second_factor(Context<S>& ctx, const Layout<S>& window, LocalMatrix<T, S>& B);

/// The same of a B for A B of which others will need rows: its window has the columns of those, too, so that nothing of
/// A B is renumbered where they are fetched. Collective.
/// @param product_rows  the window that a matrix by which A B will be multiplied from the left has of its columns
template <class T, MemorySpace S>
SecondFactor<T, S> second_factor(Context<S>& ctx, const LocalMatrix<T, S>& A, LocalMatrix<T, S>& B,
                                 const Layout<S>& product_rows);

/// The same of a B whose window has the columns of all rows that are fetched, as that of a product A B whose second
/// factor knew of `window`: it stays as it is. Collective.
template <class T, MemorySpace S>
SecondFactor<T, S> second_factor_within(Context<S>& ctx, const Layout<S>& window, LocalMatrix<T, S>& B);

/// The rows of a SecondFactor, with B's arrays where it borrows from them.
template <class T, MemorySpace S>
CsrMatrix<T, S> take_rows(SecondFactor<T, S> factor, LocalMatrix<T, S> B);

/// The strip of C = A B: the local product of windows sums every c_ij in the order that it has on one rank. Collective.
/// @param B  by second_factor()
template <class T, MemorySpace S>
LocalMatrix<T, S> multiply(Context<S>& ctx, const LocalMatrix<T, S>& A, const SecondFactor<T, S>& B,
                           const SpgemmOptions& options);
/// @param B  another object than A
template <class T, MemorySpace S>
LocalMatrix<T, S> multiply(Context<S>& ctx, const LocalMatrix<T, S>& A, LocalMatrix<T, S>& B,
                           const SpgemmOptions& options) {
  return multiply(ctx, A, second_factor(ctx, *A.layout, B), options);
}

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

}  // namespace amgsolve
