#include "src/application/console.hpp"

#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <system_error>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/output_file.hpp"

namespace amgsolve {

namespace {

[[noreturn]] void fail_to_write() {
  throw OutputError(format_text("cannot write to the standard output: {}", std::generic_category().message(errno)));
}

}  // namespace

bool write_standard_output(std::string_view text) {
  const bool is_written = write_all(STDOUT_FILENO, text);
  if (!is_written && errno != EPIPE && errno != EINTR) {
    fail_to_write();
  }
  return is_written;
}

bool is_standard_output(const std::filesystem::path& file) {
  return file == standard_output || share_a_place(file, "/dev/stdout");
}

bool is_standard_output(const OutputConfiguration& output) {
  return is_standard_output(output.report) || is_standard_output(output.html) || is_standard_output(output.solution);
}

void write_file_or_standard_output(const std::filesystem::path& file, std::string_view text) {
  if (file != standard_output) {
    write_file_atomically(file, text);
  } else if (!write_all(STDOUT_FILENO, text)) {
    if (errno == EINTR) {
      throw InterruptedError("writing to the standard output");
    }
    fail_to_write();
  }
}

Console::Console(Verbosity verbosity, bool prints)
    : verbosity_(verbosity),
      prints_(prints && verbosity != Verbosity::quiet),
      has_terminal_(standard_error_is_terminal()),
      progress_(std::cerr, has_terminal_ ? ProgressForm::rewritten : ProgressForm::logged) {}

void Console::print(std::string_view text) {
  if (!prints_ || !has_reader_) {
    return;
  }
  progress_.clear();
  has_reader_ = write_standard_output(text);
}

void Console::warn(std::string_view text) {
  if (verbosity_ != Verbosity::quiet) {
    complain(format_text("warning: {}", text));
  }
}

void Console::complain(std::string_view text) {
  progress_.clear();
  std::cerr << "amgsolve: " << text << std::endl;
}

ProgressListener Console::progress_listener() {
  if (verbosity_ == Verbosity::quiet || (verbosity_ == Verbosity::normal && !has_terminal_)) {
    return {};
  }
  return [this](const Progress& progress) { progress_.show(progress); };
}

}  // namespace amgsolve
