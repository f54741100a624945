#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "core/context.hpp"
#include "core/copy.hpp"
#include "core/device.hpp"
#include "core/errors.hpp"
#include "core/timer.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using Bytes = Buffer<char, Cuda>;

class CudaContext : public reference::SpaceTest<Cuda> {};

TEST_F(CudaContext, HasAStreamThatDoesNotWaitForTheDefaultOne) {
  const Context<Cuda> ctx;
  unsigned flags = 0;
  ASSERT_EQ(cudaStreamGetFlags(ctx.stream(), &flags), cudaSuccess);
  EXPECT_EQ(flags, unsigned{cudaStreamNonBlocking});
}

TEST_F(CudaContext, WorksOnTheStreamOfTheCaller) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  {
    Context<Cuda> ctx(-1, stream);
    EXPECT_EQ(ctx.stream(), stream);
    const auto x = reference::upload_buffer(ctx, std::vector<double>(1000, 3.0));
    EXPECT_EQ(element(ctx, x.span(), 999), 3.0);
  }
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess) << "the stream is still the caller's";
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(CudaContext, RefusesADeviceThatDoesNotExist) {
  try {
    const Context<Cuda> ctx(device_count());
    FAIL() << "made a context on a device that does not exist";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("choose 0 to " + std::to_string(device_count() - 1)), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(Context<Cuda>(-2), DeviceError);
}

TEST_F(CudaContext, GivesTheThreadItsDeviceBack) {
  const int last = device_count() - 1;
  int current = -1;
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  {
    const Context<Cuda> ctx(last);
    ASSERT_EQ(cudaGetDevice(&current), cudaSuccess);
    EXPECT_EQ(current, last);
    EXPECT_EQ(ctx.device(), last);
  }
  ASSERT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 0);
}

TEST_F(CudaContext, TimesPhasesOnTheDevice) {
  Context<Cuda> ctx;
  Bytes x(ctx, std::size_t{1} << 28);
  constexpr int repeats = 3000;  // enough for events to be used again
  for (int i = 0; i < repeats; ++i) {
    const ScopedTimer outer(ctx, "outer", 1);
    const ScopedTimer inner(ctx, "inner");
    if (i < 10) {
      set_zero(ctx, x.span());
    }
  }
  ctx.collect_times();
  const auto& nodes = ctx.profile().nodes();
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].calls, repeats);
  EXPECT_EQ(nodes[1].level, 1);
  EXPECT_GT(nodes[1].seconds(), 10.0 * static_cast<double>(x.bytes()) / 100e12) << "no memory is that fast";
  EXPECT_GE(nodes[0].seconds(), nodes[1].seconds());
  const double seconds = nodes[0].seconds();
  ctx.collect_times();
  EXPECT_EQ(nodes[0].seconds(), seconds) << "every interval is booked once";
}

TEST_F(CudaContext, CountsUntimedPhasesAsLongAsThoseTimed) {
  Context<Cuda> ctx;
  Bytes x(ctx, std::size_t{1} << 28);
  for (int i = 0; i < 8; ++i) {
    const Context<Cuda>::Untimed untimed(ctx, i > 0);
    const ScopedTimer phase(ctx, "phase");
    set_zero(ctx, x.span());
  }
  { const ScopedTimer after(ctx, "after"); }
  ctx.collect_times();
  const auto& nodes = ctx.profile().nodes();
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].calls, 8);
  EXPECT_EQ(nodes[0].timed_calls, 1);
  EXPECT_EQ(nodes[0].seconds(), 8.0 * nodes[0].timed_seconds);
  EXPECT_GT(nodes[0].seconds(), 8.0 * static_cast<double>(x.bytes()) / 100e12) << "no memory is that fast";
  EXPECT_EQ(nodes[1].timed_calls, 1);
}

TEST_F(CudaContext, BringsAFewBytesAlsoWhenWorkBeforeThemTakesLong) {
  Context<Cuda> ctx;
  Buffer<std::int64_t, Cuda> x(ctx, std::size_t{1} << 25);
  for (std::int64_t i = 1; i <= 40; ++i) {
    for (int passes = 0; passes < i; ++passes) {  // from less to more than the mailbox is looked at for
      set_zero(ctx, x.span());
    }
    upload<std::int64_t>(ctx, {&i, 1}, x.span().subspan(x.size() - 1, 1));
    EXPECT_EQ(element(ctx, x.span(), x.size() - 1), i);
    EXPECT_EQ(element(ctx, x.span(), 0), 0);
  }
}

TEST_F(CudaContext, MakesTheLibraryOnce) {
  Context<Cuda> ctx;
  EXPECT_NE(ctx.cusparse(), nullptr);
  EXPECT_EQ(ctx.cusparse(), ctx.cusparse());
}

