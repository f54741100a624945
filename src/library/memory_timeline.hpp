#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace amgsolve {

/// What of a memory was in use in the course of a run, as somebody looks now and then. Few samples tell it: those where
/// it changed by a part of the most there was, which grows where that would still be many.
class MemoryTimeline {
 public:
  struct Sample {
    double seconds;  ///< since the run began
    std::size_t bytes;
    std::string phase;  ///< at work then; empty: none
  };

  static constexpr std::size_t most_samples = 512;

  /// Whether add() would take a sample: it is asked often.
  bool is_news(std::size_t in_use, std::size_t peak) const;

  /// Takes what is in use, and before it the peak where that has risen since the last sample: somebody was there
  /// between two looks.
  void add(double seconds, std::size_t in_use, std::size_t peak, std::string phase);

  const std::vector<Sample>& samples() const { return samples_; }

 private:
  static constexpr std::size_t least_parts = 10;

  std::size_t least_change(std::size_t peak) const;
  bool has_risen(std::size_t peak) const;

  std::vector<Sample> samples_;
  std::size_t last_ = 0;
  std::size_t peak_ = 0;     ///< that samples tell of
  std::size_t parts_ = 100;  ///< a change is news from peak / parts on
};

}  // namespace amgsolve
