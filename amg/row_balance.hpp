#pragma once

#include "amg/symmetric_sum.hpp"
#include "core/context.hpp"
#include "dist/layout.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// Scales y > 0 of the rows of A, which is not symmetric, by which each row of S = diag(y) A makes about the same of
/// the candidate w as its column does: S w ≈ Sᵀ w. Empty where A does so already, or no such scales are found.
///
/// What multiplies the equations of a symmetric matrix, such as 1 / cell volumes or lumped masses, is undone so, and S
/// + Sᵀ takes w to nearly zero where A does, as it must for a prolongator that keeps w. With s = (A w) / w, y ∘ w is
/// what Aᵀ − diag(s) takes to zero, where A w = 0 a left null vector of A: for w = 1 and an M-matrix the stationary
/// density of a Markov chain. 20 steps of damped Jacobi, from y = 1 or from the inverted diagonal, whichever is nearer,
/// find what of it varies from row to row; what varies slowly does no harm. The y that was nearest of all is taken:
/// where a flow reaches the boundary, steps lead away again. So a flow, whose density piles up at its end, is left as
/// it is but near boundaries.
///
/// Cost: a pass over A and 23 over Aᵀ, or 8 where steps do not help, or one where A is balanced. Each synchronises.
/// O(rows) memory.
/// @param At      Aᵀ
/// @param w       of the rows; where it is zero y is 1
/// @param layout  of the columns of both where ranks share the rows, which all of this is of then; collective
template <class T, MemorySpace S>
Buffer<T, S> balancing_scales(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& At,
                              std::type_identity_t<Span<const T, S>> w,
                              std::type_identity_t<const Layout<S>*> layout = nullptr);

/// A diag(x) in place. O(nnz).
/// @param x  of the columns
template <class T, MemorySpace S>
void scale_columns_of(Context<S>& ctx, std::type_identity_t<Span<const T, S>> x, CsrMatrix<T, S>& A);

/// diag(y) A. O(nnz).
template <class T, MemorySpace S>
CsrMatrix<T, S> scaled_rows(Context<S>& ctx, std::type_identity_t<Span<const T, S>> y, const CsrMatrix<T, S>& A);

/// Whether the rows of a level that is not symmetric are to be balanced.
inline bool balances_rows(Index block_size, Index candidates) { return block_size == 1 && candidates == 1; }

/// S + Sᵀ of S = diag(y) A, twice its symmetric part.
/// @param At        Aᵀ, which is taken
/// @param y         of A's rows; none: 1
/// @param y_of_At   of the columns of At
template <class T, MemorySpace S>
CsrMatrix<T, S> balanced_sum(Context<S>& ctx, const CsrMatrix<T, S>& A, CsrMatrix<T, S> At, const Buffer<T, S>& y,
                             const Buffer<T, S>& y_of_At) {
  if (y.size() == 0) {
    return sum_of(ctx, A, At);
  }
  scale_columns_of<T>(ctx, y_of_At.span(), At);
  return sum_of(ctx, scaled_rows<T>(ctx, y.span(), A), At);
}

namespace detail {

/// A step from y to `next` for the own rows. Returns how far y is from balancing them, Σ_i min(1, |(Aᵀ (y ∘ w))_i − y_i
/// (A w)_i| / (|A|ᵀ |y ∘ w|)_i) in units of 2^−20. Synchronises.
/// @param Aw         of the own rows
/// @param w          of the window, as y
/// @param first_own  the window's column of the first own row
/// @param next       of the own rows
template <class T, MemorySpace S>
std::int64_t balance_rows(Context<S>& ctx, const CsrMatrix<T, S>& At, Span<const T, S> Aw, Span<const T, S> w,
                          Span<const T, S> y, Index first_own, Span<T, S> next);

}  // namespace detail
}  // namespace amgsolve
