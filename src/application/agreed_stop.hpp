#pragma once

#include <functional>
#include <utility>

#include "core/communicator.hpp"
#include "core/progress.hpp"

namespace amgsolve {

/// How work of several ranks ends that one of them is asked to end: at a step that all take, so that none waits for
/// another one.
class AgreedStop {
 public:
  /// @param asked  of this rank: whether to end
  AgreedStop(const Communicator& ranks, std::function<bool()> asked) : ranks_(ranks), asked_(std::move(asked)) {}
  AgreedStop(const AgreedStop&) = delete;
  AgreedStop& operator=(const AgreedStop&) = delete;

  /// Has the ranks ask each other at each step of setup and solve, which they all take, and goes on to `next`.
  ProgressListener at_steps(ProgressListener next) {
    return [this, next = std::move(next)](const Progress& progress) {
      if (progress.phase == "setup" || progress.phase == "solve") {
        has_come_ = ranks_.max(asked_ && asked_() ? 1 : 0) != 0;
      }
      if (next) {
        next(progress);
      }
    };
  }

  /// Whether it was agreed to end.
  bool has_come() const { return has_come_; }

 private:
  const Communicator& ranks_;
  std::function<bool()> asked_;
  bool has_come_ = false;
};

}  // namespace amgsolve
