#include "core/check_cuda.hpp"
#include "core/device.hpp"
#include "core/device_stream.hpp"

namespace amgsolve {

DeviceStream::DeviceStream(int device, CUstream_st* stream)
    : current_(device), device_(choose_device()), pool_(device_), stream_(stream), owns_stream_(stream == nullptr) {
  if (owns_stream_) {
    AMGSOLVE_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
}

DeviceStream::~DeviceStream() {
  if (owns_stream_) {
    cudaStreamDestroy(stream_);
  }
}

}  // namespace amgsolve
