#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/copy.hpp"
#include "core/workspace.hpp"
#include "dist/layout.hpp"

namespace amgsolve {

/// Where the rows of each rank begin, and where those of the last one end.
inline std::vector<std::int64_t> bounds_of(const Partition& partition) {
  std::vector<std::int64_t> bounds;
  for (int rank = 0; rank < partition.ranks(); ++rank) {
    bounds.push_back(partition.first(rank));
  }
  bounds.push_back(partition.rows());
  return bounds;
}

/// What detail::find_ranges() finds, on its way from a device: room in scratch memory.
template <MemorySpace S>
class FoundRanges {
 public:
  /// @param ranges  of so many the first is wanted
  FoundRanges(Context<S>& ctx, std::vector<std::int64_t> bounds, std::size_t ranges)
      : scope_(ctx.workspace()),
        bounds_(std::move(bounds)),
        there_(scope_.template take<std::int64_t>(bounds_.size() + ranges)) {}

  Span<const std::int64_t, Host> bounds() const { return {bounds_.data(), bounds_.size()}; }
  Span<std::int64_t, S> places() const { return there_.subspan(0, bounds_.size()); }
  Span<std::int64_t, S> first() const { return there_.subspan(bounds_.size(), there_.size() - bounds_.size()); }

  /// Synchronises.
  RankPlaces download(Context<S>& ctx) const {
    std::vector<std::int64_t> both(there_.size());
    amgsolve::download<std::int64_t>(ctx, there_, {both.data(), both.size()});
    const auto first = both.begin() + std::ssize(bounds_);
    return {{both.begin(), first}, {first, both.end()}};
  }

 private:
  WorkspaceScope<S> scope_;
  std::vector<std::int64_t> bounds_;
  Span<std::int64_t, S> there_;
};

}  // namespace amgsolve
