#include "dist/layout.hpp"

#include <bit>
#include <cstddef>
#include <utility>

#include "core/collectively.hpp"
#include "core/exchange.hpp"
#include "core/timer.hpp"
#include "dist/local_matrix_steps.hpp"
#include "dist/rank_ranges.hpp"

namespace amgsolve {
namespace {

/// What a rank needs of another one, in a number.
struct Wanted {
  Index rows;   ///< how many
  Index first;  ///< of the owner's rows, where they follow one another; −1 where they do not
};

}  // namespace

template <MemorySpace S>
RankPlaces places_of_ranks(Context<S>& ctx, const Partition& partition,
                           std::type_identity_t<Span<const std::int64_t, S>> rows) {
  if (rows.empty()) {
    const auto ranks = static_cast<std::size_t>(partition.ranks());
    return {std::vector<std::int64_t>(ranks + 1), std::vector<std::int64_t>(ranks, -1)};
  }
  const FoundRanges<S> ranges(ctx, bounds_of(partition), static_cast<std::size_t>(partition.ranks()));
  detail::find_ranges<S>(ctx, rows, ranges.bounds(), ranges.places(), ranges.first());
  return ranges.download(ctx);
}

template <MemorySpace S>
Layout<S>::Layout(Context<S>& ctx, Partition partition, GhostRows<S> ghosts, bool connects)
    : partition_(std::move(partition)),
      first_row_(partition_.first(ctx.communicator().rank())),
      own_rows_(static_cast<Index>(partition_.rows(ctx.communicator().rank()))),
      ghosts_(std::move(ghosts.rows)) {
  ScopedTimer timer(ctx, "ghosts");
  if (partition_.rows() > max_index) {  // else all of them are not too many
    collectively(ctx.communicator(), [&] {
      checked_index(partition_.rows(ctx.communicator().rank()) + static_cast<std::int64_t>(ghosts_.size()),
                    "rows of a rank and its neighbours");
    });
  }
  const RankPlaces of_ghosts =
      ghosts.of_ranks ? *std::move(ghosts.of_ranks) : places_of_ranks<S>(ctx, partition_, this->ghosts());
  first_own_ = static_cast<Index>(of_ghosts.places[static_cast<std::size_t>(ctx.communicator().rank())]);
  if (connects) {
    connect(ctx, of_ghosts);
  }
}

template <MemorySpace S>
void Layout<S>::connect(Context<S>& ctx, const RankPlaces& of_ghosts) {
  const std::vector<std::int64_t>& first_ghosts = of_ghosts.places;
  const Communicator& communicator = ctx.communicator();
  const auto own = static_cast<std::size_t>(communicator.rank());
  std::vector<std::int64_t> wanted(first_ghosts.size() - 1);
  for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
    const std::int64_t first = of_ghosts.first_rows[rank];
    wanted[rank] = std::bit_cast<std::int64_t>(
        Wanted{static_cast<Index>(first_ghosts[rank + 1] - first_ghosts[rank]),
               first < 0 ? Index{-1} : static_cast<Index>(first - partition_.first(static_cast<int>(rank)))});
  }
  std::vector<std::int64_t> needed(wanted.size());
  communicator.all_to_all(wanted, needed);
  std::int64_t needs = 0;
  for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
    const auto here = std::bit_cast<Wanted>(wanted[rank]);
    const auto there = std::bit_cast<Wanted>(needed[rank]);
    if (rank != own && (here.rows > 0 || there.rows > 0)) {
      neighbours_.push_back({static_cast<int>(rank),
                             static_cast<Index>(first_ghosts[rank] + (rank > own ? own_rows_ : 0)), here.rows,
                             static_cast<Index>(needs), there.rows, there.first});
      needs += there.rows;
    }
  }

  if (partition_.rows() > max_index / communicator.size()) {  // else a row that all of them need is not too much
    collectively(communicator, [&] { checked_index(needs, "rows of a rank that its neighbours need"); });
  }
  Buffer<std::int64_t, S> requests;
  collectively(communicator, [&] {
    requests = Buffer<std::int64_t, S>(ctx, static_cast<std::size_t>(needs));
    needs_ = Buffer<Index, S>(ctx, requests.size());
  });
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  for (const Neighbour& neighbour : neighbours_) {
    const auto rank = static_cast<std::size_t>(neighbour.rank);
    add_message(sends, neighbour.rank,
                this->ghosts().subspan(static_cast<std::size_t>(first_ghosts[rank]),
                                       static_cast<std::size_t>(neighbour.ghosts)));
    add_message(receives, neighbour.rank,
                requests.span().subspan(static_cast<std::size_t>(neighbour.first_need),
                                        static_cast<std::size_t>(neighbour.needs)));
  }
  exchange(ctx, sends, receives);
  detail::find_columns<std::int64_t, S>(ctx, {first_row_, 0, own_rows_, nullptr, 0}, std::as_const(requests).span(),
                                        needs_.span());
}

#define AMGSOLVE_INSTANTIATE(S)                                                                    \
  template RankPlaces places_of_ranks(Context<S>&, const Partition&, Span<const std::int64_t, S>); \
  template class Layout<S>;
AMGSOLVE_INSTANTIATE(Host)
#if AMGSOLVE_HAVE_CUDA
AMGSOLVE_INSTANTIATE(Cuda)
#endif

}  // namespace amgsolve
