#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <vector>

#include "amg/solver.hpp"
#include "core/errors.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

/// What a program that runs for weeks does: nothing may be left of a solver that has gone.
namespace amgsolve {
namespace {

struct Usage {
  std::size_t heap = 0;  ///< bytes that the process has allocated and not freed
  std::size_t device = 0;
  std::ptrdiff_t files = 0;
  std::ptrdiff_t threads = 0;
};

std::ptrdiff_t entries_of(const char* directory) {
  return std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator());
}

template <MemorySpace S>
Usage usage() {
  Usage now;
  if constexpr (std::same_as<S, Cuda>) {
    // Less of what is free is more in use.
    now.device = std::size_t{1} << 50;
    now.device -= Context<S>().memory().available().bytes;
  }
  const struct mallinfo2 heap = mallinfo2();
  now.heap = heap.uordblks + heap.hblkhd;
  now.files = entries_of("/proc/self/fd");
  now.threads = entries_of("/proc/self/task");
  return now;
}

/// Setups, solves, new values and failures, with a context of their own.
template <MemorySpace S>
void work(int round) {
  Context<S> ctx;
  const std::int64_t nx = 5 + 37 * round % 60;
  const std::int64_t ny = 5 + 23 * round % 50;
  const auto problem = reference::poisson(reference::grid({nx, ny}), Discretization::fd);
  AmgOptions amg;
  amg.coarse_size = 20;
  amg.precision = round % 2 == 0 ? Precision::same : Precision::mixed;
  SolverOptions options;
  options.reuse = round % 3 == 0 ? Reuse::pattern : Reuse::hierarchy;
  AmgSolver<double, S> solver(amg, options);
  const Index n = static_cast<Index>(nx * ny);
  const Index columns = 1 + round % 3;
  MultiVector<double, S> b(ctx, n, columns);
  MultiVector<double, S> x(ctx, n, columns);
  fill<double>(ctx, 1.0, b);
  const auto solve = [&] {
    fill<double>(ctx, 0.0, x);
    EXPECT_EQ(solver.solve(ctx, std::as_const(b), x).reason, StopReason::converged);
  };
  solver.setup(ctx, generate_matrix<double>(ctx, problem));
  solve();
  solver.update_values(ctx, generate_matrix<double>(ctx, problem));
  solve();
  if (round % 4 == 0) {
    ctx.memory().set_limit(1);
    EXPECT_THROW(solver.setup(ctx, generate_matrix<double>(ctx, problem)), OutOfMemoryError);
  }
}

template <MemorySpace S>
void expect_flat(int rounds) {
  // What is allocated once and kept is allocated by then: kinds of rounds repeat after twelve, and a driver loads a
  // kernel when it is first launched.
  const int warm_up = std::max(rounds / 4, 12);
  for (int round = 0; round < warm_up; ++round) {
    work<S>(round);
  }
  const Usage before = usage<S>();
  for (int round = warm_up; round < rounds; ++round) {
    work<S>(round);
  }
  const Usage after = usage<S>();
  EXPECT_LE(after.heap, before.heap + (std::size_t{64} << 10));
  EXPECT_LE(after.device, before.device + (std::size_t{8} << 20));
  EXPECT_EQ(after.files, before.files);
  EXPECT_EQ(after.threads, before.threads);
}

template <class I>
class Soak : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Soak, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(Soak, LeavesNothingBehind) { expect_flat<typename TypeParam::Space>(24); }

template <class I>
class SoakLarge : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(SoakLarge, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(SoakLarge, ThousandRoundsLeaveNothingBehind) {
  if (std::getenv("AMGSOLVE_LARGE") == nullptr) {
    GTEST_SKIP() << "takes long: set AMGSOLVE_LARGE=1";
  }
  expect_flat<typename TypeParam::Space>(1000);
}

}  // namespace
}  // namespace amgsolve
