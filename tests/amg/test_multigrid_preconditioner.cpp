#include "amg/multigrid_preconditioner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "amg/check_matrix.hpp"
#include "amg/solver.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class Instance>
class MultigridPreconditionerTest : public reference::SpaceTest<typename Instance::Space> {};
TYPED_TEST_SUITE(MultigridPreconditionerTest, reference::DoubleInstances, reference::InstanceNames);

/// One number makes all that a cycle formed in float what the method asks for in double, for a matrix of any size.
TYPED_TEST(MultigridPreconditionerTest, FormsInFloatWhatItAppliesUpToScale) {
  using Space = typename TypeParam::Space;
  Context<Space> ctx;
  const std::vector<double> residual = reference::random_values<double>(800, 3);
  const auto r = reference::upload(ctx, residual, 2);
  const auto constant = reference::upload(ctx, std::vector<double>(400, 1.0), 1);
  for (const Precision precision : {Precision::same, Precision::mixed}) {
    for (const double size : {1.0, 3e-200}) {
      const auto A = generate_matrix<double>(ctx, reference::poisson({2, {20, 20, 1}}, Discretization::fd));
      const MatrixFindings findings = check_matrix(ctx, A);
      const RowMagnitudes magnitudes{size * findings.magnitudes.smallest, size * findings.magnitudes.largest};
      AmgOptions options;
      options.precision = precision;
      const auto preconditioner = make_multigrid_preconditioner<double>(
          ctx, convert_values<double>(ctx, A, size), magnitudes, constant.view(), 0, options, Reuse::none);
      const std::vector<double> z = reference::download(ctx, preconditioner->apply(ctx, r).span());
      const auto expect_formed = [&](bool is_rounded) {
        std::visit(
            [&]<class U>(MultiVectorView<const U, Space> formed) {
              EXPECT_EQ((std::is_same_v<U, float>), precision == Precision::mixed);
              const std::vector<U> values = reference::download(ctx, formed.span());
              const double scale = z[0] / static_cast<double>(values[0]);
              EXPECT_GT(scale, 0.0);
              for (std::size_t i = 0; i < z.size(); ++i) {
                ASSERT_EQ(z[i], scale * static_cast<double>(values[i])) << "value " << i;
              }
            },
            preconditioner->apply_up_to_scale(ctx, r, is_rounded));
      };
      expect_formed(false);
      if (const MultiVectorView<float, Space> rounded = preconditioner->rounded(ctx, r); rounded.data != nullptr) {
        copy<double, float>(ctx, r, rounded);
        expect_formed(true);
      }
    }
  }
}

// Of residuals in any unit: what float has no numbers for is not lost.
TYPED_TEST(MultigridPreconditionerTest, PreconditionsVectorsOfAnySize) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = generate_matrix<double>(host, reference::poisson(reference::grid({40, 40}), Discretization::fd));
  const auto r = reference::random_values<double>(static_cast<std::size_t>(A.rows), 1);
  AmgOptions options;
  options.coarse_size = 50;
  AmgSolver<double, S> solver(options, {});
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  const auto precondition = [&](const std::vector<double>& columns) {
    const MultiVector<double, S> there = reference::upload(ctx, columns, 3);
    MultiVector<double, S> z(ctx, A.rows, 3);
    solver.precondition(ctx, there.view(), z);
    return reference::download(ctx, z);
  };
  const std::array<int, 3> exponents{0, -400, 400};
  std::vector<double> usual;
  std::vector<double> scaled;
  for (const double value : r) {
    for (const int exponent : exponents) {
      usual.push_back(value);
      scaled.push_back(std::ldexp(value, exponent));
    }
  }
  const std::vector<double> expected = precondition(usual);
  const std::vector<double> z = precondition(scaled);
  for (std::size_t i = 0; i < z.size(); ++i) {
    EXPECT_EQ(z[i], std::ldexp(expected[i], exponents[i % 3]));
  }
  EXPECT_GT(std::fabs(expected.front()), 0.0);
}

