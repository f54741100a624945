#pragma once

#include "dist/local_matrix.hpp"

namespace amgsolve {

/// Rows of B, a matrix that ranks share, which others own: those of the ghosts of `rows`, in their order, with the
/// columns of the whole matrix. Each is sent once to who needs it. Collective between neighbours.
/// @param rows  whose own rows are B's
template <class T, MemorySpace S>
GlobalRows<T, S> fetch_rows(Context<S>& ctx, const Layout<S>& rows, const LocalMatrix<T, S>& B);

/// Rows that others have entries of: what a strip whose *rows* are those of the window `rows` has in its ghost rows
/// goes to their owners. Returned are this rank's own rows, of which every one is what lower ranks had, then this one,
/// then higher ones. Collective.
/// @param strip    rows.columns() × the rank's own rows of `columns`
/// @param columns  whose rows are the columns of the whole matrix
template <class T, MemorySpace S>
LocalMatrix<T, S> hand_in_rows(Context<S>& ctx, const Layout<S>& rows, const CsrMatrix<T, S>& strip,
                               const Partition& columns);

}  // namespace amgsolve
