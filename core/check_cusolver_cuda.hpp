#pragma once

#include <cusolverDn.h>

namespace amgsolve::detail {

[[noreturn]] void throw_cusolver_error(cusolverStatus_t status, const char* call, const char* file, int line);

}  // namespace amgsolve::detail

/// Throws DeviceError where a call of cuSOLVER does not return CUSOLVER_STATUS_SUCCESS.
#define AMGSOLVE_CUSOLVER_CHECK(call)                                                       \
  do {                                                                                      \
    const cusolverStatus_t amgsolve_status = (call);                                        \
    if (amgsolve_status != CUSOLVER_STATUS_SUCCESS) {                                       \
      ::amgsolve::detail::throw_cusolver_error(amgsolve_status, #call, __FILE__, __LINE__); \
    }                                                                                       \
  } while (false)
