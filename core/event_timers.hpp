#pragma once

#include <vector>

#include "core/profile.hpp"

struct CUevent_st;
struct CUstream_st;

namespace amgsolve {

/// Times intervals of a stream by pairs of CUDA events, without waiting for the stream: the seconds reach the profile
/// when they are collected. Events are used again, so their number is that of the intervals not yet collected.
class EventTimers {
 public:
  EventTimers(Profile& profile, CUstream_st* stream) : profile_(&profile), stream_(stream) {}
  ~EventTimers();
  EventTimers(const EventTimers&) = delete;
  EventTimers& operator=(const EventTimers&) = delete;

  /// Begin an interval at this point of the stream; returns its number.
  int start();
  /// End it, to be booked under the given node of the profile.
  void stop(int interval, int node) noexcept;

  /// Wait for the stream and book every interval that has ended.
  void collect();

 private:
  struct Interval {
    CUevent_st* start = nullptr;
    CUevent_st* stop = nullptr;
    int node = 0;
  };

  /// Book the intervals that the stream has passed.
  void collect_passed();
  void add_interval();

  Profile* profile_;
  CUstream_st* stream_;
  std::vector<Interval> intervals_;
  std::vector<int> unused_;
  std::vector<int> ended_;  ///< in the order in which they ended
};

}  // namespace amgsolve
