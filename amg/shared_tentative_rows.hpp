#pragma once

#include "amg/aggregation.hpp"
#include "amg/shared_tentative_steps.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "core/list_found.hpp"
#include "core/map_list.hpp"

/// The bodies of amg/shared_tentative_steps.hpp, written once for both memory spaces: parallel_for is that of the
/// context.
namespace amgsolve::detail {

struct MemberAway {
  Index first;
  Index count;

  AMGSOLVE_HOST_DEVICE std::int64_t operator()(Index a, std::int64_t i) const {
    const bool is_away = a >= 0 && (a < first || a - first >= count);
    return is_away ? std::int64_t{a} << 32 | i : std::int64_t{-1};
  }
};

template <MemorySpace S>
Buffer<std::uint64_t, S> list_members_away(Context<S>& ctx, Span<const Index, S> of_node, Index first, Index count) {
  static_assert(Aggregates<S>::none < 0);
  return list_found(ctx, of_node, MemberAway{first, count});
}

template <MemorySpace S>
void split_members(Context<S>& ctx, Span<const std::uint64_t, S> members, Span<std::int64_t, S> aggregates,
                   Span<Offset, S> nodes) {
  const std::uint64_t* const member = members.data();
  std::int64_t* const aggregate = aggregates.data();
  Offset* const node = nodes.data();
  parallel_for(ctx, static_cast<std::int64_t>(members.size()),
               [member, aggregate, node] AMGSOLVE_HOST_DEVICE(std::int64_t k) {
                 aggregate[k] = static_cast<std::int64_t>(member[k] >> 32);
                 node[k] = static_cast<Offset>(member[k] & 0xffffffff);
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
#define AMGSOLVE_INSTANTIATE_SHARED_TENTATIVE(S)                                                                  \
  AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_SHARED_VALUES, S)                                                      \
  template void gather(Context<S>&, Span<const Offset, S>, std::int64_t, Span<const Index, S>, Span<Index, S>);   \
  template Buffer<std::uint64_t, S> list_members_away(Context<S>&, Span<const Index, S>, Index, Index);           \
  template void split_members(Context<S>&, Span<const std::uint64_t, S>, Span<std::int64_t, S>, Span<Offset, S>); \
  template void number_own_members(Context<S>&, Index, Index, Span<const Index, S>, Span<Index, S>);

}  // namespace amgsolve::detail
