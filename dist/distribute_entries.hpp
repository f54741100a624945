#pragma once

#include <vector>

#include "core/context.hpp"
#include "dist/partition.hpp"
#include "spmv/coo_matrix.hpp"

namespace amgsolve {

/// Entries of a matrix that ranks have sent to the owners of their rows.
template <class T>
struct OwnEntries {
  CooMatrix<T, Host> triplets;  ///< rows are counted from the first own one
  std::vector<Offset> first;    ///< of those that each rank sent, and behind them the number of all
};

/// The entries of this rank's rows, of all that the ranks have of a matrix, in any order: first those of rank 0 in the
/// order that they have there, then those of rank 1, and so on. Collective. Sends 16 bytes an entry in double.
/// @param rows  of the matrix, in which all entries are
/// Throws OutOfMemoryError on all ranks.
template <class T>
OwnEntries<T> distribute_entries(Context<Host>& ctx, const Partition& rows, const CooMatrix<T, Host>& entries);

}  // namespace amgsolve
