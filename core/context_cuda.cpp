#include "core/context.hpp"

#include <stdexcept>

#include "core/check_cuda.hpp"
#include "core/check_cusparse.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve {
namespace {

void* allocate_page_locked(std::size_t bytes) {
  void* pointer = nullptr;
  AMGSOLVE_CUDA_CHECK(cudaMallocHost(&pointer, bytes));
  return pointer;
}

}  // namespace

Context<Cuda>::Context(int device, CUstream_st* stream, const Communicator& communicator)
    : DeviceStream(device, stream),
      ContextBase(MemorySource<Cuda>{pool(), DeviceStream::stream()}, communicator),
      timers_(profile(), DeviceStream::stream()),
      staging_(allocate_page_locked(staging_bytes), [](void* pointer) { cudaFreeHost(pointer); }),
      cusparse_(nullptr, [](cusparseHandle_t handle) { cusparseDestroy(handle); }) {}

void Context<Cuda>::require_ready() {
  // Whoever asks an event whether it has passed leaves "not ready" behind, which is no error.
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess && status != cudaErrorNotReady) {
    throw DeviceError(
        format_text("an earlier call of CUDA on this thread failed with {} ({}) and nobody asked for it by "
                    "cudaGetLastError()",
                    cudaGetErrorName(status), cudaGetErrorString(status)));
  }
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  AMGSOLVE_CUDA_CHECK(cudaStreamIsCapturing(stream(), &capture));
  if (capture != cudaStreamCaptureStatusNone) {
    throw std::invalid_argument(
        "the stream is being captured into a graph; the solver waits for its work, which none can");
  }
}

void Context<Cuda>::synchronize() { AMGSOLVE_CUDA_CHECK(cudaStreamSynchronize(stream())); }

cusparseContext* Context<Cuda>::cusparse() {
  if (cusparse_ == nullptr) {
    cusparseHandle_t handle = nullptr;
    AMGSOLVE_CUSPARSE_CHECK(cusparseCreate(&handle));
    cusparse_.reset(handle);
    AMGSOLVE_CUSPARSE_CHECK(cusparseSetStream(handle, stream()));
  }
  return cusparse_.get();
}

}  // namespace amgsolve
