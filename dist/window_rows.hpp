#pragma once

#include <memory>

#include "dist/local_matrix.hpp"

namespace amgsolve {

/// The rows of B that a window stands for, as one matrix: those fetched for its ghosts below, B's own rows, those for
/// its ghosts above. Where the margins of B's arrays have room for the others it borrows them from B, elsewhere it has
/// a copy. B's columns and layout become those given.
/// @param rows     the window
/// @param fetched  by fetch_rows()
/// @param columns  a window of B's columns that has all of both
template <class T, MemorySpace S>
CsrMatrix<T, S> window_rows(Context<S>& ctx, const Layout<S>& rows, LocalMatrix<T, S>& B,
                            const GlobalRows<T, S>& fetched, const std::shared_ptr<const Layout<S>>& columns);

}  // namespace amgsolve
