#pragma once

#include <cstdint>
#include <vector>

#include "core/context.hpp"
#include "dist/partition.hpp"
#include "spmv/global_entries.hpp"

namespace amgsolve {

/// Entries of a matrix that ranks have sent to the owners of their rows.
template <class T>
struct OwnEntries {
  Buffer<Index, Host> row_indices;  ///< counted from the first own row
  Buffer<std::int64_t, Host> col_indices;
  Buffer<T, Host> values;
  std::vector<Offset> first;  ///< of those that each rank sent, and behind them the number of all

  OwnEntries() = default;
  OwnEntries(Context<Host>& ctx, Offset nnz)
      : row_indices(ctx, static_cast<std::size_t>(nnz)),
        col_indices(ctx, static_cast<std::size_t>(nnz)),
        values(ctx, static_cast<std::size_t>(nnz)) {}

  Offset nnz() const { return static_cast<Offset>(values.size()); }
};

/// The entries of this rank's rows, of all that the ranks have of a matrix, in any order: first those of rank 0 in the
/// order that they have there, then those of rank 1, and so on. Collective. Sends 20 bytes an entry in double; beside
/// the entries a rank has no more than 20 for each that it sends and 4 for each of its own, or 8 and 20.
/// @param rows  of the matrix, in which all entries are; fewer than 2³¹ of each rank that there are entries for
/// Throws OutOfMemoryError on all ranks.
template <class T>
OwnEntries<T> distribute_entries(Context<Host>& ctx, const Partition& rows, const GlobalEntries<T, Host>& entries);

}  // namespace amgsolve
