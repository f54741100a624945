#pragma once

#include <chrono>
#include <ostream>
#include <string>

#include "core/progress.hpp"

namespace amgsolve {

enum class ProgressForm {
  rewritten,  ///< one line of a terminal, at most ten times a second
  logged      ///< a line each, at most once a second, with the seconds since the beginning
};

/// Says what a long phase is at; what takes less than the time between two lines shows nothing. clear() makes a line
/// that is rewritten disappear before anything else is printed; so does the destructor.
class ProgressLine {
 public:
  explicit ProgressLine(std::ostream& stream, ProgressForm form = ProgressForm::rewritten)
      : stream_(&stream), form_(form) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::ostream* stream_;
  ProgressForm form_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;  ///< when a line was written
  bool visible_ = false;
};

/// "solve: iteration 12 of at most 200, relative residual 3.2e-05"
std::string describe(const Progress& progress);

/// Whether the standard error is a terminal that can rewrite a line.
bool standard_error_is_terminal();

}  // namespace amgsolve
