#include "amg/rigid_body_modes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/errors.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

GeneratedProblem free_body(const StructuredGrid& grid) {
  GeneratedProblem problem = reference::poisson(grid, Discretization::q1);
  problem.pde = Pde::elasticity;
  problem.boundary = Boundary::neumann;
  return problem;
}

/// Coordinates of a body's nodes, magnified and moved.
template <class T>
std::vector<T> coordinates_of(const GeneratedProblem& problem, double scale, double shift) {
  Context<Host> host;
  MultiVector<double, Host> x(host, static_cast<Index>(problem.grid.unknowns()), problem.grid.dimensions);
  grid_coordinates(host, problem, x.view());
  std::vector<T> result;
  for (const double value : x.view().span()) {
    result.push_back(static_cast<T>(scale * value + shift));
  }
  return result;
}

template <class I>
class RigidBodyModes : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(RigidBodyModes, reference::Instances, reference::InstanceNames);

TYPED_TEST(RigidBodyModes, AreTakenToZeroByAFreeBodyWhereverItLies) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  Context<Host> host;
  for (const StructuredGrid& grid : {reference::grid({5, 4}), reference::grid({4, 3, 5})}) {
    const GeneratedProblem problem = free_body(grid);
    const auto A = generate_matrix<double>(host, problem);
    for (const double scale : {1.0, 1e4}) {
      for (const double shift : {0.0, 3.0}) {
        const auto x = reference::upload(ctx, coordinates_of<T>(problem, scale, shift * scale), grid.dimensions);
        const auto modes = rigid_body_modes<T>(ctx, x, grid.dimensions);
        ASSERT_EQ(modes.columns(), grid.dimensions == 2 ? 3 : 6);
        const std::vector<T> B = reference::download(ctx, modes);
        const auto k = static_cast<std::size_t>(modes.columns());
        for (std::size_t j = 0; j < k; ++j) {
          double norm = 0.0;
          for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
            double force = 0.0;
            double size = 0.0;
            for (auto e = static_cast<std::size_t>(A.row_offsets[i]);
                 e < static_cast<std::size_t>(A.row_offsets[i + 1]); ++e) {
              const double term =
                  A.values[e] * static_cast<double>(B[static_cast<std::size_t>(A.col_indices[e]) * k + j]);
              force += term;
              size += std::abs(term);
            }
            // Coordinates 3 from the origin were rounded there.
            EXPECT_LE(std::abs(force), (81 + 8 * shift) * std::numeric_limits<T>::epsilon() * (size + 1)) << i;
            norm += std::pow(static_cast<double>(B[i * k + j]), 2);
          }
          EXPECT_NEAR(std::sqrt(norm / A.rows), 0.6, 0.3) << "mode " << j;
        }
      }
    }
  }
}

TYPED_TEST(RigidBodyModes, MoveAndTurnTheNodesOfShells) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  // Centred, with a root mean square distance of 2.
  const std::vector<std::array<double, 3>> nodes = {{2, 0, 0},  {-2, 0, 0}, {0, 2, 0},
                                                    {0, -2, 0}, {0, 0, 2},  {0, 0, -2}};
  std::vector<T> flat;
  for (const auto& node : nodes) {
    flat.insert(flat.end(), node.begin(), node.end());
  }
  const auto modes = rigid_body_modes<T>(ctx, reference::upload(ctx, flat, 3), 6);
  ASSERT_EQ(modes.rows(), 36);
  ASSERT_EQ(modes.columns(), 6);
  const std::vector<T> B = reference::download(ctx, modes);
  constexpr std::array<std::array<double, 3>, 3> axes = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const auto& x = nodes[node];
    for (std::size_t r = 0; r < 6; ++r) {
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(B[(6 * node + r) * 6 + c], r == c ? T(1) : T(0));
        const auto& w = axes[c];
        const std::array<double, 6> expected = {(w[1] * x[2] - w[2] * x[1]) / 2,
                                                (w[2] * x[0] - w[0] * x[2]) / 2,
                                                (w[0] * x[1] - w[1] * x[0]) / 2,
                                                w[0] / 2,
                                                w[1] / 2,
                                                w[2] / 2};
        EXPECT_NEAR(B[(6 * node + r) * 6 + 3 + c], expected[r], 8 * std::numeric_limits<T>::epsilon());
      }
    }
  }
  const auto frame = rigid_body_modes<T>(ctx, reference::upload(ctx, std::vector<T>{1, 0, -1, 0}, 2), 3);
  EXPECT_EQ(reference::download(ctx, frame), (std::vector<T>{1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, -1, 0, 0, 1}));
}

TYPED_TEST(RigidBodyModes, LeaveOutARotationThatMovesNothing) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  const auto bar = reference::upload(ctx, std::vector<T>{1, 7, 5, 2, 7, 5, 4, 7, 5}, 3);
  EXPECT_EQ(rigid_body_modes<T>(ctx, bar, 3).columns(), 5);
  EXPECT_EQ(rigid_body_modes<T>(ctx, bar, 6).columns(), 6);
  const auto point = reference::upload(ctx, std::vector<T>{1, 7}, 2);
  EXPECT_EQ(rigid_body_modes<T>(ctx, point, 2).columns(), 2);
}

TYPED_TEST(RigidBodyModes, HaveTheBitsOfOneThread) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  Context<Host> one(1);
  Context<Host> three(3);
  const GeneratedProblem problem = free_body(reference::grid({40, 30, 20}));
  const std::vector<T> x = coordinates_of<T>(problem, 0.3, 1.0);
  const auto expected = reference::download(one, rigid_body_modes<T>(one, reference::upload(one, x, 3), 3));
  EXPECT_EQ(reference::download(ctx, rigid_body_modes<T>(ctx, reference::upload(ctx, x, 3), 3)), expected);
  EXPECT_EQ(reference::download(three, rigid_body_modes<T>(three, reference::upload(three, x, 3), 3)), expected);
}

TYPED_TEST(RigidBodyModes, RefuseWhatIsNoBody) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  const std::vector<T> x(12, T{1});
  EXPECT_THROW((void)rigid_body_modes<T>(ctx, reference::upload(ctx, x, 3), 1), InputError);
  EXPECT_THROW((void)rigid_body_modes<T>(ctx, reference::upload(ctx, x, 3), 2), InputError);
  EXPECT_THROW((void)rigid_body_modes<T>(ctx, reference::upload(ctx, x, 1), 1), InputError);
  EXPECT_THROW((void)rigid_body_modes<T>(ctx, reference::upload(ctx, x, 4), 4), InputError);
  std::vector<T> wrong = x;
  wrong[5] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_THROW((void)rigid_body_modes<T>(ctx, reference::upload(ctx, wrong, 3), 3), InputError);
}

}  // namespace
}  // namespace amgsolve