TEST(Precision, IsFloatForRowsOfSimilarSizeAsFarAsItIsChosen) {
  const auto is_float = [](double spread, Precision precision, Index block_size = 1, Index candidates = 1) {
    AmgOptions options;
    options.precision = precision;
    options.block_size = block_size;
    EXPECT_FALSE(takes_float<float>({3.0, 3.0 * spread}, candidates, options));
    return takes_float<double>({3.0, 3.0 * spread}, candidates, options);
  };
  EXPECT_TRUE(is_float(65535.0, Precision::automatic));
  EXPECT_FALSE(is_float(65536.0, Precision::automatic));
  EXPECT_FALSE(is_float(1.0, Precision::automatic, 2));
  EXPECT_FALSE(is_float(1.0, Precision::automatic, 1, 2));
  EXPECT_TRUE(is_float(0x1p159, Precision::mixed, 3, 6));
  EXPECT_FALSE(is_float(0x1p160, Precision::mixed));
  EXPECT_FALSE(is_float(1.0, Precision::same));
}

/// tridiag(−1, 2, −1), with another number in the first and the last row.
CsrMatrix<double, Host> chain(Context<Host>& host, Index rows, double at_ends = 2.0) {
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < rows; ++i) {
    entries.push_back({i, i, i == 0 || i + 1 == rows ? at_ends : 2.0});
    if (i > 0) {
      entries.insert(entries.end(), {{i, i - 1, -1.0}, {i - 1, i, -1.0}});
    }
  }
  return reference::matrix_from_entries<double>(host, rows, rows, std::move(entries));
}

template <MemorySpace S>
SolveResult solve(Context<S>& ctx, const CsrMatrix<double, Host>& A, const SolverOptions& options) {
  AmgSolver<double, S> solver({}, options);
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  const auto b = reference::upload(ctx, std::vector<double>(static_cast<std::size_t>(A.rows), 1.0));
  MultiVector<double, S> x(ctx, A.rows);
  fill<double>(ctx, 0.0, x);
  return solver.solve(ctx, std::as_const(b), x);
}

// Rounding to float takes more from its coarse matrices than the smallest eigenvalue has, or gives as much: which, is
// up to the order of sums. On a device they stay definite.
TYPED_TEST(MultigridPreconditionerTest, IsInDoubleWhereFloatIsIndefinite) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const SolveResult result = solve(ctx, chain(host, 200'000), {});
  EXPECT_LE(result.reason, StopReason::attained) << describe(result.reason);
  if constexpr (std::same_as<typename TypeParam::Space, Host>) {
    EXPECT_LE(result.iterations, 40);
  }
}

// 1 + 1e-8 is 1 in float: there the constants are null vectors, whose part of x a cycle would leave as it is.
TYPED_TEST(MultigridPreconditionerTest, IsInDoubleWhereFloatIsSingular) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const Index rows : {2, 100, 4000}) {
    const SolveResult result = solve(ctx, chain(host, rows, 1.0 + 1e-8), {});
    EXPECT_LE(result.reason, StopReason::attained) << rows << " rows: " << describe(result.reason);
    EXPECT_LE(result.iterations, rows < 500 ? 2 : 20) << rows << " rows";
  }
}

// Nothing is told of the levels in float that were not kept.
TEST(Precision, IsToldOfTheLevelsThatAreKept) {
  Context<Host> ctx;
  solve(ctx, chain(ctx, 4000, 1.0 + 1e-8), {});
  std::string notes;
  for (const Profile::Node& node : ctx.profile().nodes()) {
    for (const std::string& note : node.notes) {
      notes += note + "\n";
    }
  }
  EXPECT_THAT(notes, ::testing::HasSubstr("the hierarchy is in double: in float it was singular or indefinite"));
  EXPECT_THAT(notes, ::testing::HasSubstr("levels in double, smoothed by"));
  EXPECT_THAT(notes, ::testing::Not(::testing::HasSubstr("levels in float")));
}

// What GMRES applies to a sum at its end is not the sum of what a cycle in float made of the parts.
TYPED_TEST(MultigridPreconditionerTest, IsInDoubleUnderGmres) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  SolverOptions options;
  options.method = Method::gmres;
  const SolveResult result = solve(ctx, chain(host, 20'000), options);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  EXPECT_LE(result.iterations, 40);
}

}  // namespace
}  // namespace amgsolve
