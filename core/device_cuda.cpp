#include <cuda_runtime_api.h>

#include <algorithm>
#include <ranges>
#include <stdexcept>

#include "core/check_cuda.hpp"
#include "core/device.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve {
namespace {

int driver_version() {
  int result = 0;
  AMGSOLVE_CUDA_CHECK(cudaDriverGetVersion(&result));
  return result;
}

struct DeviceCount {
  cudaError_t status;
  int devices;
};

DeviceCount count_devices() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  cudaGetLastError();  // a missing device must not be blamed on the next call
  return {status, status == cudaSuccess ? devices : 0};
}

bool is_supported(int id) { return compute_capability(id) >= least_compute_capability; }

std::string why_too_old(int id) {
  cudaDeviceProp properties;
  AMGSOLVE_CUDA_CHECK(cudaGetDeviceProperties(&properties, id));
  return too_old(id, properties.name, {properties.major, properties.minor});
}

/// The thread's. Throws DeviceError where there is none that can be used.
int current_device() {
  if (device_count() == 0) {
    throw DeviceError(device_problem());
  }
  int id = 0;
  AMGSOLVE_CUDA_CHECK(cudaGetDevice(&id));
  return id;
}

cudaPointerAttributes attributes_of(const void* pointer) {
  cudaPointerAttributes attributes;
  AMGSOLVE_CUDA_CHECK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes;
}

}  // namespace

int device_count() {
  const int devices = count_devices().devices;
  return std::ranges::any_of(std::views::iota(0, devices), is_supported) ? devices : 0;
}

std::string device_problem() {
  const auto [status, devices] = count_devices();
  if (status == cudaErrorInsufficientDriver) {
    const int driver = driver_version();
    if (driver == 0) {
      return "no NVIDIA driver was found: install one or use the host";
    }
    return format_text("the NVIDIA driver supports CUDA {} and this build needs {}: update the driver or use the host",
                       format_cuda_version(driver), format_cuda_version(CUDART_VERSION));
  }
  if (status != cudaSuccess && status != cudaErrorNoDevice) {
    return format_text("CUDA cannot be used ({}: {}): check that nvidia-smi works, or use the host",
                       cudaGetErrorName(status), cudaGetErrorString(status));
  }
  if (devices == 0) {
    return "no NVIDIA GPU was found: check nvidia-smi and CUDA_VISIBLE_DEVICES, or use the host";
  }
  return device_count() > 0 ? "" : why_too_old(0);
}

int choose_device(int id) {
  const int current = current_device();
  const int devices = device_count();
  if (id < -1 || id >= devices) {
    throw DeviceError(
        format_text("device {} does not exist; choose 0 to {}, or -1 for the current one", id, devices - 1));
  }
  const int chosen = id == -1 ? current : id;
  if (!is_supported(chosen)) {
    throw DeviceError(why_too_old(chosen));
  }
  return chosen;
}

void use_device(int id) { AMGSOLVE_CUDA_CHECK(cudaSetDevice(choose_device(id))); }

CurrentDevice::CurrentDevice(std::optional<int> id) {
  if (!id) {
    return;
  }
  const int current = current_device();
  if (*id != -1 && *id != current) {
    use_device(*id);
  }
  earlier_ = current;
}

CurrentDevice::~CurrentDevice() {
  int current = 0;
  if (earlier_ && cudaGetDevice(&current) == cudaSuccess && current != *earlier_) {
    cudaSetDevice(*earlier_);
  }
}

DeviceDescription describe_device(int id) {
  DeviceDescription device;
  device.id = choose_device(id);
  cudaDeviceProp properties;
  AMGSOLVE_CUDA_CHECK(cudaGetDeviceProperties(&properties, device.id));
  device.name = properties.name;
  char bus[32] = {};
  AMGSOLVE_CUDA_CHECK(cudaDeviceGetPCIBusId(bus, sizeof(bus), device.id));
  device.bus = bus;
  device.compute_capability = 10 * properties.major + properties.minor;
  device.multiprocessors = properties.multiProcessorCount;
  device.memory_bytes = properties.totalGlobalMem;
  device.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  device.driver_version = driver_version();
  AMGSOLVE_CUDA_CHECK(cudaRuntimeGetVersion(&device.runtime_version));
  return device;
}

void require_device_pointer(const void* pointer, int device, const char* what) {
  if (pointer == nullptr) {
    return;
  }
  const cudaPointerAttributes attributes = attributes_of(pointer);
  if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged) {
    throw std::invalid_argument(format_text("{} is a host pointer where device memory is needed", what));
  }
  if (attributes.type == cudaMemoryTypeDevice && attributes.device != device) {
    throw std::invalid_argument(
        format_text("{} is memory of device {}; the solver works on device {}", what, attributes.device, device));
  }
}

void require_host_pointer(const void* pointer, const char* what) {
  if (pointer != nullptr && attributes_of(pointer).type == cudaMemoryTypeDevice) {
    throw std::invalid_argument(format_text("{} is device memory, but said to be the host's", what));
  }
}

}  // namespace amgsolve
