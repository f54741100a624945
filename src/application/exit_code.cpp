#include "src/application/exit_code.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <typeinfo>

#include "core/errors.hpp"
#include "src/library/status.hpp"

namespace amgsolve {
namespace {

constexpr std::string_view out_of_memory_text = "amgsolve: out of host memory\n";

std::atomic<void (*)()> preparation = nullptr;

void call_preparation() {
  if (void (*const known)() = preparation) {
    known();
  }
}

[[noreturn]] void end() {
  call_preparation();
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type != nullptr && (*type == typeid(std::bad_alloc) || *type == typeid(OutOfMemoryError))) {
    // Nothing that might take memory.
    static_cast<void>(!::write(STDERR_FILENO, out_of_memory_text.data(), out_of_memory_text.size()));
    ::_exit(static_cast<int>(Status::out_of_memory));
  }
  __gnu_cxx::__verbose_terminate_handler();
  std::abort();
}

constexpr std::string_view exit_text =
    "amgsolve: ended by a library that could not go on, most likely the OpenMP runtime, which had no thread: fewer "
    "('--threads 1') or smaller stacks (OMP_STACKSIZE) may do\n";

std::atomic<bool> is_watched = false;

void end_watched() {
  if (is_watched) {
    std::fflush(stdout);
    call_preparation();
    static_cast<void>(!::write(STDERR_FILENO, exit_text.data(), exit_text.size()));
    ::_exit(static_cast<int>(Status::out_of_memory));
  }
}

}  // namespace

void watch_exit() { is_watched = std::atexit(end_watched) == 0; }

void allow_exit() { is_watched = false; }

void prepare_end(void (*prepare)()) { preparation = prepare; }

// May run before a sanitizer is ready.
__attribute__((no_sanitize("thread", "address", "undefined"))) void exit_when_out_of_memory() {
  std::set_terminate(end);
}

int exit_code_of_exception() {
  try {
    throw;
  } catch (const ConfigurationError& error) {
    // Each line begins with its own place, as a compiler's messages do.
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(Status::bad_configuration);
  } catch (const std::bad_alloc&) {
    std::fputs(out_of_memory_text.data(), stderr);
    return static_cast<int>(Status::out_of_memory);
  } catch (const std::exception& error) {
    std::fflush(stdout);
    const Status status = status_of(error);
    std::fprintf(stderr, "amgsolve: %s%s\n", status == Status::internal_error ? "internal error: " : "", error.what());
    return static_cast<int>(status);
  } catch (...) {
    std::fputs("amgsolve: internal error: something that is no exception was thrown\n", stderr);
    return static_cast<int>(Status::internal_error);
  }
}

}  // namespace amgsolve
