#pragma once

#include "core/context.hpp"

/// What Communicator does for values in the memory of a context.
namespace amgsolve {

/// A message with those values, or room for one; none where there are no values.
template <class T, MemorySpace S>
void add_message(std::vector<Communicator::Outgoing>& sends, int rank, Span<const T, S> values) {
  if (!values.empty()) {
    sends.push_back({rank, std::as_bytes(std::span(values.data(), values.size()))});
  }
}
template <class T, MemorySpace S>
void add_message(std::vector<Communicator::Incoming>& receives, int rank, Span<T, S> values) {
  if (!values.empty()) {
    receives.push_back({rank, std::as_writable_bytes(std::span(values.data(), values.size()))});
  }
}

/// See Communicator::picks_rows().
template <MemorySpace S>
bool picks_rows(Context<S>& ctx, int rank, std::size_t bytes) {
  return std::same_as<S, Cuda> && ctx.communicator().picks_rows(rank, bytes);
}

/// A message of rows that the ranks pick; none where there are no rows.
/// @param k  values a row
template <class T, MemorySpace S>
void add_message_of_rows(std::vector<Communicator::Outgoing>& sends, int rank, Span<const T, S> values, std::size_t k,
                         Span<const Index, S> rows) {
  if (!rows.empty()) {
    sends.push_back(
        {rank, std::as_bytes(std::span(values.data(), values.size())), {rows.data(), rows.size()}, k * sizeof(T)});
  }
}

template <MemorySpace S>
void exchange(Context<S>& ctx, std::span<const Communicator::Outgoing> sends,
              std::span<const Communicator::Incoming> receives) {
  if constexpr (std::same_as<S, Host>) {
    ctx.communicator().exchange(sends, receives);
  } else {
    ctx.communicator().exchange(sends, receives, ctx.stream());
  }
}

template <MemorySpace S>
void gather_bytes(Context<S>& ctx, std::span<const std::byte> own, std::span<const std::size_t> lengths,
                  std::span<std::byte> all) {
  if constexpr (std::same_as<S, Host>) {
    ctx.communicator().gather_bytes(own, lengths, all);
  } else {
    ctx.communicator().gather_bytes(own, lengths, all, ctx.stream());
  }
}

}  // namespace amgsolve
