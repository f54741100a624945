#include "src/library/rank_places.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/format.hpp"

namespace amgsolve {
namespace {

/// A machine, or one of its devices.
struct Place {
  std::array<char, 256> host{};
  int device;

  bool operator==(const Place&) const = default;
};

Place own_place(int device) {
  Place place{.device = device};
  gethostname(place.host.data(), place.host.size() - 1);
  return place;
}

int ranks_of_place(const Communicator& ranks, const Place& place) {
  return static_cast<int>(std::ranges::count(ranks.all_gather(place), place));
}

}  // namespace

int ranks_of_machine(const Communicator& ranks) { return ranks_of_place(ranks, own_place(0)); }

int place_among_neighbours(const Communicator& ranks) {
  const Place place = own_place(0);
  const std::vector<Place> all = ranks.all_gather(place);
  return static_cast<int>(std::count(all.begin(), all.begin() + ranks.rank(), place));
}

AvailableMemory part_of_rank(AvailableMemory free, const Communicator& ranks, int device) {
  if (const int sharing = ranks_of_place(ranks, own_place(device)); sharing > 1) {
    free.bytes /= static_cast<std::size_t>(sharing);
    free.limit += format_text(", shared by {} ranks", sharing);
  }
  return free;
}

}  // namespace amgsolve
