#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <vector>

#include "core/algorithms.hpp"
#include "core/errors.hpp"
#include "core/parallel_cuda.cuh"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

/// y_i = Σ of x over the group of lanes of thread i.
template <int Lanes>
__global__ void lane_sums(const double* x, double* y) {
  const std::int64_t i = thread_index();
  y[i] = sum_lanes<Lanes>(x[i]);
}

/// Two sums by each block, one right after the other: y_b = Σ x_i + Σ x_i².
template <int Threads>
__global__ void block_sums(const double* x, double* y) {
  const double value = x[thread_index()];
  const double sum = sum_block<Threads>(value);
  const double squares = sum_block<Threads>(value * value);
  if (threadIdx.x == 0) {
    y[blockIdx.x] = sum + squares;
  }
}

__global__ void too_many_threads() {}

__global__ void write_last_byte(std::size_t bytes) {
  extern __shared__ volatile char shared[];
  shared[bytes - 1] = 0;
}

/// x_i = i, whose sums are exact.
std::vector<double> numbers(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<double>(i);
  }
  return x;
}

template <int Lanes>
void expect_lane_sums(Context<Cuda>& ctx) {
  constexpr std::size_t n = 1024;
  const std::vector<double> x = numbers(n);
  const auto x_there = reference::upload_buffer(ctx, x);
  Buffer<double, Cuda> y(ctx, n);
  launch(ctx, lane_sums<Lanes>, Grid::of_threads(n), x_there.data(), y.data());
  const std::vector<double> sums = reference::download(ctx, y.span());
  for (std::size_t i = 0; i < n; ++i) {
    double expected = 0.0;
    for (std::size_t k = i / Lanes * Lanes; k < (i / Lanes + 1) * Lanes; ++k) {
      expected += x[k];
    }
    ASSERT_EQ(sums[i], expected) << "thread " << i << " of groups of " << Lanes;
  }
}

template <int Threads>
void expect_block_sums(Context<Cuda>& ctx) {
  constexpr std::size_t blocks = 100;
  const std::vector<double> x = numbers(blocks * Threads);
  const auto x_there = reference::upload_buffer(ctx, x);
  Buffer<double, Cuda> y(ctx, blocks);
  launch(ctx, block_sums<Threads>, Grid{blocks, Threads}, x_there.data(), y.data());
  const std::vector<double> sums = reference::download(ctx, y.span());
  for (std::size_t b = 0; b < blocks; ++b) {
    double expected = 0.0;
    for (std::size_t k = b * Threads; k < (b + 1) * Threads; ++k) {
      expected += x[k] + x[k] * x[k];
    }
    ASSERT_EQ(sums[b], expected) << "block " << b << " of " << Threads << " threads";
  }
}

void count_visits(Context<Cuda>& ctx, std::int64_t n, int* visits) {
  parallel_for(ctx, n, [visits] __device__(std::int64_t i) { ++visits[i]; });
}

/// Σ 1 / (i + 1) for i < n, whose last bits tell the order of the sum.
double harmonic_sum(Context<Cuda>& ctx, std::int64_t n) {
  return parallel_reduce(
      ctx, n, 0.0,
      [] __device__(std::int64_t begin, std::int64_t end) {
        double sum = 0.0;
        for (std::int64_t i = begin; i < end; ++i) {
          sum += 1.0 / static_cast<double>(i + 1);
        }
        return sum;
      },
      [](double a, double b) { return a + b; });
}

class CudaParallel : public reference::SpaceTest<Cuda> {};

TEST_F(CudaParallel, ForVisitsEveryIndexOnce) {
  Context<Cuda> ctx;
  for (const std::size_t n : {0, 1, 255, 256, 257, 1000000}) {
    auto visits = reference::upload_buffer(ctx, std::vector<int>(n, 0));
    count_visits(ctx, static_cast<std::int64_t>(n), visits.data());
    EXPECT_EQ(reference::download(ctx, visits.span()), std::vector<int>(n, 1));
  }
}

TEST_F(CudaParallel, ReduceSumsBlocksFromLeftToRight) {
  Context<Cuda> ctx;
  for (const std::int64_t n : {0, 1, 4095, 4096, 4097, 1000000}) {
    double expected = 0.0;
    for (std::int64_t begin = 0; begin < n; begin += reduction_block) {
      double sum = 0.0;
      for (std::int64_t i = begin; i < n && i < begin + reduction_block; ++i) {
        sum += 1.0 / static_cast<double>(i + 1);
      }
      expected += sum;
    }
    EXPECT_EQ(harmonic_sum(ctx, n), expected) << n;
  }
}

TEST_F(CudaParallel, LanesSumTheirGroup) {
  Context<Cuda> ctx;
  expect_lane_sums<1>(ctx);
  expect_lane_sums<2>(ctx);
  expect_lane_sums<8>(ctx);
  expect_lane_sums<32>(ctx);
}

TEST_F(CudaParallel, BlocksSumTheirThreads) {
  Context<Cuda> ctx;
  expect_block_sums<32>(ctx);
  expect_block_sums<256>(ctx);
  expect_block_sums<1024>(ctx);
}

TEST_F(CudaParallel, FailedLaunchNamesTheKernel) {
  Context<Cuda> ctx;
  try {
    launch(ctx, too_many_threads, Grid{1, 2048});
    FAIL() << "launched a block of 2048 threads";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("too_many_threads"), std::string::npos) << error.what();
  }
  EXPECT_THROW(launch(ctx, too_many_threads, Grid{std::int64_t{1} << 31, 1}), std::invalid_argument);
  ctx.synchronize();
}

// How much a kernel may have belongs to it, whoever launches it.
TEST_F(CudaParallel, ThreadsLaunchAKernelEachWithItsOwnSharedMemory) {
  const auto launch_often = [](std::size_t bytes) {
    Context<Cuda> ctx;
    for (int i = 0; i < 500; ++i) {
      launch(ctx, write_last_byte, {.blocks = 1, .threads = 1, .shared_bytes = bytes}, bytes);
    }
    ctx.synchronize();
  };
  auto other = std::async(std::launch::async, launch_often, std::size_t{40} << 10);
  EXPECT_NO_THROW(launch_often(std::size_t{64} << 10));
  EXPECT_NO_THROW(other.get());
}

// CUDA remembers what an application's own call failed with until it is asked for it.
TEST_F(CudaParallel, ErrorsOfTheApplicationAreNotBlamedOnWhatFollows) {
  Context<Cuda> ctx;
  const auto fail = [] { ASSERT_NE(cudaSetDevice(-1), cudaSuccess); };
  constexpr std::size_t n = 1000;
  auto visits = reference::upload_buffer(ctx, std::vector<int>(n, 0));
  fail();
  EXPECT_NO_THROW(count_visits(ctx, n, visits.data()));
  fail();
  EXPECT_EQ(element(ctx, visits.span(), n - 1), 1);
  fail();
  EXPECT_EQ(sum_and_max(ctx, visits.span()).sum, static_cast<Offset>(n));
  cudaGetLastError();
}

}  // namespace
}  // namespace amgsolve
