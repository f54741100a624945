#pragma once

#include "amg/aggregation_steps.hpp"
#include "core/host_device.hpp"
#include "core/map_list.hpp"

/// The steps of aggregate() that go node by node, written once for both memory spaces: parallel_for is that of the
/// context.
namespace amgsolve::detail {

template <MemorySpace S>
void free_all(Context<S>& ctx, Span<Index, S> root) {
  Index* const root_of = root.data();
  parallel_for(ctx, static_cast<std::int64_t>(root.size()),
               [root_of] AMGSOLVE_HOST_DEVICE(std::int64_t i) { root_of[i] = Aggregates<S>::none; });
}

template <MemorySpace S>
void make_roots(Context<S>& ctx, std::type_identity_t<Span<const Index, S>> nodes, Span<Index, S> root) {
  const Index* const node = nodes.data();
  Index* const root_of = root.data();
  parallel_for(ctx, static_cast<std::int64_t>(nodes.size()),
               [node, root_of] AMGSOLVE_HOST_DEVICE(std::int64_t k) { root_of[node[k]] = node[k]; });
}

template <MemorySpace S>
void flag_free(Context<S>& ctx, std::type_identity_t<Span<const Index, S>> root, Span<std::uint8_t, S> flags) {
  map_list(ctx, root, flags,
           [] AMGSOLVE_HOST_DEVICE(Index r) -> std::uint8_t { return r == Aggregates<S>::none ? 1 : 0; });
}

template <MemorySpace S>
void flag_roots(Context<S>& ctx, std::type_identity_t<Span<const Index, S>> root, Span<std::uint8_t, S> flags) {
  const Index* const root_of = root.data();
  std::uint8_t* const flag = flags.data();
  parallel_for(ctx, static_cast<std::int64_t>(root.size()),
               [root_of, flag] AMGSOLVE_HOST_DEVICE(std::int64_t i) { flag[i] = root_of[i] == i ? 1 : 0; });
}

template <MemorySpace S>
void name_ghosts(Context<S>& ctx, const WindowColumns& window,
                 std::type_identity_t<Span<const std::uint8_t, S>> is_free, Span<Index, S> root) {
  const std::uint8_t* const free = is_free.data();
  Index* const root_of = root.data();
  parallel_for(ctx, window.ghost_count, [window, free, root_of] AMGSOLVE_HOST_DEVICE(std::int64_t ghost) {
    const std::int64_t i = ghost < window.first_own ? ghost : ghost + window.own_rows;
    root_of[i] = free[i] != 0 ? Aggregates<S>::none : static_cast<Index>(i);
  });
}

template <MemorySpace S>
void number_roots(Context<S>& ctx, std::type_identity_t<Span<const Index, S>> roots, Index first,
                  Span<Index, S> number) {
  const Index* const node = roots.data();
  Index* const number_of = number.data();
  parallel_for(ctx, static_cast<std::int64_t>(roots.size()),
               [node, first, number_of] AMGSOLVE_HOST_DEVICE(std::int64_t a) {
                 number_of[node[a]] = first + static_cast<Index>(a);
               });
}

template <MemorySpace S>
void number_joined(Context<S>& ctx, std::type_identity_t<Span<const Index, S>> root,
                   std::type_identity_t<Span<const Index, S>> number, Span<Index, S> joined) {
  const Index* const root_of = root.data();
  const Index* const number_of = number.data();
  Index* const joined_of = joined.data();
  parallel_for(ctx, static_cast<std::int64_t>(root.size()),
               [root_of, number_of, joined_of] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
                 joined_of[i] = root_of[i] == Aggregates<S>::none ? Aggregates<S>::none : number_of[root_of[i]];
               });
}

#define AMGSOLVE_INSTANTIATE_FOR_NODES(S)                                                                    \
  template void free_all(Context<S>&, Span<Index, S>);                                                       \
  template void make_roots(Context<S>&, Span<const Index, S>, Span<Index, S>);                               \
  template void flag_free(Context<S>&, Span<const Index, S>, Span<std::uint8_t, S>);                         \
  template void flag_roots(Context<S>&, Span<const Index, S>, Span<std::uint8_t, S>);                        \
  template void name_ghosts(Context<S>&, const WindowColumns&, Span<const std::uint8_t, S>, Span<Index, S>); \
  template void number_roots(Context<S>&, Span<const Index, S>, Index, Span<Index, S>);                      \
  template void number_joined(Context<S>&, Span<const Index, S>, Span<const Index, S>, Span<Index, S>);

}  // namespace amgsolve::detail
