#include "core/check_cuda.hpp"
#include "core/memory.hpp"
#include "core/memory_pool.hpp"

namespace amgsolve {
namespace {

/// nullptr where the device has not as much.
void* take_from_pool(const MemorySource<Cuda>& source, std::size_t bytes) {
  void* pointer = nullptr;
  const cudaError_t status = cudaMallocFromPoolAsync(&pointer, bytes, source.pool->handle(), source.stream);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // else the next launch would be blamed for it
    return nullptr;
  }
  if (status != cudaSuccess) {
    detail::throw_cuda_error(status, "cudaMallocFromPoolAsync", __FILE__, __LINE__);
  }
  return pointer;
}

/// Beside all pools.
std::size_t free_of_device() {
  std::size_t free = 0;
  std::size_t total = 0;
  AMGSOLVE_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return free;
}

}  // namespace

template <>
AvailableMemory Memory<Cuda>::available() const {
  return {free_of_device() + source_.pool->unused_of_all(), "what the device has free"};
}

template <>
void* Memory<Cuda>::take(std::size_t bytes) {
  void* pointer = take_from_pool(source_, bytes);
  if (pointer == nullptr) {
    // Blocks given back but still in use by the stream, holes too small for this request, and what other pools keep,
    // return to the device.
    AMGSOLVE_CUDA_CHECK(cudaStreamSynchronize(source_.stream));
    source_.pool->trim_all();
    pointer = take_from_pool(source_, bytes);
  }
  return pointer;
}

template <>
void Memory<Cuda>::give_back(void* pointer) noexcept {
  // Fails only on a device that failed before, which the next checked call reports.
  static_cast<void>(cudaFreeAsync(pointer, source_.stream));
}

template <>
void Memory<Cuda>::reserve(std::size_t bytes) {
  const bool is_allowed = limit_ == 0 || (bytes <= limit_ && bytes_in_use_ <= limit_ - bytes);
  if (is_allowed && bytes > source_.pool->unused() && bytes < free_of_device() / 2) {
    // What the pool keeps in smaller pieces would stay beside the new one.
    AMGSOLVE_CUDA_CHECK(cudaMemPoolTrimTo(source_.pool->handle(), 0));
    if (void* const block = take_from_pool(source_, bytes); block != nullptr) {
      give_back(block);
    }
  }
}

}  // namespace amgsolve
