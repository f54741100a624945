#include "src/library/rank_places.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace amgsolve {
namespace {

/// A machine, or one of its devices.
struct Place {
  std::array<char, 256> host{};
  int device;

  bool operator==(const Place&) const = default;
};

int ranks_of_place(const Communicator& ranks, int device) {
  Place place{.device = device};
  gethostname(place.host.data(), place.host.size() - 1);
  return static_cast<int>(std::ranges::count(ranks.all_gather(place), place));
}

}  // namespace

int ranks_of_machine(const Communicator& ranks) { return ranks_of_place(ranks, 0); }

AvailableMemory part_of_rank(AvailableMemory free, const Communicator& ranks, int device) {
  if (const int sharing = ranks_of_place(ranks, device); sharing > 1) {
    free.bytes /= static_cast<std::size_t>(sharing);
    free.limit += fmt::format(", shared by {} ranks", sharing);
  }
  return free;
}

}  // namespace amgsolve
