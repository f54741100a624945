#pragma once

#include <cstdint>
#include <type_traits>

#include "core/context.hpp"
#include "dist/layout.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// A without what other rows have in the columns of rows that have nothing but their diagonal entry: an A whose
/// boundary values were set by such rows, and the columns kept, is not symmetric for that alone, and the diagonal
/// entries may be of any size. Of no rows where there is nothing to leave out. O(nnz). Synchronises.
/// @param layout  of A's columns where ranks share the rows; collective then, and of no rows on all ranks or on none
template <class T, MemorySpace S>
CsrMatrix<T, S> without_fixed_columns(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                      std::type_identity_t<const Layout<S>*> layout = nullptr);

namespace detail {

/// fixed_i = whether row i has nothing but its diagonal entry, which is not zero. Returns how many. Synchronises.
/// @param first_own  the column of the diagonal entry of row 0
template <class T, MemorySpace S>
std::int64_t mark_fixed_rows(Context<S>& ctx, const CsrMatrix<T, S>& A, Index first_own, Span<std::uint8_t, S> fixed);

/// Makes zero what A has beside its diagonal in fixed columns. Returns how many entries that were not. Synchronises.
/// @param fixed  of A's columns
template <class T, MemorySpace S>
std::int64_t clear_fixed_columns(Context<S>& ctx, Span<const std::uint8_t, S> fixed, Index first_own,
                                 CsrMatrix<T, S>& A);

}  // namespace detail
}  // namespace amgsolve
