#include "dist/layout.hpp"

#include <algorithm>
#include <utility>

#include "dist/exchange_lists.hpp"

namespace amgsolve {

Layout::Layout(const Communicator& communicator, Partition partition, std::vector<std::int64_t> ghosts)
    : partition_(std::move(partition)),
      first_row_(partition_.first(communicator.rank())),
      own_rows_(checked_index(partition_.rows(communicator.rank()), "rows of a rank")),
      first_own_(static_cast<Index>(std::ranges::lower_bound(ghosts, first_row_) - ghosts.begin())),
      ghosts_(std::move(ghosts)) {
  checked_index(own_rows_ + static_cast<std::int64_t>(ghosts_.size()), "rows of a rank and its neighbours");
  std::vector<std::vector<std::int64_t>> wanted(static_cast<std::size_t>(communicator.size()));
  for (const std::int64_t row : ghosts_) {
    wanted[static_cast<std::size_t>(partition_.owner(row))].push_back(row);
  }
  const std::vector<std::vector<std::int64_t>> requests = exchange_lists(communicator, wanted);
  Index next_ghost = 0;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (rank == communicator.rank()) {
      next_ghost += own_rows_;
      continue;
    }
    const std::vector<std::int64_t>& rows = requests[static_cast<std::size_t>(rank)];
    const auto ghosts_there = static_cast<Index>(wanted[static_cast<std::size_t>(rank)].size());
    if (ghosts_there > 0 || !rows.empty()) {
      Neighbour& neighbour = neighbours_.emplace_back(Neighbour{rank, next_ghost, ghosts_there, {}});
      neighbour.needs.resize(rows.size());
      std::ranges::transform(rows, neighbour.needs.begin(),
                             [&](std::int64_t row) { return static_cast<Index>(row - first_row_); });
    }
    next_ghost += ghosts_there;
  }
}

std::int64_t Layout::row_of(Index column) const {
  if (column >= first_own_ && column < first_own_ + own_rows_) {
    return first_row_ + (column - first_own_);
  }
  return ghosts_[static_cast<std::size_t>(column < first_own_ ? column : column - own_rows_)];
}

Index Layout::column_of(std::int64_t row) const {
  if (row >= first_row_ && row < first_row_ + own_rows_) {
    return first_own_ + static_cast<Index>(row - first_row_);
  }
  const auto place = static_cast<Index>(std::ranges::lower_bound(ghosts_, row) - ghosts_.begin());
  return place + (row < first_row_ ? 0 : own_rows_);
}

}  // namespace amgsolve
