#pragma once

#include "dist/local_matrix.hpp"

namespace amgsolve {

/// The strip of Aᵀ, and what of this rank's rows of A has gone to others.
template <class T, MemorySpace S>
struct TransposedStrip {
  LocalMatrix<T, S> own;
  CsrMatrix<T, S> given;  ///< a row for each ghost of A's window, in their order, over this rank's rows of A
};

/// Entries go to the owners of their columns; a row has what lower ranks had of it, then this one, then higher ones.
/// Collective. As costly as transpose() of the rank's rows, and what borders take.
/// @param rows  of A
template <class T, MemorySpace S>
TransposedStrip<T, S> transpose_strip(Context<S>& ctx, const LocalMatrix<T, S>& A, const Partition& rows);

/// The strip of Aᵀ. Collective.
/// @param rows  of A
template <class T, MemorySpace S>
LocalMatrix<T, S> transpose(Context<S>& ctx, const LocalMatrix<T, S>& A, const Partition& rows) {
  return transpose_strip(ctx, A, rows).own;
}

}  // namespace amgsolve
