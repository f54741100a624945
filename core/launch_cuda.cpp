#include "core/launch_cuda.hpp"

#include <limits>
#include <stdexcept>

#include "core/check_cuda.hpp"
#include "core/format.hpp"

namespace amgsolve::detail {

unsigned checked_grid_size(std::int64_t blocks) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (blocks > most) {
    throw std::invalid_argument(format_text("a grid of {} blocks; a launch has at most {}", blocks, most));
  }
  return static_cast<unsigned>(blocks);
}

void grant_shared_bytes(const void* kernel, std::size_t bytes) {
  AMGSOLVE_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

void check_launch(const void* kernel) {
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) {
    const char* name = nullptr;
    const bool named = cudaFuncGetName(&name, kernel) == cudaSuccess;
    throw_cuda_error(status, format_text("launch of {}", named ? name : "a kernel").c_str(), __FILE__, __LINE__);
  }
}

}  // namespace amgsolve::detail
