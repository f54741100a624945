#include "core/device.hpp"

#include "core/format.hpp"

namespace amgsolve {

std::string too_old(int id, const char* name, ComputeCapability capability) {
  return format_text(
      "device {}, {}, has compute capability {}.{} and amgsolve needs {}.{} or newer: use another GPU or the host", id,
      name, capability.major, capability.minor, least_compute_capability.major, least_compute_capability.minor);
}

std::string format_cuda_version(int version) { return format_text("{}.{}", version / 1000, version % 1000 / 10); }

std::string to_string(const DeviceDescription& device) {
  return format_text("{}, {} multiprocessors, compute capability {}.{}, {}, CUDA {} (driver: {})", device.name,
                     device.multiprocessors, device.compute_capability / 10, device.compute_capability % 10,
                     format_bytes(device.memory_bytes), format_cuda_version(device.runtime_version),
                     format_cuda_version(device.driver_version));
}

}  // namespace amgsolve
