#pragma once

#include <chrono>
#include <ostream>
#include <string>

#include "core/progress.hpp"

namespace amgsolve {

/// One line of a terminal that says what a long phase is at, rewritten at most ten times a second; what takes less than
/// a tenth of a second shows nothing. clear() makes it disappear before anything else is printed; so does the
/// destructor.
class ProgressLine {
 public:
  explicit ProgressLine(std::ostream& terminal) : terminal_(&terminal) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::ostream* terminal_;
  Clock::time_point last_ = Clock::now();  ///< when the line was written
  bool visible_ = false;
};

/// "solve: iteration 12 of at most 200, relative residual 3.2e-05"
std::string describe(const Progress& progress);

/// Whether the standard error is a terminal that can rewrite a line.
bool standard_error_is_terminal();

}  // namespace amgsolve
