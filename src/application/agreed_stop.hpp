#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "core/collectively.hpp"
#include "core/communicator.hpp"
#include "core/progress.hpp"

namespace amgsolve {

/// How work of several ranks ends that one of them is asked to end: at a step that all take, so that none waits for
/// another one; or, where no step comes for a while, wherever a rank is, which then has to end the others.
class AgreedStop {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param asked     of this rank: whether to end
  /// @param patience  how long it waits for a step after it was asked
  AgreedStop(const Communicator& ranks, std::function<bool()> asked, Clock::duration patience = std::chrono::hours(1))
      : ranks_(ranks), asked_(std::move(asked)), patience_(patience) {}
  AgreedStop(const AgreedStop&) = delete;
  AgreedStop& operator=(const AgreedStop&) = delete;

  /// Has the ranks ask each other at each step of setup and solve, which they all take, and goes on to `next`.
  ProgressListener at_steps(ProgressListener next) {
    return [this, next = std::move(next)](const Progress& progress) {
      if (progress.phase == "setup" || progress.phase == "solve") {
        is_agreed_ = agree_on_step(ranks_, asked_ && asked_());
      }
      if (next) {
        next(progress);
      }
    };
  }

  /// Whether it was agreed to end, or this rank has waited for that for as long as it may.
  StopRequest has_come() {
    if (is_agreed_ || !asked_ || !asked_()) {
      return is_agreed_;
    }
    const Clock::time_point now = Clock::now();
    if (!asked_at_) {
      asked_at_ = now;
    }
    return {now - *asked_at_ >= patience_, false};
  }

 private:
  const Communicator& ranks_;
  std::function<bool()> asked_;
  Clock::duration patience_;
  std::optional<Clock::time_point> asked_at_;
  bool is_agreed_ = false;
};

}  // namespace amgsolve
