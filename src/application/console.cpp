#include "src/application/console.hpp"

#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <system_error>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/output_file.hpp"

namespace amgsolve {

bool write_standard_output(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE || errno == EINTR) {
      return false;
    } else {
      throw OutputError(format_text("cannot write to the standard output: {}", std::generic_category().message(errno)));
    }
  }
  return true;
}

void write_file_or_standard_output(const std::filesystem::path& file, std::string_view text) {
  if (file == standard_output) {
    write_standard_output(text);
  } else {
    write_file_atomically(file, text);
  }
}

Console::Console(Verbosity verbosity)
    : verbosity_(verbosity),
      has_terminal_(standard_error_is_terminal()),
      progress_(std::cerr, has_terminal_ ? ProgressForm::rewritten : ProgressForm::logged) {}

void Console::print(std::string_view text) {
  if (verbosity_ == Verbosity::quiet || !has_reader_) {
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
