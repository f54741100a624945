#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/buffer.hpp"
#include "core/exchange.hpp"

namespace amgsolve {

/// Seconds that ranks, two and two, take for messages of so many bytes to each other, until the host hears of their
/// end, on the slowest pair: one of ten in a row, each of which waits for the other rank's, in the shortest row of
/// five. Collective.
template <MemorySpace S>
double seconds_of_messages(Context<S>& ctx, std::size_t bytes) {
  constexpr int rows = 5;
  constexpr int messages = 10;
  const Communicator& ranks = ctx.communicator();
  const Buffer<std::byte, S> own(ctx, bytes);
  Buffer<std::byte, S> received(ctx, bytes);
  const int other = ranks.rank() ^ 1;
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  if (other < ranks.size()) {
    add_message(sends, other, own.span());
    add_message(receives, other, received.span());
  }
  double shortest = std::numeric_limits<double>::max();
  for (int row = 0; row < rows; ++row) {
    const auto begin = std::chrono::steady_clock::now();
    for (int message = 0; message < messages; ++message) {
      exchange(ctx, sends, receives);
      ctx.synchronize();
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    shortest = std::min(shortest, taken.count() / messages);
  }
  return largest_of(ranks, shortest);
}

}  // namespace amgsolve
