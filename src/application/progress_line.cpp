#include "src/application/progress_line.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "core/format.hpp"

namespace amgsolve {
namespace {

constexpr std::chrono::milliseconds interval_rewritten(100);
constexpr std::chrono::milliseconds interval_logged(1000);
constexpr std::string_view erase_line = "\r\033[K";

}  // namespace

std::string describe(const Progress& progress) {
  std::string text(progress.phase);
  if (progress.phase == "read") {
    text += ": " + format_bytes(static_cast<std::size_t>(progress.step));
    if (progress.steps > 0) {
      text += " of " + format_bytes(static_cast<std::size_t>(progress.steps));
    }
  } else if (progress.phase == "setup") {
    text += format_text(": level {}", progress.step);
  } else if (progress.phase == "solve") {
    text += format_text(": iteration {} of at most {}", progress.step, progress.steps);
  }
  if (progress.residual >= 0.0) {
    text += format_text(", relative residual {:.1e}", progress.residual);
  }
  return text;
}

void ProgressLine::show(const Progress& progress) {
  const Clock::time_point now = Clock::now();
  if (now - last_ < (form_ == ProgressForm::logged ? interval_logged : interval_rewritten)) {
    return;
  }
  last_ = now;
  if (form_ == ProgressForm::logged) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - start_).count();
    *stream_ << format_text("amgsolve: {} s: {}\n", seconds, describe(progress)) << std::flush;
    return;
  }
  visible_ = true;
  *stream_ << erase_line << describe(progress) << std::flush;
}

void ProgressLine::clear() {
  if (visible_) {
    *stream_ << erase_line << std::flush;
    visible_ = false;
  }
}

bool standard_error_is_terminal() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace amgsolve
