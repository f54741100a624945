#include "core/context.hpp"

#include <stdexcept>

#include "core/check_cuda.hpp"
#include "core/check_cusparse.hpp"

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
      ContextBase(MemorySource<Cuda>{&pool(), DeviceStream::stream()}, communicator),
      timers_(profile(), DeviceStream::stream()),
      staging_(allocate_page_locked(staging_bytes), [](void* pointer) { cudaFreeHost(pointer); }),
      cusparse_(nullptr, [](cusparseHandle_t handle) { cusparseDestroy(handle); }) {}

void Context<Cuda>::require_ready() {
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
