#include <gtest/gtest.h>

#include "spmv/conversions.hpp"
#include "tests/dist/shared_problems.hpp"
#include "tests/dist/shared_solves.hpp"

namespace amgsolve {
namespace {

template <class I>
class SharedBlocks : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(SharedBlocks, reference::Instances, reference::InstanceNames);

TYPED_TEST(SharedBlocks, SmoothToTheBitsOfOneRank) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  for (const ranks::Problem& problem : ranks::problems(host)) {
    if (problem.unknowns == 1 || !problem.near_nullspace.empty()) {
      continue;
    }
    const auto A = convert_values<T>(host, problem.A);
    const auto b = reference::random_values<T>(static_cast<std::size_t>(A.rows), 1);
    for (const SmootherType smoother : {SmootherType::block_jacobi, SmootherType::block_chebyshev}) {
      SCOPED_TRACE(testing::Message() << problem.name << ", smoother " << static_cast<int>(smoother));
      AmgOptions options = ranks::small_levels();
      options.smoother.type = smoother;
      options.block_size = problem.unknowns;
      ranks::expect_bits_of_one_rank<T, S>(A, b, options, {.max_iterations = 6}, problem.unknowns);
    }
  }
}

}  // namespace
}  // namespace amgsolve
