#pragma once

#include "amg/aggregation.hpp"
#include "amg/shared_tentative_steps.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "core/map_list.hpp"

/// The bodies of amg/shared_tentative_steps.hpp, written once for both memory spaces: parallel_for is that of the
/// context.
namespace amgsolve::detail {

template <MemorySpace S>
void flag_members_away(Context<S>& ctx, Span<const Index, S> of_node, Index first, Index count,
                       Span<std::uint8_t, S> flags) {
  map_list(ctx, of_node, flags, [first, count] AMGSOLVE_HOST_DEVICE(Index a) -> std::uint8_t {
    return a != Aggregates<S>::none && (a < first || a - first >= count) ? 1 : 0;
  });
}

template <MemorySpace S>
void list_members(Context<S>& ctx, Span<const Index, S> chosen, Span<const Index, S> of_node,
                  Span<std::uint64_t, S> aggregates, Span<Offset, S> nodes) {
  const Index* const node = chosen.data();
  const Index* const aggregate = of_node.data();
  std::uint64_t* const key = aggregates.data();
  Offset* const listed = nodes.data();
  parallel_for(ctx, static_cast<std::int64_t>(chosen.size()),
               [node, aggregate, key, listed] AMGSOLVE_HOST_DEVICE(std::int64_t k) {
                 key[k] = static_cast<std::uint64_t>(aggregate[node[k]]);
                 listed[k] = node[k];
               });
}

template <MemorySpace S>
void number_own_members(Context<S>& ctx, Index first, Index count, Span<const Index, S> of_node,
                        Span<Index, S> numbers) {
  map_list(ctx, of_node, numbers, [first, count] AMGSOLVE_HOST_DEVICE(Index a) {
    return a >= first && a - first < count ? a - first : Aggregates<S>::none;
  });
}

template <class T, MemorySpace S>
void gather(Context<S>& ctx, Span<const Offset, S> places, std::int64_t width, Span<const T, S> x, Span<T, S> y) {
  const Offset* const place = places.data();
  const T* const from = x.data();
  T* const to = y.data();
  parallel_for(ctx, static_cast<std::int64_t>(places.size()) * width,
               [place, width, from, to] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
                 to[i] = from[place[i / width] * width + i % width];
               });
}

template <class T, MemorySpace S>
void scatter(Context<S>& ctx, Span<const Offset, S> places, std::int64_t width, Span<const T, S> y, Span<T, S> x) {
  const Offset* const place = places.data();
  const T* const from = y.data();
  T* const to = x.data();
  parallel_for(ctx, static_cast<std::int64_t>(places.size()) * width,
               [place, width, from, to] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
                 to[place[i / width] * width + i % width] = from[i];
               });
}

#define AMGSOLVE_INSTANTIATE_SHARED_VALUES(T, S)                                                        \
  template void gather(Context<S>&, Span<const Offset, S>, std::int64_t, Span<const T, S>, Span<T, S>); \
  template void scatter(Context<S>&, Span<const Offset, S>, std::int64_t, Span<const T, S>, Span<T, S>);
#define AMGSOLVE_INSTANTIATE_SHARED_TENTATIVE(S)                                                                \
  AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_SHARED_VALUES, S)                                                    \
  template void gather(Context<S>&, Span<const Offset, S>, std::int64_t, Span<const Index, S>, Span<Index, S>); \
  template void flag_members_away(Context<S>&, Span<const Index, S>, Index, Index, Span<std::uint8_t, S>);      \
  template void list_members(Context<S>&, Span<const Index, S>, Span<const Index, S>, Span<std::uint64_t, S>,   \
                             Span<Offset, S>);                                                                  \
  template void number_own_members(Context<S>&, Index, Index, Span<const Index, S>, Span<Index, S>);

}  // namespace amgsolve::detail
