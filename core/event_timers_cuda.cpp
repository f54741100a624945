#include "core/event_timers.hpp"

#include "core/check_cuda.hpp"

namespace amgsolve {

EventTimers::~EventTimers() {
  for (const Interval& interval : intervals_) {
    cudaEventDestroy(interval.start);
    cudaEventDestroy(interval.stop);
  }
}

int EventTimers::start() {
  // Not for every few: a host far ahead of its device would look at unfinished events in every phase.
  constexpr std::size_t worth_collecting = 1024;
  if (unused_.empty() && ended_.size() >= worth_collecting) {
    collect_passed();
  }
  if (unused_.empty()) {
    add_interval();
  }
  const int interval = unused_.back();
  AMGSOLVE_CUDA_CHECK(cudaEventRecord(intervals_[static_cast<std::size_t>(interval)].start, stream_));
  unused_.pop_back();
  return interval;
}

void EventTimers::stop(int interval, int node) noexcept {
  Interval& ended = intervals_[static_cast<std::size_t>(interval)];
  ended.node = node;
  // Fails only on a device that failed before, which the next checked call reports.
  static_cast<void>(cudaEventRecord(ended.stop, stream_));
  ended_.push_back(interval);
}

void EventTimers::collect() {
  AMGSOLVE_CUDA_CHECK(cudaStreamSynchronize(stream_));
  collect_passed();
}

void EventTimers::collect_passed() {
  std::size_t collected = 0;
  for (; collected < ended_.size(); ++collected) {
    const Interval& interval = intervals_[static_cast<std::size_t>(ended_[collected])];
    if (!detail::is_done(cudaEventQuery(interval.stop))) {
      break;
    }
    float milliseconds = 0.0F;
    AMGSOLVE_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, interval.start, interval.stop));
    profile_->add_seconds(interval.node, static_cast<double>(milliseconds) * 1e-3);
    unused_.push_back(ended_[collected]);
  }
  ended_.erase(ended_.begin(), ended_.begin() + static_cast<std::ptrdiff_t>(collected));
}

void EventTimers::add_interval() {
  intervals_.emplace_back();
  unused_.reserve(intervals_.capacity());
  ended_.reserve(intervals_.capacity());  // so that stop() cannot fail
  AMGSOLVE_CUDA_CHECK(cudaEventCreate(&intervals_.back().start));
  AMGSOLVE_CUDA_CHECK(cudaEventCreate(&intervals_.back().stop));
  unused_.push_back(static_cast<int>(intervals_.size()) - 1);
}

}  // namespace amgsolve
