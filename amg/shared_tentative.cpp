#include "amg/shared_tentative.hpp"

#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "amg/shared_tentative_steps.hpp"
#include "amg/tentative.hpp"
#include "amg/tentative_steps.hpp"
#include "core/algorithms.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/exchange.hpp"
#include "core/instantiate.hpp"
#include "dist/halo.hpp"

namespace amgsolve {
namespace {

/// Of values that lie one after another by rank, those of one.
/// @param places  where the nodes of each rank begin, and behind that how many there are
/// @param width   values a node
template <class V>
V part_of(V values, const std::vector<std::int64_t>& places, int rank, std::size_t width = 1) {
  const auto r = static_cast<std::size_t>(rank);
  return values.subspan(static_cast<std::size_t>(places[r]) * width,
                        static_cast<std::size_t>(places[r + 1] - places[r]) * width);
}

/// Values for every other rank, and those that it has for this one. Own parts stay where they are.
template <MemorySpace S>
class Parts {
 public:
  explicit Parts(Context<S>& ctx) : ctx_(ctx) {}

  template <class T>
  void add(Span<const T, S> out, const std::vector<std::int64_t>& places_out, Span<T, S> in,
           const std::vector<std::int64_t>& places_in, std::size_t width = 1) {
    for (int rank = 0; rank < ctx_.communicator().size(); ++rank) {
      if (rank != ctx_.communicator().rank()) {
        add_message(sends_, rank, part_of(out, places_out, rank, width));
        add_message(receives_, rank, part_of(in, places_in, rank, width));
      }
    }
  }
  void exchange() const { amgsolve::exchange(ctx_, sends_, receives_); }

