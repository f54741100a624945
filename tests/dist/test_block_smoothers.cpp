#include <gtest/gtest.h>

#include "problems/generate.hpp"
#include "spmv/conversions.hpp"
#include "tests/dist/shared_problems.hpp"
#include "tests/dist/shared_solves.hpp"
#include "tests/reference/inclined_supports.hpp"

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

// Two nodes, of the last rank that has any; others may have no rows.
TYPED_TEST(SharedBlocks, OfStrongNodesOfOneRankAreInvertedByAll) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  GeneratedProblem body = ranks::poisson({9, 8, 10}, Discretization::q1);
  body.pde = Pde::elasticity;
  body.boundary = Boundary::clamped_face;
  const auto A =
      convert_values<T>(host, reference::with_inclined_supports(host, generate_matrix<double>(host, body), 3, 2, 1e4));
  const auto b = reference::random_values<T>(static_cast<std::size_t>(A.rows), 1);
  AmgOptions automatic = ranks::small_levels();
  automatic.block_size = 3;
  AmgOptions by_blocks = automatic;
  by_blocks.smoother.type = SmootherType::block_chebyshev;
  AmgOptions by_points = automatic;
  by_points.smoother.type = SmootherType::chebyshev;
  const SolverOptions steps{.max_iterations = 6};
  for (const ranks::Cut cut : {ranks::Cut::even, ranks::Cut::last, ranks::Cut::gaps}) {
    SCOPED_TRACE(ranks::to_string(cut));
    const auto history = [&](const AmgOptions& options) {
      return ranks::expect_bits_of_one_rank<T, S>(A, b, options, steps, 3, true, cut).residual_history;
    };
    EXPECT_EQ(history(automatic), history(by_blocks));
    EXPECT_NE(history(automatic), history(by_points));
  }
}

}  // namespace
}  // namespace amgsolve
