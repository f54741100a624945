#pragma once

#include <cstdint>
#include <vector>

#include "core/communicator.hpp"
#include "core/types.hpp"
#include "dist/partition.hpp"

namespace amgsolve {

/// The columns of a strip: the window that a rank sees of the rows of a vector whose rows ranks share. Its columns are
/// numbered in the order of the whole vector, ghosts below | own rows | ghosts above, so that a row of the strip has
/// its entries in the order of the whole matrix and is summed to the same bits.
class Layout {
 public:
  /// The rank that ghosts belong to, and what it needs of our rows.
  struct Neighbour {
    int rank;
    Index first_ghost;         ///< the column of the first of them; they are consecutive
    Index ghosts;              ///< how many
    std::vector<Index> needs;  ///< own rows, counted from the first, that are ghosts there
  };

  /// Collective: tells the owners who needs their rows. O(ghosts + ranks²) memory.
  /// @param ghosts  rows of other ranks, ascending and unique
  /// Throws InputError where the window has 2³¹ columns or more.
  Layout(const Communicator& communicator, Partition partition, std::vector<std::int64_t> ghosts);

  const Partition& partition() const { return partition_; }
  std::int64_t first_row() const { return first_row_; }  ///< of the own rows
  Index own_rows() const { return own_rows_; }
  Index first_own() const { return first_own_; }  ///< the column of the first own row
  Index columns() const { return own_rows_ + static_cast<Index>(ghosts_.size()); }
  const std::vector<std::int64_t>& ghosts() const { return ghosts_; }
  const std::vector<Neighbour>& neighbours() const { return neighbours_; }

  std::int64_t row_of(Index column) const;
  /// The column of a row that is an own one or a ghost. O(log ghosts).
  Index column_of(std::int64_t row) const;

 private:
  Partition partition_;
  std::int64_t first_row_;
  Index own_rows_;
  Index first_own_;
  std::vector<std::int64_t> ghosts_;
  std::vector<Neighbour> neighbours_;
};

}  // namespace amgsolve
