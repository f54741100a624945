#include "core/launch_cuda.hpp"

#include <limits>
#include <mutex>
#include <stdexcept>

#include "core/check_cuda.hpp"
#include "core/format.hpp"

namespace amgsolve::detail {
namespace {

unsigned checked_grid_size(std::int64_t blocks) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (blocks > most) {
    throw std::invalid_argument(format_text("a grid of {} blocks; a launch has at most {}", blocks, most));
  }
  return static_cast<unsigned>(blocks);
}

/// From here on a kernel may need to be granted its shared memory: 48 kB less what it declares itself.
constexpr std::size_t granted_shared_bytes = 32 * 1024;

/// What is granted belongs to the kernel on the thread's device, not to a launch. It is only ever raised, since another
/// thread may be about to launch with more; asked for each time, since cudaDeviceReset() takes it back.
void grant_shared_memory(const void* kernel, int bytes) {
  static std::mutex grants;
  const std::lock_guard lock(grants);
  cudaFuncAttributes attributes;
  AMGSOLVE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  if (bytes > attributes.maxDynamicSharedSizeBytes) {
    AMGSOLVE_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  }
}

}  // namespace

void launch_kernel(const void* kernel, const Grid& grid, void** arguments, CUstream_st* stream) {
  const unsigned blocks = checked_grid_size(grid.blocks);
  if (grid.shared_bytes > granted_shared_bytes) {
    grant_shared_memory(kernel, static_cast<int>(grid.shared_bytes));
  }
  const cudaError_t status = cudaLaunchKernel(kernel, dim3(blocks), dim3(static_cast<unsigned>(grid.threads)),
                                              arguments, grid.shared_bytes, stream);
  if (status != cudaSuccess) {
    const char* name = nullptr;
    const bool named = cudaFuncGetName(&name, kernel) == cudaSuccess;
    throw_cuda_error(status, format_text("launch of {}", named ? name : "a kernel").c_str(), __FILE__, __LINE__);
  }
}

}  // namespace amgsolve::detail
