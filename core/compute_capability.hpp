#pragma once

#include <compare>
#include <cstddef>

namespace amgsolve {

/// What a GPU's kernels may count on. Policies of tuning headers choose by it. The default has the least shared memory.
struct ComputeCapability {
  int major = 8;
  int minor = 6;

  auto operator<=>(const ComputeCapability&) const = default;
};

/// Kernels join the lanes of a warp in one instruction. The same stands in cmake/Cuda.cmake.
inline constexpr ComputeCapability least_compute_capability{8, 0};

/// Shared memory of a multiprocessor in bytes, after the CUDA programming guide; what the smallest have where a device
/// is not known.
constexpr std::size_t shared_bytes(ComputeCapability device) {
  constexpr std::size_t kb = 1024;
  if (device.major == 9 || device.major == 10) {
    return 228 * kb;
  }
  if (device == ComputeCapability{8, 0} || device == ComputeCapability{8, 7}) {
    return 164 * kb;
  }
  return 100 * kb;
}

/// What a block may have of it: all but a kilobyte, which is the driver's.
constexpr std::size_t block_shared_bytes(ComputeCapability device) { return shared_bytes(device) - 1024; }

/// That of a device. Cheap: no query of all its properties.
ComputeCapability compute_capability(int device);

}  // namespace amgsolve
