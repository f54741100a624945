#include "core/check_cuda.hpp"
#include "core/check_cusparse.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve::detail {
namespace {

const char* remedy(cudaError_t status) {
  switch (status) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "; this build has no code for this GPU: rebuild with its compute capability, 8.0 or newer, in "
             "CMAKE_CUDA_ARCHITECTURES";
    case cudaErrorMemoryAllocation:
      return "; the GPU's memory is full: free some or take a smaller problem";
    default:
      return "";
  }
}

}  // namespace

void throw_cuda_error(cudaError_t status, const char* call, const char* file, int line) {
  cudaGetLastError();
  throw DeviceError(format_text("{} failed with {} ({}) at {}:{}{}", call, cudaGetErrorName(status),
                                cudaGetErrorString(status), file, line, remedy(status)));
}

bool is_done(cudaError_t answer) {
  if (answer == cudaErrorNotReady) {
    cudaGetLastError();
    return false;
  }
  AMGSOLVE_CUDA_CHECK(answer);
  return true;
}

void throw_cusparse_error(cusparseStatus_t status, const char* call, const char* file, int line) {
  throw DeviceError(format_text("{} failed with {} ({}) at {}:{}", call, cusparseGetErrorName(status),
                                cusparseGetErrorString(status), file, line));
}

}  // namespace amgsolve::detail
