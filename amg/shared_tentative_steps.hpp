#pragma once

#include "core/context.hpp"

/// The loops of shared_tentative(), for each memory space. An aggregate is an own one from `first` on, as many as
/// `count`.
namespace amgsolve::detail {

/// The nodes i in an aggregate a of another rank, in any order, as 2³² a + i. Synchronises.
template <MemorySpace S>
Buffer<std::uint64_t, S> list_members_away(Context<S>& ctx, Span<const Index, S> of_node, Index first, Index count);

/// Those a and i.
template <MemorySpace S>
void split_members(Context<S>& ctx, Span<const std::uint64_t, S> members, Span<std::int64_t, S> aggregates,
                   Span<Offset, S> nodes);

/// numbers_i = the number of node i's aggregate among the own ones, or Aggregates::none; may be the same array.
template <MemorySpace S>
void number_own_members(Context<S>& ctx, Index first, Index count, Span<const Index, S> of_node,
                        Span<Index, S> numbers);

/// y_i = x_p for p = places_i, and the other way round, of `width` values each.
template <class T, MemorySpace S>
void gather(Context<S>& ctx, Span<const Offset, S> places, std::int64_t width, Span<const T, S> x, Span<T, S> y);
template <class T, MemorySpace S>
void scatter(Context<S>& ctx, Span<const Offset, S> places, std::int64_t width, Span<const T, S> y, Span<T, S> x);

}  // namespace amgsolve::detail
