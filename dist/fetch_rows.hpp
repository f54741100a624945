#pragma once

#include "dist/local_matrix.hpp"

namespace amgsolve {

/// Rows of B, a matrix that ranks share, which others own: those of the ghosts of `rows`, in their order, with the
/// columns of the whole matrix. Each is sent once to who needs it. Collective between neighbours.
/// @param rows  whose own rows are B's
template <class T>
GlobalRows<T> fetch_rows(Context<Host>& ctx, const Layout& rows, const LocalMatrix<T>& B);

/// Rows that others have entries of: what a strip whose *rows* are those of the window `rows` has in its ghost rows
/// goes to their owners. Returned are this rank's own rows, of which every one is what lower ranks had, then this one,
/// then higher ones. Collective between neighbours.
/// @param strip  rows.columns() rows
template <class T>
GlobalRows<T> hand_in_rows(Context<Host>& ctx, const Layout& rows, const GlobalRows<T>& strip);

}  // namespace amgsolve
