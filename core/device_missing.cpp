// The one place that speaks for the CUDA backend where it was not built.
#if !AMGSOLVE_HAVE_CUDA

#include <stdexcept>
#include <string>

#include "core/device.hpp"
#include "core/errors.hpp"

namespace amgsolve {

int device_count() { return 0; }

std::string device_problem() {
  return "this build of amgsolve has no CUDA backend; rebuild with -DAMGSOLVE_CUDA=ON or use the host";
}

int choose_device(int) { throw DeviceError(device_problem()); }

void use_device(int) { throw DeviceError(device_problem()); }

CurrentDevice::CurrentDevice(std::optional<int> id) {
  if (id) {
    use_device(*id);
  }
}

CurrentDevice::~CurrentDevice() = default;

DeviceDescription describe_device(int) { throw DeviceError(device_problem()); }

void require_device_pointer(const void* pointer, int /*device*/, const char* what) {
  if (pointer != nullptr) {
    throw std::invalid_argument(std::string(what) + " cannot be device memory: " + device_problem());
  }
}

void require_host_pointer(const void* /*pointer*/, const char* /*what*/) {}

}  // namespace amgsolve

#endif