 private:
  Context<S>& ctx_;
  std::vector<Communicator::Outgoing> sends_;
  std::vector<Communicator::Incoming> receives_;
};

}  // namespace

template <class T, MemorySpace S>
SharedTentative<T, S> shared_tentative(Context<S>& ctx, const SharedAggregates<S>& aggregates, const Layout<S>& window,
                                       Index block_size, MultiVectorView<const T, S> candidates) {
  const Communicator& communicator = ctx.communicator();
  const Partition& partition = aggregates.partition;
  const int own_rank = communicator.rank();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto own_nodes = static_cast<std::size_t>(window.own_rows());
  const Span<const Index, S> of_node =
      aggregates.of_node.span().subspan(static_cast<std::size_t>(window.first_own()), own_nodes);
  const auto first = static_cast<Index>(partition.first(own_rank));
  const auto count = static_cast<Index>(partition.rows(own_rank));

  // The own nodes whose aggregate is another rank's are few. Sorted by aggregates they are sorted by those ranks, and
  // the nodes of an aggregate stay in order.
  Buffer<Offset, S> away;
  std::vector<std::int64_t> places_away;
  collectively(communicator, [&] {
    Buffer<std::uint64_t, S> members = detail::list_members_away<S>(ctx, of_node, first, count);
    sort_pairs(ctx, members.span(), {},
               32 + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(partition.rows()))));
    away = Buffer<Offset, S>(ctx, members.size());
    WorkspaceScope<S> scope(ctx.workspace());
    const auto of_members = scope.template take<std::int64_t>(members.size());
    detail::split_members<S>(ctx, std::as_const(members).span(), of_members, away.span());
    places_away = places_of_ranks<S>(ctx, partition, of_members).places;
  });
  std::vector<std::int64_t> counts(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    counts[rank] = places_away[rank + 1] - places_away[rank];
  }
  std::vector<std::int64_t> guests(ranks);
  communicator.all_to_all(counts, guests);

  // Ranks are in the order of their nodes: the nodes of lower ranks, the own ones, those of higher ranks.
  guests[static_cast<std::size_t>(own_rank)] = static_cast<std::int64_t>(own_nodes);
  std::vector<std::int64_t> places(ranks + 1);
  std::partial_sum(guests.begin(), guests.end(), places.begin() + 1);
  const auto nodes = static_cast<std::size_t>(places.back());
  const auto below = static_cast<std::size_t>(places[static_cast<std::size_t>(own_rank)]);
  const std::size_t behind = below + own_nodes;
  const Index k = candidates.columns;
  const std::int64_t width = std::int64_t{block_size} * k;
  const auto values_of = [width](std::size_t some_nodes) { return some_nodes * static_cast<std::size_t>(width); };
  // The candidates become the basis where they lie: others' nodes around the own ones, and then the window's ghosts.
  const auto first_own = static_cast<std::size_t>(window.first_own());
  const auto ghosts_above = static_cast<std::size_t>(window.columns()) - first_own - own_nodes;
  const auto rows_beyond = [block_size](std::size_t others, std::size_t ghosts) {
    return static_cast<Index>(others > ghosts ? others - ghosts : 0) * block_size;
  };
  Aggregates<S> members{count, {}};
  MultiVector<T, S> basis;
  Buffer<Index, S> away_aggregates;
  Buffer<T, S> away_values;
  collectively(communicator, [&] {
    checked_index(places.back() * block_size, "unknowns of a rank's aggregates");
    members.of_node = Buffer<Index, S>(ctx, nodes);
    basis = MultiVector<T, S>(ctx, checked_index(std::int64_t{window.columns()} * block_size, "unknowns of a window"),
                              k, {rows_beyond(below, first_own), rows_beyond(nodes - behind, ghosts_above)});
    away_aggregates = Buffer<Index, S>(ctx, away.size());
    away_values = Buffer<T, S>(ctx, values_of(away.size()));
  });
  const Span<T, S> own = basis.view().span().subspan(values_of(first_own), values_of(own_nodes));
  const Span<T, S> with_guests(own.data() - values_of(below), values_of(nodes));
  const Span<const Offset, S> away_nodes = std::as_const(away).span();
  detail::gather<Index, S>(ctx, away_nodes, 1, of_node, away_aggregates.span());
  detail::gather<T, S>(ctx, away_nodes, width, candidates.span(), away_values.span());
  Parts<S> guests_of_all(ctx);
  guests_of_all.template add<Index>(std::as_const(away_aggregates).span(), places_away, members.of_node.span(), places);
  guests_of_all.template add<T>(std::as_const(away_values).span(), places_away, with_guests, places, values_of(1));
  guests_of_all.exchange();
  MultiVector<T, S> coarse_candidates;
  collectively(communicator, [&] {
    const Span<Index, S> numbers = members.of_node.span();
    const auto number = [&](Span<const Index, S> from, Span<Index, S> to) {
      detail::number_own_members<S>(ctx, first, count, from, to);
    };
    number(numbers.subspan(0, below), numbers.subspan(0, below));
    number(of_node, numbers.subspan(below, own_nodes));
    number(numbers.subspan(behind, nodes - behind), numbers.subspan(behind, nodes - behind));
    detail::restrict_candidates<T>(ctx, std::as_const(members.of_node).span().subspan(below, own_nodes), block_size,
                                   candidates, {own.data(), candidates.rows, k});
    coarse_candidates = orthonormalise_candidates<T>(
        ctx, members, block_size, {with_guests.data(), static_cast<Index>(places.back() * block_size), k});
  });

  // What became of others' nodes goes back to them.
  Parts<S> back(ctx);
  back.template add<T>(Span<const T, S>(with_guests), places, away_values.span(), places_away, values_of(1));
  back.exchange();
  detail::scatter<T, S>(ctx, away_nodes, width, std::as_const(away_values).span(), own);
  exchange_ghosts<T, S>(ctx, window, {basis.data(), window.columns(), static_cast<Index>(width)});
  return {std::move(basis), std::move(coarse_candidates), std::move(away_aggregates)};
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                  \
  template SharedTentative<T, S> shared_tentative(Context<S>&, const SharedAggregates<S>&, const Layout<S>&, Index, \
                                                  MultiVectorView<const T, S>);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
