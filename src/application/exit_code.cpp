#include "src/application/exit_code.hpp"

#include <cstdio>
#include <exception>
#include <new>

#include "core/errors.hpp"
#include "src/library/status.hpp"

namespace amgsolve {

int guard(const std::function<int()>& body) {
  try {
    return body();
  } catch (const ConfigurationError& error) {
    // Each line begins with its own place, as a compiler's messages do.
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(Status::bad_configuration);
  } catch (const std::bad_alloc&) {
    std::fputs("amgsolve: out of host memory\n", stderr);
    return static_cast<int>(Status::out_of_memory);
  } catch (const std::exception& error) {
    std::fflush(stdout);
    const Status status = status_of(error);
    std::fprintf(stderr, "amgsolve: %s%s\n", status == Status::internal_error ? "internal error: " : "", error.what());
    return static_cast<int>(status);
  }
}

}  // namespace amgsolve
