#include "dist/layout.hpp"

#include <algorithm>
#include <utility>

#include "core/copy.hpp"
#include "core/timer.hpp"
#include "dist/exchange_lists.hpp"

namespace amgsolve {

template <MemorySpace S>
Layout<S>::Layout(Context<S>& ctx, Partition partition, std::vector<std::int64_t> ghosts)
    : partition_(std::move(partition)),
      first_row_(partition_.first(ctx.communicator().rank())),
      own_rows_(checked_index(partition_.rows(ctx.communicator().rank()), "rows of a rank")),
      first_own_(static_cast<Index>(std::ranges::lower_bound(ghosts, first_row_) - ghosts.begin())),
      ghosts_(std::move(ghosts)) {
  ScopedTimer timer(ctx, "ghosts");
  const Communicator& communicator = ctx.communicator();
  checked_index(own_rows_ + static_cast<std::int64_t>(ghosts_.size()), "rows of a rank and its neighbours");
  std::vector<std::vector<std::int64_t>> wanted(static_cast<std::size_t>(communicator.size()));
  for (const std::int64_t row : ghosts_) {
    wanted[static_cast<std::size_t>(partition_.owner(row))].push_back(row);
  }
  const std::vector<std::vector<std::int64_t>> requests = exchange_lists(communicator, wanted);
  std::vector<Index> needs;
  Index next_ghost = 0;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (rank == communicator.rank()) {
      next_ghost += own_rows_;
      continue;
    }
    const std::vector<std::int64_t>& rows = requests[static_cast<std::size_t>(rank)];
    const auto ghosts_there = static_cast<Index>(wanted[static_cast<std::size_t>(rank)].size());
    if (ghosts_there > 0 || !rows.empty()) {
      neighbours_.push_back(
          {rank, next_ghost, ghosts_there, static_cast<Index>(needs.size()), static_cast<Index>(rows.size())});
    }
    std::ranges::transform(rows, std::back_inserter(needs),
                           [&](std::int64_t row) { return static_cast<Index>(row - first_row_); });
    next_ghost += ghosts_there;
  }
  ghost_rows_ = upload(ctx, Span<const std::int64_t, Host>(ghosts_.data(), ghosts_.size()));
  needs_ = upload(ctx, Span<const Index, Host>(needs.data(), needs.size()));
}

template class Layout<Host>;
#if AMGSOLVE_HAVE_CUDA
template class Layout<Cuda>;
#endif

}  // namespace amgsolve
