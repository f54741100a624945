#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/communicator.hpp"

namespace amgsolve {

/// What the ranks have for this one, by rank, of which out[r] is for rank r; a rank's own list comes back as it is.
/// Collective: every rank tells every other one the length of the list for it.
template <class T>
std::vector<std::vector<T>> exchange_lists(const Communicator& communicator, const std::vector<std::vector<T>>& out) {
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto own = static_cast<std::size_t>(communicator.rank());
  std::vector<std::int64_t> lengths(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    lengths[rank] = static_cast<std::int64_t>(out[rank].size());
  }
  std::vector<std::int64_t> lengths_in(ranks);
  communicator.all_to_all(lengths, lengths_in);
  std::vector<std::vector<T>> in(ranks);
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (rank == own) {
      in[rank] = out[rank];
      continue;
    }
    in[rank].resize(static_cast<std::size_t>(lengths_in[rank]));
    if (!out[rank].empty()) {
      sends.push_back({static_cast<int>(rank), std::as_bytes(std::span(out[rank]))});
    }
    if (!in[rank].empty()) {
      receives.push_back({static_cast<int>(rank), std::as_writable_bytes(std::span(in[rank]))});
    }
  }
  communicator.exchange(sends, receives);
  return in;
}

}  // namespace amgsolve
