#pragma once

#include <cstdint>
#include <vector>

#include "core/communicator.hpp"

namespace amgsolve {

/// Which rank has which rows of a matrix or a vector: consecutive ones in the order of the ranks, any number of them.
class Partition {
 public:
  /// Collective.
  Partition(const Communicator& communicator, std::int64_t own_rows);

  int ranks() const { return static_cast<int>(first_.size()) - 1; }
  std::int64_t first(int rank) const { return first_[static_cast<std::size_t>(rank)]; }
  std::int64_t end(int rank) const { return first_[static_cast<std::size_t>(rank) + 1]; }
  std::int64_t rows(int rank) const { return end(rank) - first(rank); }
  std::int64_t rows() const { return first_.back(); }  ///< of all ranks

  /// The rank of a row in [0, rows()). O(log ranks).
  int owner(std::int64_t row) const;

 private:
  std::vector<std::int64_t> first_;  ///< of the ranks, and behind them the number of all rows
};

}  // namespace amgsolve
