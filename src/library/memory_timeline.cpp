#include "src/library/memory_timeline.hpp"

#include <algorithm>
#include <utility>

namespace amgsolve {

std::size_t MemoryTimeline::least_change(std::size_t peak) const { return std::max<std::size_t>(peak / parts_, 1); }

bool MemoryTimeline::has_risen(std::size_t peak) const { return peak - peak_ >= least_change(peak); }

bool MemoryTimeline::is_news(std::size_t in_use, std::size_t peak) const {
  const std::size_t change = in_use > last_ ? in_use - last_ : last_ - in_use;
  return change >= least_change(peak) || has_risen(peak);
}

void MemoryTimeline::add(double seconds, std::size_t in_use, std::size_t peak, std::string phase) {
  if (has_risen(peak)) {
    if (peak > in_use) {
      samples_.push_back({seconds, peak, phase});
    }
    peak_ = peak;
  }
  samples_.push_back({seconds, in_use, std::move(phase)});
  last_ = in_use;
  if (samples_.size() > most_samples) {
    parts_ = std::max(parts_ / 2, least_parts);
    // Of every two neighbours the larger stays: no peak is lost.
    std::vector<Sample> kept;
    for (std::size_t i = 0; i + 1 < samples_.size(); i += 2) {
      kept.push_back(std::move(samples_[samples_[i].bytes >= samples_[i + 1].bytes ? i : i + 1]));
    }
    if (samples_.size() % 2 == 1) {
      kept.push_back(std::move(samples_.back()));
    }
    samples_ = std::move(kept);
  }
}

}  // namespace amgsolve
