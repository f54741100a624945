#include <gtest/gtest.h>

#include <vector>

#include "tests/dist/ranks.hpp"
#include "tests/dist/shared_matrices.hpp"
#include "tests/dist/shared_solves.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/penalties.hpp"

/// Equations that the norm of a residual does not show, on ranks.
namespace amgsolve {
namespace {

template <class I>
class SharedPenalties : public ranks::OnRanks<I> {};
TYPED_TEST_SUITE(SharedPenalties, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(SharedPenalties, HideNoEquations) {
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  auto A = generate_matrix<double>(host, ranks::poisson({19, 21, 23}, Discretization::fd));
  std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  reference::add_penalties(A, b, 400, 1e9);
  AmgOptions options;
  options.coarse_size = 50;
  options.direct_solve_limit = 50;
  options.replicate_below = 4000;
  options.set_up_whole_below = 0;
  const SolveResult result = ranks::expect_bits_of_one_rank<double, S>(A, b, options, {});
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_GT(result.jacobi_change, 0.0);
  EXPECT_LE(result.jacobi_change, 1e-5);
}

// Norms of D⁻¹ r, also of ranks that have no rows.
TYPED_TEST(SharedPenalties, OfGmresAreThoseOfEveryRank) {
  using S = typename TypeParam::Space;
  constexpr Index n = 60;
  Context<Host> host(1);
  const auto L = generate_matrix<double>(host, ranks::poisson({n, n}, Discretization::fd));
  const auto A = reference::changed_entries<double>(host, L, [](Index i, Index j, double value) {
    return i % n > 0 ? 1e10 * value : i == j ? 1.0 : 0.0;
  });
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  for (const ranks::Cut cut : {ranks::Cut::uneven, ranks::Cut::gaps, ranks::Cut::last}) {
    for (const Method method : {Method::fgmres, Method::gmres}) {
      const SolveResult result = ranks::expect_bits_of_one_rank<double, S>(
          A, b, ranks::small_levels(), {.method = method, .tolerance = 1e-8}, 1, true, cut);
      EXPECT_LE(result.reason, StopReason::attained) << describe(result.reason);
    }
  }
}

}  // namespace
}  // namespace amgsolve
