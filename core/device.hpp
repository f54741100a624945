#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/compute_capability.hpp"

/// The NVIDIA GPUs of this machine. Everything here also exists in a build without CUDA, where there are none.
namespace amgsolve {

/// How many devices there are; 0 where none can be used: no driver, no CUDA in this build, or all of them too old.
int device_count();

/// Why device_count() is 0, in one sentence that says what to do about it; empty where there are devices.
std::string device_problem();

/// Why a device with less than least_compute_capability cannot be used, in such a sentence.
std::string too_old(int id, const char* name, ComputeCapability capability);

/// The device to work on.
/// @param id  0, 1, … as CUDA numbers them (CUDA_VISIBLE_DEVICES changes that); −1: the thread's current device
/// Throws DeviceError with device_problem(), for an id out of range the range, for a device that is too old why.
int choose_device(int id = -1);

/// Makes a device the thread's current one. Throws as choose_device.
void use_device(int id);

/// Makes a device the thread's current one as long as this lives; afterwards the thread has its earlier one again,
/// whatever became current meanwhile. Does nothing where the device is current already, so that a context that the
/// program made of the driver's stays. Lives and dies on one thread.
class CurrentDevice {
 public:
  /// @param id  −1: the one that is current; none: nothing is asked of CUDA
  /// Throws as choose_device, but the device that is current may be too old.
  explicit CurrentDevice(std::optional<int> id);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  std::optional<int> earlier_{};
};

struct DeviceDescription {
  int id = 0;
  std::string bus{};  ///< where it is plugged in, "0000:1b:00.0": one device for all processes of a machine
  std::string name;
  int compute_capability = 0;  ///< 10 · major + minor
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
  int driver_version = 0;   ///< newest CUDA the driver supports, 1000 · major + 10 · minor
  int runtime_version = 0;  ///< CUDA runtime of this build, likewise
};

/// Throws as choose_device.
DeviceDescription describe_device(int id = -1);

/// One line for reports: "NVIDIA H200, 132 multiprocessors, compute capability 9.0, 150.1 GB, CUDA 13.0
/// (driver: 13.0)".
std::string to_string(const DeviceDescription& device);

/// A version as CUDA counts them, 1000 · major + 10 · minor, for people: "13.0".
std::string format_cuda_version(int version);

/// Throws std::invalid_argument naming `what` where `pointer` is not memory that the device can work on (its own or
/// managed memory), such as an ordinary host array or one of another device. nullptr passes.
void require_device_pointer(const void* pointer, int device, const char* what);

/// Throws std::invalid_argument naming `what` where `pointer` is memory that the host cannot reach. nullptr passes.
void require_host_pointer(const void* pointer, const char* what);

}  // namespace amgsolve
