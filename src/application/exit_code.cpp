#include "src/application/exit_code.hpp"

#include <amgsolve/amgsolve.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "core/errors.hpp"

namespace amgsolve {
namespace {

int report(const std::exception& error, Status status) {
  std::fflush(stdout);
  std::fprintf(stderr, "amgsolve: %s\n", error.what());
  return static_cast<int>(status);
}

}  // namespace

int guard(const std::function<int()>& body) {
  try {
    return body();
  } catch (const ConfigurationError& error) {
    // Each line begins with its own place, as a compiler's messages do.
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(Status::bad_configuration);
  } catch (const InputError& error) {
    return report(error, Status::bad_input);
  } catch (const OutputError& error) {
    return report(error, Status::bad_input);
  } catch (const OutOfMemoryError& error) {
    return report(error, Status::out_of_memory);
  } catch (const BreakdownError& error) {
    return report(error, Status::breakdown);
  } catch (const DeviceError& error) {
    return report(error, Status::device_failed);
  } catch (const std::bad_alloc&) {
    std::fputs("amgsolve: out of host memory\n", stderr);
    return static_cast<int>(Status::out_of_memory);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "amgsolve: internal error: %s\n", error.what());
    return internal_error;
  }
}

}  // namespace amgsolve
