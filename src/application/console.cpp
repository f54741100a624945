#include "src/application/console.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>

#include "core/errors.hpp"

namespace amgsolve {

Console::Console(Verbosity verbosity) : verbosity_(verbosity), progress_(std::cerr) {}

void Console::print(std::string_view text) {
  if (verbosity_ == Verbosity::quiet) {
    return;
  }
  progress_.clear();
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw OutputError("cannot write to the standard output");
  }
}

void Console::warn(std::string_view text) {
  if (verbosity_ != Verbosity::quiet) {
    complain(fmt::format("warning: {}", text));
  }
}

void Console::complain(std::string_view text) {
  progress_.clear();
  std::cerr << "amgsolve: " << text << std::endl;
}

ProgressListener Console::progress_listener() {
  if (verbosity_ == Verbosity::quiet || !standard_error_is_terminal()) {
    return {};
  }
  return [this](const Progress& progress) { progress_.show(progress); };
}

}  // namespace amgsolve
