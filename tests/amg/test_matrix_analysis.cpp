#include "amg/matrix_analysis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/errors.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class I>
class Analysis : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Analysis, reference::Instances, reference::InstanceNames);

TYPED_TEST(Analysis, CountsWhatThereIs) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // A zero sum, a diagonal entry that is not stored, one that is negative, a row of nothing else; a[0][2] has no
  // mirror.
  const auto A = reference::matrix_from_entries<T>(
      host, 5, 5,
      {{0, 0, 3}, {0, 1, -1}, {0, 2, -2}, {1, 0, -1}, {1, 4, 5}, {2, 2, -4}, {3, 3, 0.5}, {4, 1, 5}, {4, 4, 8}});
  const MatrixAnalysis seen = analyse_matrix<T>(ctx, reference::upload(ctx, borrow(A)));
  EXPECT_EQ(seen.rows, 5);
  EXPECT_EQ(seen.nnz, 9);
  EXPECT_EQ(seen.lengths.shortest, 1);
  EXPECT_EQ(seen.lengths.longest, 3);
  EXPECT_EQ(seen.counts.bandwidth, 3);
  EXPECT_EQ(seen.counts.unmatched, 1);
  EXPECT_EQ(seen.counts.positive_diagonal, 3);
  EXPECT_EQ(seen.counts.negative_diagonal, 1);
  EXPECT_EQ(seen.counts.positive_couplings, 2);
  EXPECT_EQ(seen.counts.negative_couplings, 3);
  EXPECT_EQ(seen.counts.dominant, 4);
  EXPECT_EQ(seen.counts.zero_sums, 1);
  EXPECT_EQ(seen.counts.uncoupled, 2);
  EXPECT_EQ(seen.counts.smallest, 0.5);
  EXPECT_EQ(seen.counts.largest, 8.0);
  EXPECT_EQ(seen.findings.asymmetry.row, 0);
  EXPECT_EQ(seen.findings.asymmetry.col, 2);
  EXPECT_EQ(seen.components, 2);
  EXPECT_FALSE(seen.constants || seen.ritz);
  EXPECT_FALSE(seen.has_diagonal_of_one_sign());
}

TYPED_TEST(Analysis, SeesALaplacianAndItsNegativeAlike) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  constexpr Index side = 20;
  const auto A = generate_matrix<T>(host, reference::poisson(reference::grid({side, side}), Discretization::fd));
  for (const double sign : {1.0, -1.0}) {
    const auto signed_A = convert_values<T>(host, A, sign);
    const MatrixAnalysis seen = analyse_matrix<T>(ctx, reference::upload(ctx, borrow(signed_A)));
    EXPECT_TRUE(seen.is_symmetric());
    EXPECT_TRUE(seen.has_diagonal_of_one_sign());
    EXPECT_EQ(seen.counts.dominant, side * side);
    EXPECT_EQ(seen.counts.zero_sums, (side - 2) * (side - 2));
    EXPECT_EQ(seen.components, 1);
    EXPECT_EQ(seen.constants.value().node_size, 1);
    EXPECT_FALSE(seen.is_indefinite());
    // D⁻¹A = A / 4 has the eigenvalues 1 − (cos iπh + cos jπh) / 2.
    const double least = 1.0 - std::cos(std::acos(-1.0) / (side + 1));
    const double rounding = 100.0 * static_cast<double>(std::numeric_limits<T>::epsilon());
    ASSERT_TRUE(seen.ritz);
    EXPECT_GE(seen.ritz->smallest, least - rounding);
    EXPECT_LE(seen.ritz->smallest, 1.1 * least);
    EXPECT_LE(seen.ritz->largest, 2.0 - least + rounding);
    EXPECT_GE(seen.ritz->largest, 0.99 * (2.0 - least));
  }
}

TYPED_TEST(Analysis, SeesThatAMatrixIsIndefiniteAndHowManyComponentsItHas) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // Two grids' second differences, shifted past their lowest eigenvalue.
  constexpr Index n = 60;
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) {
      if (i / (n / 2) == j / (n / 2)) {
        entries.push_back({i, j, i == j ? 1.9 : -1.0});
      }
    }
  }
  const auto A = reference::matrix_from_entries<T>(host, n, n, entries);
  const MatrixAnalysis seen = analyse_matrix<T>(ctx, reference::upload(ctx, borrow(A)));
  EXPECT_EQ(seen.components, 2);
  EXPECT_TRUE(seen.is_indefinite());
}

/// The unknowns a node are those that the options name, in the numbering that they name.
TYPED_TEST(Analysis, LooksAtNodesAsTheOptionsSay) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  GeneratedProblem body = reference::poisson(reference::grid({31, 31}), Discretization::q1);
  body.pde = Pde::elasticity;
  const auto by_node = generate_matrix<T>(host, body);
  MultiVector<T, typename TypeParam::Space> coordinates(ctx, by_node.rows / 2, 2);
  grid_coordinates(ctx, body, coordinates.view());
  const auto look = [&](const CsrMatrix<T, Host>& A, const AmgOptions& amg, bool has_coordinates = false) {
    const auto nodes =
        has_coordinates ? std::as_const(coordinates).view() : decltype(std::as_const(coordinates).view()){};
    return analyse_matrix<T>(ctx, reference::upload(ctx, borrow(A)), amg, {}, nodes).constants.value();
  };
  const ConstantsCheck found = look(by_node, {});
  EXPECT_EQ(found.block_size, 2);
  EXPECT_LT(found.defect, 0.2);
  AmgOptions scalar;
  scalar.block_size = 1;
  EXPECT_EQ(look(by_node, scalar).block_size, 1);
  AmgOptions fields;
  fields.unknowns = Numbering::by_field;
  const auto by_field = reference::by_field(host, by_node, 2);
  const ConstantsCheck of_fields = look(by_field, fields, true);
  EXPECT_EQ(of_fields.block_size, 2);
  // Another order of the same sums.
  const double rounding = 100.0 * static_cast<double>(std::numeric_limits<T>::epsilon());
  EXPECT_NEAR(of_fields.defect, found.defect, rounding);
  EXPECT_NEAR(of_fields.scaled_defect, found.scaled_defect, rounding);
  AmgOptions wrong;
  wrong.block_size = 7;
  EXPECT_THROW(look(by_node, wrong), InputError);
  EXPECT_THROW(look(by_field, fields), InputError);
}

TYPED_TEST(Analysis, RefusesWhatIsNoMatrix) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  EXPECT_THROW(
      analyse_matrix<T>(ctx, reference::upload(ctx, reference::matrix_from_entries<T>(host, 2, 3, {{0, 0, 1}}))),
      InputError);
}

}  // namespace
}  // namespace amgsolve
