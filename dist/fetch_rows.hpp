#pragma once

#include "dist/local_matrix.hpp"

namespace amgsolve {

/// Rows of B, a matrix that ranks share, which others own: those of the ghosts of `rows`, in their order, with the
/// columns of the whole matrix. Each is sent once to who needs it. Collective between neighbours.
/// @param rows  whose own rows are B's
template <class T, MemorySpace S>
GlobalRows<T, S> fetch_rows(Context<S>& ctx, const Layout<S>& rows, const LocalMatrix<T, S>& B);

}  // namespace amgsolve
