#pragma once

#include <cusparse.h>

namespace amgsolve::detail {

[[noreturn]] void throw_cusparse_error(cusparseStatus_t status, const char* call, const char* file, int line);

}  // namespace amgsolve::detail

/// Throws DeviceError where a call of cuSPARSE does not return CUSPARSE_STATUS_SUCCESS.
#define AMGSOLVE_CUSPARSE_CHECK(call)                                                       \
  do {                                                                                      \
    const cusparseStatus_t amgsolve_status = (call);                                        \
    if (amgsolve_status != CUSPARSE_STATUS_SUCCESS) {                                       \
      ::amgsolve::detail::throw_cusparse_error(amgsolve_status, #call, __FILE__, __LINE__); \
    }                                                                                       \
  } while (false)
