#include "core/device.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "core/errors.hpp"

namespace amgsolve {
namespace {

std::string message_of_choosing(int id) {
  try {
    choose_device(id);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

TEST(Device, ProblemIsToldWhereThereIsNone) {
  EXPECT_EQ(device_problem().empty(), device_count() > 0);
  if (device_count() == 0) {
    EXPECT_EQ(message_of_choosing(-1), device_problem());
    EXPECT_EQ(message_of_choosing(0), device_problem());
    EXPECT_THROW(describe_device(), DeviceError);
  }
}

#if !AMGSOLVE_HAVE_CUDA
TEST(Device, BuildWithoutCudaSaysHowToGetIt) {
  EXPECT_NE(device_problem().find("-DAMGSOLVE_CUDA=ON"), std::string::npos) << device_problem();
}

TEST(Device, BuildWithoutCudaTakesNoDevicePointer) {
  const double x = 0.0;
  EXPECT_THROW(require_device_pointer(&x, 0, "b"), std::invalid_argument);
  EXPECT_NO_THROW(require_device_pointer(nullptr, 0, "b"));
}
#endif

TEST(Device, ThatIsTooOldIsRefusedByName) {
  EXPECT_EQ(too_old(1, "Tesla V100", {7, 0}),
            "device 1, Tesla V100, has compute capability 7.0 and amgsolve needs 8.0 or newer: use another GPU or the "
            "host");
}

TEST(Device, IsDescribedInOneLine) {
  const DeviceDescription device{.name = "NVIDIA H200",
                                 .compute_capability = 90,
                                 .multiprocessors = 132,
                                 .memory_bytes = 150'000'000'000,
                                 .driver_version = 13000,
                                 .runtime_version = 12040};
  EXPECT_EQ(to_string(device),
            "NVIDIA H200, 132 multiprocessors, compute capability 9.0, 150.0 GB, CUDA 12.4 (driver: 13.0)");
}

}  // namespace
}  // namespace amgsolve
