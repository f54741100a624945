#include <cstdint>
#include <limits>

#include "core/check_cuda.hpp"
#include "core/device.hpp"
#include "core/device_stream.hpp"

namespace amgsolve {
namespace {

// By default a pool returns its unused memory to the driver at every synchronisation and has to map it again; this one
// keeps it until the device is full or the context ends.
constexpr std::uint64_t release_threshold = std::numeric_limits<std::uint64_t>::max();

cudaMemPool_t make_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  AMGSOLVE_CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
  std::uint64_t threshold = release_threshold;
  AMGSOLVE_CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  return pool;
}

}  // namespace

DeviceStream::DeviceStream(int device, CUstream_st* stream)
    : current_(device), device_(choose_device()), stream_(stream), owns_stream_(stream == nullptr) {
  try {
    if (owns_stream_) {
      AMGSOLVE_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    pool_ = make_pool(device_);
  } catch (...) {
    release();
    throw;
  }
}

DeviceStream::~DeviceStream() { release(); }

void DeviceStream::release() noexcept {
  if (pool_ != nullptr) {
    cudaMemPoolDestroy(pool_);
  }
  if (owns_stream_ && stream_ != nullptr) {
    cudaStreamDestroy(stream_);
  }
}

}  // namespace amgsolve
