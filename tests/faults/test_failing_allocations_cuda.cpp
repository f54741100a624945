#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "amg/solver.hpp"
#include "core/errors.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace {

std::int64_t allocations = 0;
std::int64_t first_to_fail = 0;  // 0: none
std::int64_t last_to_fail = 0;

}  // namespace

extern "C" {

cudaError_t __real_cudaMallocFromPoolAsync(void**, std::size_t, cudaMemPool_t, cudaStream_t);

/// The device's memory seems full from the first to the last that is to fail. A failed request is tried once more after
/// the pool has let go of what it does not use, which counts as another.
cudaError_t __wrap_cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  const std::int64_t n = ++allocations;
  if (first_to_fail != 0 && n >= first_to_fail && n <= last_to_fail) {
    return cudaErrorMemoryAllocation;
  }
  return __real_cudaMallocFromPoolAsync(pointer, bytes, pool, stream);
}

}  // extern "C"

namespace amgsolve {
namespace {

class CudaEachAllocationFails : public reference::SpaceTest<Cuda>, public testing::WithParamInterface<std::int64_t> {
 protected:
  /// The iterations of a solve.
  static int solve(Context<Cuda>& ctx) {
    CsrMatrix<double, Cuda> A =
        generate_matrix<double>(ctx, reference::poisson(reference::grid({40, 40}), Discretization::fd));
    const Index rows = A.rows;
    AmgOptions options;
    options.coarse_size = 50;
    AmgSolver<double, Cuda> solver(options, {});
    solver.setup(ctx, std::move(A));
    MultiVector<double, Cuda> b(ctx, rows, 1);
    MultiVector<double, Cuda> x(ctx, rows, 1);
    fill<double>(ctx, 1.0, b.view());
    set_zero(ctx, x.view().span());
    const int iterations = solver.solve(ctx, std::as_const(b).view(), x.view()).iterations;
    ctx.synchronize();
    return iterations;
  }
};

/// How many requests in a row fail: one, which the second attempt makes good; both attempts; all from then on.
INSTANTIATE_TEST_SUITE_P(Requests, CudaEachAllocationFails, testing::Values(1, 2, INT64_MAX / 2));

TEST_P(CudaEachAllocationFails, AndTheDeviceWorksOn) {
  Context<Cuda> ctx;
  const int iterations = solve(ctx);
  ctx.workspace().release();
  for (std::int64_t n = 1;; ++n) {
    const std::size_t before = ctx.memory().bytes_in_use();
    allocations = 0;
    last_to_fail = n + GetParam() - 1;
    first_to_fail = n;
    bool fails = false;
    try {
      EXPECT_EQ(solve(ctx), iterations);
    } catch (const OutOfMemoryError&) {
      fails = true;
    }
    first_to_fail = 0;
    ctx.synchronize();
    ctx.workspace().release();
    EXPECT_EQ(ctx.memory().bytes_in_use(), before) << "leaks where request " << n << " fails";
    if (allocations < n) {
      EXPECT_GT(n, 50);  // more than a matrix and its vectors
      break;
    }
    EXPECT_EQ(fails, GetParam() > 1) << "where request " << n << " fails";
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_EQ(solve(ctx), iterations) << "the device works on";
}

}  // namespace
}  // namespace amgsolve
