#include "amg/shared_tentative.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "amg/shared_tentative_steps.hpp"
#include "amg/tentative.hpp"
#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "dist/exchange_lists.hpp"
#include "dist/halo.hpp"

namespace amgsolve {
namespace {

template <class T>
struct Member {
  Index aggregate;
  T value;
};

/// A copy on the host.
template <class T, MemorySpace S>
std::vector<T> on_host(Context<S>& ctx, Span<const T, S> values) {
  std::vector<T> copy(values.size());
  download(ctx, values, {copy.data(), copy.size()});
  return copy;
}

}  // namespace

template <class T, MemorySpace S>
SharedTentative<T, S> shared_tentative(Context<S>& ctx, const SharedAggregates<S>& aggregates, const Layout<S>& window,
                                       MultiVectorView<const T, S> candidates) {
  const Communicator& communicator = ctx.communicator();
  const Partition& partition = aggregates.partition;
  const auto own_rank = static_cast<std::size_t>(communicator.rank());
  const auto own_nodes = static_cast<std::size_t>(window.own_rows());
  const Span<const Index, S> of_node =
      aggregates.of_node.span().subspan(static_cast<std::size_t>(window.first_own()), own_nodes);
  const auto first = static_cast<Index>(partition.first(communicator.rank()));
  const auto count = static_cast<Index>(partition.rows(communicator.rank()));
  WorkspaceScope<S> scope(ctx.workspace());

  // The own nodes whose aggregate is another rank's are few.
  const auto is_away = scope.template take<std::uint8_t>(own_nodes);
  const auto places = scope.template take<Index>(own_nodes);
  detail::flag_members_away<S>(ctx, of_node, first, count, is_away);
  const auto away = places.subspan(0, static_cast<std::size_t>(select_flagged(ctx, is_away, places)));
  const auto away_aggregates = scope.template take<Index>(away.size());
  const auto away_values = scope.template take<T>(away.size());
  detail::gather<Index, S>(ctx, away, of_node, away_aggregates);
  detail::gather<T, S>(ctx, away, candidates.span(), away_values);
  const std::vector<Index> aggregate_of = on_host<Index, S>(ctx, away_aggregates);
  const std::vector<T> value_of = on_host<T, S>(ctx, away_values);
  std::vector<std::vector<Member<T>>> out(static_cast<std::size_t>(communicator.size()));
  std::vector<std::size_t> owners(away.size());
  for (std::size_t i = 0; i < away.size(); ++i) {
    owners[i] = static_cast<std::size_t>(partition.owner(aggregate_of[i]));
    out[owners[i]].push_back({aggregate_of[i], value_of[i]});
  }
  const std::vector<std::vector<Member<T>>> in = exchange_lists(communicator, out);

  // Ranks are in the order of their nodes: the nodes of lower ranks, the own ones, those of higher ranks.
  std::vector<Index> guest_aggregates;
  std::vector<T> guest_values;
  std::size_t below = 0;
  for (std::size_t rank = 0; rank < in.size(); ++rank) {
    below += rank < own_rank ? in[rank].size() : 0;
    for (const Member<T>& member : in[rank]) {
      guest_aggregates.push_back(member.aggregate - first);
      guest_values.push_back(member.value);
    }
  }
  const std::size_t above = guest_values.size() - below;
  const std::size_t nodes = guest_values.size() + own_nodes;
  Aggregates<S> members{count, Buffer<Index, S>(ctx, nodes)};
  MultiVector<T, S> values(ctx, checked_index(static_cast<std::int64_t>(nodes), "nodes of a rank's aggregates"));
  const auto place_guests = [&]<class V>(const std::vector<V>& guests, Span<V, S> all) {
    upload<V>(ctx, {guests.data(), below}, all.subspan(0, below));
    upload<V>(ctx, {guests.data() + below, above}, all.subspan(below + own_nodes, above));
  };
  place_guests(guest_aggregates, members.of_node.span());
  place_guests(guest_values, values.view().span());
  detail::number_own_members<S>(ctx, of_node, first, count, members.of_node.span().subspan(below, own_nodes));
  copy(ctx, candidates.span(), values.view().span().subspan(below, own_nodes));
  Tentative<T, S> tentative = tentative_prolongator<T>(ctx, members, 1, std::as_const(values).view());

  // What became of others' nodes goes back to them.
  const Span<const T, S> basis = std::as_const(tentative.basis).view().span();
  std::vector<T> guests = on_host<T, S>(ctx, basis.subspan(0, below));
  const std::vector<T> guests_above = on_host<T, S>(ctx, basis.subspan(below + own_nodes, above));
  guests.insert(guests.end(), guests_above.begin(), guests_above.end());
  std::vector<std::vector<T>> back(in.size());
  auto next = guests.begin();
  for (std::size_t rank = 0; rank < in.size(); ++rank) {
    const auto end = next + static_cast<std::ptrdiff_t>(in[rank].size());
    back[rank].assign(next, end);
    next = end;
  }
  const std::vector<std::vector<T>> returned = exchange_lists(communicator, back);
  std::vector<std::size_t> taken(returned.size());
  std::vector<T> away_basis(away.size());
  for (std::size_t i = 0; i < away.size(); ++i) {
    away_basis[i] = returned[owners[i]][taken[owners[i]]++];
  }
  upload<T>(ctx, {away_basis.data(), away_basis.size()}, away_values);
  MultiVector<T, S> all(ctx, window.columns());
  const Span<T, S> own = all.view().span().subspan(static_cast<std::size_t>(window.first_own()), own_nodes);
  copy(ctx, basis.subspan(below, own_nodes), own);
  detail::scatter<T, S>(ctx, away, away_values, own);
  exchange_ghosts<T, S>(ctx, window, all.view());
  return {std::move(all), std::move(tentative.coarse_candidates)};
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                           \
  template SharedTentative<T, S> shared_tentative(Context<S>&, const SharedAggregates<S>&, const Layout<S>&, \
                                                  MultiVectorView<const T, S>);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
