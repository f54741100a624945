#include "src/library/rank_places.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "core/format.hpp"
#include "src/library/machine.hpp"

namespace amgsolve {
namespace {

/// A machine, or one of its devices.
struct Place {
  std::array<char, 256> host{};
  std::array<char, 64> device{};

  explicit Place(std::string_view device_ = {}) {
    gethostname(host.data(), host.size() - 1);
    std::copy_n(device_.data(), std::min(device_.size(), device.size() - 1), device.data());
  }
  Place(const Place&) = default;
  bool operator==(const Place&) const = default;
};

/// Its equal part of the cores that this rank may use, at least one. Collective.
int cores_of_rank(const Communicator& ranks) {
  struct Cores {
    Place machine{};
    cpu_set_t set{};
  };
  Cores own;
  sched_getaffinity(0, sizeof(own.set), &own.set);  // where it fails for many cores it fails for all neighbours
  const std::vector<Cores> all = ranks.all_gather(own);
  const auto sharing = std::ranges::count_if(
      all, [&](const Cores& other) { return other.machine == own.machine && CPU_EQUAL(&other.set, &own.set); });
  return std::max(available_cores() / static_cast<int>(sharing), 1);
}

}  // namespace

int ranks_of_machine(const Communicator& ranks, std::string_view device) {
  const Place place(device);
  return static_cast<int>(std::ranges::count(ranks.all_gather(place), place));
}

int place_among_neighbours(const Communicator& ranks) {
  const Place place;
  const std::vector<Place> all = ranks.all_gather(place);
  return static_cast<int>(std::count(all.begin(), all.begin() + ranks.rank(), place));
}

int threads_of_rank(int asked, const Communicator& ranks) {
  const int cores = cores_of_rank(ranks);
  const bool is_told = asked != 0 || ranks.size() == 1 || std::getenv("OMP_NUM_THREADS") != nullptr;
  return is_told ? asked : cores;
}

AvailableMemory part_of_rank(AvailableMemory free, const Communicator& ranks, std::string_view device) {
  if (const int sharing = ranks_of_machine(ranks, device); sharing > 1) {
    free.bytes /= static_cast<std::size_t>(sharing);
    free.limit += format_text(", shared by {} ranks", sharing);
  }
  return free;
}

}  // namespace amgsolve
