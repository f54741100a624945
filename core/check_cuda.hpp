#pragma once

#include <cuda_runtime_api.h>

/// Checked calls of the CUDA runtime, for the sources that call it.
namespace amgsolve::detail {

/// Throws DeviceError with the call's text, its place, CUDA's name and description of the error and, where there is
/// one, the remedy. Clears the error unless it broke the device for good.
[[noreturn]] void throw_cuda_error(cudaError_t status, const char* call, const char* file, int line);

/// Whether an event or a stream is done. Throws DeviceError where its work failed.
/// @param answer  of cudaEventQuery() or cudaStreamQuery(); is cleared where it is that there is more to do, which the
///                next launch would be blamed for
bool is_done(cudaError_t answer);

}  // namespace amgsolve::detail

/// Throws DeviceError where a call of the CUDA runtime does not return cudaSuccess.
#define AMGSOLVE_CUDA_CHECK(call)                                                       \
  do {                                                                                  \
    const cudaError_t amgsolve_status = (call);                                         \
    if (amgsolve_status != cudaSuccess) {                                               \
      ::amgsolve::detail::throw_cuda_error(amgsolve_status, #call, __FILE__, __LINE__); \
    }                                                                                   \
  } while (false)
