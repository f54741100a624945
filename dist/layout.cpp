#include "dist/layout.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace amgsolve {

Layout::Layout(const Communicator& communicator, Partition partition, std::vector<std::int64_t> ghosts)
    : partition_(std::move(partition)),
      first_row_(partition_.first(communicator.rank())),
      own_rows_(checked_index(partition_.rows(communicator.rank()), "rows of a rank")),
      first_own_(static_cast<Index>(std::ranges::lower_bound(ghosts, first_row_) - ghosts.begin())),
      ghosts_(std::move(ghosts)) {
  checked_index(own_rows_ + static_cast<std::int64_t>(ghosts_.size()), "rows of a rank and its neighbours");
  const auto ranks = static_cast<std::size_t>(communicator.size());
  std::vector<std::int64_t> wanted(ranks);
  for (const std::int64_t row : ghosts_) {
    ++wanted[static_cast<std::size_t>(partition_.owner(row))];
  }
  const std::vector<std::int64_t> of_all = communicator.all_gather_list(std::span<const std::int64_t>(wanted));
  std::vector<std::vector<std::int64_t>> requests(ranks);
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  std::size_t first_ghost = 0;
  const auto own = static_cast<std::size_t>(communicator.rank());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto ghosts_there = static_cast<std::size_t>(wanted[rank]);
    requests[rank].resize(static_cast<std::size_t>(of_all[rank * ranks + own]));
    if (ghosts_there == 0 && requests[rank].empty()) {
      continue;
    }
    const auto place = static_cast<Index>(first_ghost) + (rank > own ? own_rows_ : 0);
    neighbours_.push_back({static_cast<int>(rank), place, static_cast<Index>(ghosts_there), {}});
    if (ghosts_there > 0) {
      sends.push_back({static_cast<int>(rank), std::as_bytes(std::span(ghosts_).subspan(first_ghost, ghosts_there))});
    }
    if (!requests[rank].empty()) {
      receives.push_back({static_cast<int>(rank), std::as_writable_bytes(std::span(requests[rank]))});
    }
    first_ghost += ghosts_there;
  }
  communicator.exchange(sends, receives);
  for (Neighbour& neighbour : neighbours_) {
    const std::vector<std::int64_t>& rows = requests[static_cast<std::size_t>(neighbour.rank)];
    neighbour.needs.resize(rows.size());
    std::ranges::transform(rows, neighbour.needs.begin(),
                           [&](std::int64_t row) { return static_cast<Index>(row - first_row_); });
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