TEST_F(CudaContext, KnowsDeviceMemoryFromHostMemory) {
  Context<Cuda> ctx;
  const Bytes x(ctx, 100);
  const std::vector<char> y(100);
  EXPECT_NO_THROW(require_device_pointer(x.data(), ctx.device(), "x"));
  EXPECT_NO_THROW(require_device_pointer(nullptr, ctx.device(), "x"));
  EXPECT_THROW(require_device_pointer(y.data(), ctx.device(), "y"), std::invalid_argument);
  EXPECT_THROW(require_device_pointer(x.data(), ctx.device() + 1, "x"), std::invalid_argument);
  EXPECT_NO_THROW(require_host_pointer(y.data(), "y"));
  EXPECT_NO_THROW(require_host_pointer(nullptr, "y"));
  EXPECT_THROW(require_host_pointer(x.data(), "x"), std::invalid_argument);
}

class CudaMemory : public reference::SpaceTest<Cuda> {};

TEST_F(CudaMemory, CountsUseAndPeak) {
  Context<Cuda> ctx;
  {
    const Bytes a(ctx, 1000);
    const Bytes b(ctx, 500);
    EXPECT_EQ(ctx.memory().bytes_in_use(), 1500U);
  }
  EXPECT_EQ(ctx.memory().bytes_in_use(), 0U);
  EXPECT_EQ(ctx.memory().peak_bytes(), 1500U);
}

TEST_F(CudaMemory, LimitSaysWhereAndHowMuch) {
  Context<Cuda> ctx;
  ctx.memory().set_limit(1000);
  const Bytes a(ctx, 600);
  const ScopedTimer setup(ctx, "setup");
  const ScopedTimer phase(ctx, "galerkin product", 2);
  try {
    const Bytes b(ctx, 2500);
    FAIL() << "allocated past the limit";
  } catch (const OutOfMemoryError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "out of device memory in setup > galerkin product (level 2): 2.5 kB wanted, 400 B free: 'solver.memory_limit'");
  }
}

/// Tests in which other processes must leave the device's memory alone.
class CudaWholeMemory : public reference::SpaceTest<Cuda> {};

TEST_F(CudaWholeMemory, ReservesWhatIsNotInUse) {
  constexpr std::size_t megabytes_256 = std::size_t{256} << 20;
  const auto taken_by = [](Context<Cuda>& ctx, std::size_t bytes) {
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t total = 0;
    EXPECT_EQ(cudaMemGetInfo(&before, &total), cudaSuccess);
    ctx.memory().reserve(bytes);
    EXPECT_EQ(cudaMemGetInfo(&after, &total), cudaSuccess);
    return before > after ? before - after : 0;
  };
  Context<Cuda> ctx;
  EXPECT_GT(taken_by(ctx, megabytes_256), megabytes_256 / 2);
  EXPECT_LT(taken_by(ctx, megabytes_256), megabytes_256 / 2) << "it is there";
  EXPECT_EQ(ctx.memory().bytes_in_use(), 0U);
  EXPECT_EQ(ctx.memory().peak_bytes(), 0U);
  EXPECT_EQ(taken_by(ctx, describe_device().memory_bytes), 0U) << "others want memory, too";
  const Bytes block(ctx, megabytes_256);
  Context<Cuda> limited;
  limited.memory().set_limit(megabytes_256 - 1);
  EXPECT_EQ(taken_by(limited, megabytes_256), 0U);
}

// The driver takes what there is before it refuses.
TEST_F(CudaWholeMemory, MoreThanTheDeviceHasIsRefusedAndItWorksOn) {
  Context<Cuda> ctx;
  const std::size_t too_much = describe_device().memory_bytes + (std::size_t{1} << 30);
  const auto x = reference::upload_buffer(ctx, std::vector<double>(1000, 3.0));
  try {
    const Bytes b(ctx, too_much);
    FAIL() << "allocated more than the device has";
  } catch (const OutOfMemoryError& error) {
    EXPECT_EQ(error.bytes_wanted(), too_much);
    EXPECT_GT(error.bytes_free(), 0U);
    EXPECT_LT(error.bytes_free(), too_much);
  }
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(element(ctx, x.span(), 999), 3.0);
  const Bytes after(ctx, 100);
}

TEST_F(CudaWholeMemory, BlocksGivenBackMakeRoomForALargerOne) {
  Context<Cuda> ctx;
  const std::size_t available = ctx.memory().available().bytes;
  { const Bytes a(ctx, available / 10 * 6); }
  const Bytes b(ctx, available / 10 * 7);
  EXPECT_GT(b.bytes(), ctx.memory().available().bytes);
}

TEST_F(CudaWholeMemory, BlocksGivenBackMakeRoomForThoseOfAnotherContext) {
  Context<Cuda> ctx;
  Context<Cuda> other;
  const std::size_t available = other.memory().available().bytes;
  { const Bytes a(ctx, available / 10 * 6); }
  ctx.synchronize();
  EXPECT_GT(other.memory().available().bytes, available / 10 * 9);
  const Bytes b(other, available / 10 * 7);
  EXPECT_LT(ctx.memory().available().bytes, available / 10 * 4);
}

}  // namespace
}  // namespace amgsolve
