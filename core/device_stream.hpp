#pragma once

#include "core/device.hpp"
#include "core/memory_pool.hpp"

struct CUstream_st;

namespace amgsolve {

/// A device, a stream on it, and a pool of its memory. Making it makes the device the thread's current one, which it is
/// to be in all work here and at the end; then the thread has its earlier one again. Where another may be current
/// meanwhile, or another thread goes on, a CurrentDevice sees to that.
class DeviceStream {
 public:
  /// @param device  see choose_device
  /// @param stream  borrowed: a stream of that device that outlives this; nullptr: a stream of our own that does not
  ///                wait for the default stream
  explicit DeviceStream(int device = -1, CUstream_st* stream = nullptr);
  ~DeviceStream();
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;

  int device() const { return device_; }
  CUstream_st* stream() const { return stream_; }
  const MemoryPool& pool() const { return pool_; }

 private:
  CurrentDevice current_;
  int device_;
  MemoryPool pool_;
  CUstream_st* stream_;
  bool owns_stream_;
};

}  // namespace amgsolve
