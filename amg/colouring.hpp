#pragma once

#include <vector>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// Rows in sets of which no two members are coupled: what one set updates, the others of it do not read.
template <MemorySpace S>
struct Colouring {
  Buffer<Index, S> rows;       ///< by colour, ascending in each
  std::vector<Offset> starts;  ///< of each colour's rows, and at the end their number

  int colours() const { return static_cast<int>(starts.size()) - 1; }
};

/// Colours the rows of a square A: row i gets the lowest colour that no neighbour of a higher hash has (Jones,
/// Plassmann 1993, with hashes in place of random numbers), so that the colours are those of a greedy colouring in the
/// order of the hashes, in any space and for any number of threads. Neighbours are coupled by a stored entry, whatever
/// its value, in either direction; where entries lack their mirror, A + Aᵀ is formed and coloured. Some tens of passes
/// over the rows that wait, each of which a device's host waits for, and a sort of the rows. At most one colour more
/// than the longest row has neighbours.
template <class T, MemorySpace S>
Colouring<S> colour_rows(Context<S>& ctx, const CsrMatrix<T, S>& A);

}  // namespace amgsolve
