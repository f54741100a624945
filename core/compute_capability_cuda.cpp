#include <cuda_runtime.h>

#include "core/check_cuda.hpp"
#include "core/compute_capability.hpp"

namespace amgsolve {

ComputeCapability compute_capability(int device) {
  ComputeCapability found;
  AMGSOLVE_CUDA_CHECK(cudaDeviceGetAttribute(&found.major, cudaDevAttrComputeCapabilityMajor, device));
  AMGSOLVE_CUDA_CHECK(cudaDeviceGetAttribute(&found.minor, cudaDevAttrComputeCapabilityMinor, device));
  return found;
}

}  // namespace amgsolve
