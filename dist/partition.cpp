#include "dist/partition.hpp"

#include <algorithm>
#include <numeric>

namespace amgsolve {

Partition::Partition(const Communicator& communicator, std::int64_t own_rows)
    : first_(static_cast<std::size_t>(communicator.size()) + 1) {
  const std::vector<std::int64_t> rows = communicator.all_gather(own_rows);
  std::partial_sum(rows.begin(), rows.end(), first_.begin() + 1);
}

int Partition::owner(std::int64_t row) const {
  // Of ranks that begin at the same row all but the last are empty.
  return static_cast<int>(std::ranges::upper_bound(first_, row) - first_.begin()) - 1;
}

}  // namespace amgsolve
