#include "problems/mesh_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "core/errors.hpp"
#include "problems/mesh_assembly.hpp"
#include "problems/mesh_manufactured.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/meshes.hpp"
#include "tests/reference/tolerance.hpp"

namespace amgsolve {
namespace {

using testing::HasSubstr;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

MeshEquation equation(Pde pde, MeshConditions conditions) {
  MeshEquation result;
  result.pde = pde;
  if (pde == Pde::elasticity) {
    result.body.young = 2.5;
  }
  result.coefficient = pde == Pde::diffusion ? 3.0 : 1.0;
  result.conditions = std::move(conditions);
  return result;
}

MeshProblem problem_on(Context<Host>& ctx, Mesh mesh, const MeshEquation& equation) {
  ElementsOfNodes around = elements_of_nodes(ctx, mesh);
  return make_mesh_problem(ctx, std::move(mesh), std::move(around), equation);
}

MeshConditions fixed_boundary() { return {.fixed = {{"boundary", {0.0}}}, .flux = {}, .source = {}, .regions = {}}; }

/// A x = b by a direct solver.
MultiVector<double, Host> solution_of(Context<Host>& ctx, const MeshProblem& problem) {
  const CsrMatrix<double, Host> A = mesh_matrix(ctx, problem);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < A.rows; ++i) {
    for (Offset k = A.row_offsets[static_cast<std::size_t>(i)]; k < A.row_offsets[static_cast<std::size_t>(i) + 1];
         ++k) {
      entries.emplace_back(i, A.col_indices[static_cast<std::size_t>(k)], A.values[static_cast<std::size_t>(k)]);
    }
  }
  Eigen::SparseMatrix<double> matrix(A.rows, A.rows);
  matrix.setFromTriplets(entries.begin(), entries.end());
  MultiVector<double, Host> b(ctx, A.rows);
  mesh_load(ctx, problem, b.view());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(matrix);
  EXPECT_EQ(factors.info(), Eigen::Success);
  const Eigen::VectorXd x = factors.solve(Eigen::Map<const Eigen::VectorXd>(b.data(), b.rows()));
  std::ranges::copy(x, b.data());
  return values_at_nodes(ctx, problem, std::as_const(b).view());
}

/// Equations and conditions of every kind on a box, with groups that overlap, each of another number.
std::vector<MeshEquation> equations(int dimensions) {
  std::vector<MeshEquation> all;
  all.push_back(equation(Pde::poisson, {.fixed = {{"boundary", {1.5}}, {"left", {-0.5}}},
                                        .flux = {},
                                        .source = {{"domain", {2.0}}, {"near", {-3.0}}},
                                        .regions = {}}));
  all.push_back(equation(Pde::diffusion, {.fixed = {{"left", {-1.0}}},
                                          .flux = {{"right", {0.5}}, {"boundary", {0.25}}},
                                          .source = {{"near", {1.0}}, {"far", {4.0}}},
                                          .regions = {{"domain", {20.0}}, {"far", {50.0}}}}));
  std::vector<std::optional<double>> roller{0.25, std::nullopt};
  std::vector<std::optional<double>> force{0.0, -1.0};
  if (dimensions == 3) {
    roller.push_back(std::nullopt);
    force.push_back(0.5);
  }
  all.push_back(equation(Pde::elasticity, {.fixed = {{"right", {0.75}}, {"right", roller}, {"left", roller}},
                                           .flux = {{"left", force}, {"boundary", {2.0}}},
                                           .source = {{"domain", {1.0}}, {"near", force}},
                                           .regions = {{"near", {7.0}}, {"far", {3.0}}}}));
  all.back().body.plane = dimensions == 2 ? PlaneState::stress : PlaneState::strain;
  return all;
}

class MeshAssembly : public testing::TestWithParam<int> {};

TEST_P(MeshAssembly, IsThatOfTheNaiveReference) {
  Context<Host> ctx;
  for (const MeshEquation& each : equations(GetParam())) {
    const MeshProblem problem = problem_on(ctx, reference::box_mesh(ctx, GetParam(), 3, 0.15), each);
    SCOPED_TRACE(to_string(each.pde));
    const auto expected = reference::assemble(problem.mesh, each);
    const CsrMatrix<double, Host> A = mesh_matrix(ctx, problem);
    ASSERT_EQ(static_cast<std::size_t>(A.rows), expected.A.size());
    EXPECT_LE(static_cast<double>(A.nnz()), problem.nonzeros());
    MultiVector<double, Host> b(ctx, A.rows, 2);
    mesh_load(ctx, problem, b.view());
    // The reference inverts a matrix of the corners, of a condition below 1e3.
    for (Index i = 0; i < A.rows; ++i) {
      std::vector<double> row(expected.A.size());
      Index last = -1;
      for (Offset k = A.row_offsets[static_cast<std::size_t>(i)]; k < A.row_offsets[static_cast<std::size_t>(i) + 1];
           ++k) {
        const Index column = A.col_indices[static_cast<std::size_t>(k)];
        ASSERT_GT(column, last);
        last = column;
        row[static_cast<std::size_t>(column)] = A.values[static_cast<std::size_t>(k)];
      }
      const double bound = 1e3 * 24 * epsilon * expected.A[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)];
      for (std::size_t j = 0; j < row.size(); ++j) {
        ASSERT_NEAR(row[j], expected.A[static_cast<std::size_t>(i)][j], bound) << i << ", " << j;
      }
      ASSERT_NEAR(b.data()[2 * i], expected.b[static_cast<std::size_t>(i)], 4 * bound) << i;
      ASSERT_EQ(b.data()[2 * i], b.data()[2 * i + 1]);
    }
  }
}

TEST_P(MeshAssembly, HasTheSameBitsForAnyNumberOfThreadsAndIsSymmetric) {
  Context<Host> one(1);
  Context<Host> four(4);
  for (const MeshEquation& each : equations(GetParam())) {
    const Index n = GetParam() == 2 ? 60 : 12;
    const MeshProblem problem = problem_on(one, reference::box_mesh(one, GetParam(), n, 0.15), each);
    const MeshProblem again = problem_on(four, reference::box_mesh(one, GetParam(), n, 0.15), each);
    const CsrMatrix<double, Host> A = mesh_matrix(one, problem);
    for (const CsrMatrix<double, Host>& B : {mesh_matrix(four, again), transpose(one, A)}) {
      ASSERT_TRUE(std::ranges::equal(A.row_offsets.span(), B.row_offsets.span()));
      ASSERT_TRUE(std::ranges::equal(A.col_indices.span(), B.col_indices.span()));
      ASSERT_TRUE(std::ranges::equal(A.values.span(), B.values.span()));
    }
    MultiVector<double, Host> b(one, A.rows);
    MultiVector<double, Host> c(one, A.rows);
    mesh_load(one, problem, b.view());
    mesh_load(four, again, c.view());
    ASSERT_TRUE(std::ranges::equal(b.view().span(), c.view().span()));
  }
}

/// The patch test: of a u that is linear, fixed on the boundary, nothing is lost, whatever the mesh.
TEST_P(MeshAssembly, ReproducesLinearSolutions) {
  Context<Host> ctx;
  for (const Pde pde : {Pde::poisson, Pde::diffusion, Pde::elasticity}) {
    MeshProblem problem =
        problem_on(ctx, reference::box_mesh(ctx, GetParam(), 6, 0.15), equation(pde, fixed_boundary()));
    const auto u = [&](Index node, Index p) {
      const double* const x = problem.mesh.point(node);
      double sum = 0.25 * (1 + p);
      for (int d = 0; d < GetParam(); ++d) {
        sum += (0.5 * p - 0.75 * d + 1.0) * x[d];
      }
      return sum;
    };
    for (Index node = 0; node < problem.mesh.nodes(); ++node) {
      for (Index p = 0; p < problem.components; ++p) {
        if (problem.is_fixed_at(node, p)) {
          problem.fixed.data()[node * problem.components + p] = u(node, p);
        }
      }
    }
    const MultiVector<double, Host> x = solution_of(ctx, problem);
    for (Index node = 0; node < problem.mesh.nodes(); ++node) {
      for (Index p = 0; p < problem.components; ++p) {
        // Condition times rounding errors: h⁻² times a constant, with numbers of 1.
        ASSERT_NEAR(x.data()[node * problem.components + p], u(node, p), 1e4 * epsilon) << to_string(pde) << node;
      }
    }
  }
}

/// A pulled bar: u = g x / E, and, free on its other sides, narrower by Poisson's ratio.
TEST_P(MeshAssembly, GivesABarUnderTensionItsStrains) {
  Context<Host> ctx;
  const int dimensions = GetParam();
  Mesh mesh = reference::box_mesh(ctx, dimensions, 4, 0.15);
  // Held in x at the left, and at the planes through the first corner in the other directions.
  MeshConditions conditions;
  std::vector<std::optional<double>> free_of_all(static_cast<std::size_t>(dimensions));
  for (int d = 0; d < dimensions; ++d) {
    MeshGroup plane{"plane" + std::to_string(d), 0, {}};
    for (Index node = 0; node < mesh.nodes(); ++node) {
      if (mesh.point(node)[d] == 0.0) {
        plane.members.push_back(node);
      }
    }
    auto numbers = free_of_all;
    numbers[static_cast<std::size_t>(d)] = 0.0;
    conditions.fixed.emplace_back(plane.name, numbers);
    mesh.groups.push_back(plane);
  }
  std::vector<std::optional<double>> pull(static_cast<std::size_t>(dimensions), 0.0);
  pull[0] = 0.5;
  conditions.flux = {{"right", pull}};
  MeshEquation bar = equation(Pde::elasticity, conditions);
  bar.body.plane = dimensions == 2 ? PlaneState::stress : PlaneState::strain;
  const MeshProblem problem = problem_on(ctx, std::move(mesh), bar);
  const MultiVector<double, Host> x = solution_of(ctx, problem);
  for (Index node = 0; node < problem.mesh.nodes(); ++node) {
    for (int d = 0; d < dimensions; ++d) {
      const double strain = 0.5 / bar.body.young * (d == 0 ? 1.0 : -bar.body.poisson);
      ASSERT_NEAR(x.data()[node * dimensions + d], strain * problem.mesh.point(node)[d], 1e4 * epsilon);
    }
  }
}

/// A bar of two materials, one to each half: its strain is the pull over the modulus of the material, or the flux over
/// the coefficient.
TEST_P(MeshAssembly, GivesABarOfTwoMaterialsItsStrains) {
  Context<Host> ctx;
  for (const Pde pde : {Pde::diffusion, Pde::elasticity}) {
    std::vector<std::optional<double>> pull{3.0};
    if (pde == Pde::elasticity) {
      pull.resize(static_cast<std::size_t>(GetParam()), 0.0);
    }
    MeshEquation bar = equation(pde, {.fixed = {{"left", {0.0}}},
                                      .flux = {{"right", pull}},
                                      .source = {},
                                      .regions = {{"domain", {4.0}}, {"far", {0.5}}}});
    if (pde == Pde::elasticity) {
      bar.body.poisson = 0.0;  // so that the bar stays as wide as it is
    }
    const MeshProblem problem = problem_on(ctx, reference::box_mesh(ctx, GetParam(), 4, 0.0), bar);
    const MultiVector<double, Host> x = solution_of(ctx, problem);
    for (Index node = 0; node < problem.mesh.nodes(); ++node) {
      const double place = problem.mesh.point(node)[0];
      const double expected = 3.0 * (std::min(place, 0.5) / 4.0 + std::max(place - 0.5, 0.0) / 0.5);
      for (Index p = 0; p < problem.components; ++p) {
        ASSERT_NEAR(x.data()[node * problem.components + p], p == 0 ? expected : 0.0, 1e4 * epsilon) << to_string(pde);
      }
    }
  }
}

/// Of what is given to one side of a body twice, the last number of each direction counts, and the fluxes add up.
TEST(MeshConditions, OfOverlappingGroupsTheLastOneCountsAndFluxesAddUp) {
  Context<Host> ctx;
  const MeshEquation body =
      equation(Pde::elasticity, {.fixed = {{"left", {1.0, 2.0}}, {"left", {std::nullopt, 3.0}}},
                                 .flux = {{"right", {1.0, 2.0}}, {"right", {4.0, 8.0}}},
                                 .source = {{"domain", {1.0, 2.0}}, {"near", {4.0, 8.0}}, {"near", {16.0, 32.0}}},
                                 .regions = {{"domain", {2.0}}, {"near", {3.0}}, {"near", {5.0}}}});
  const MeshProblem problem = problem_on(ctx, reference::box_mesh(ctx, 2, 2, 0.0), body);
  std::array<double, 2> loads{};
  for (Index node = 0; node < problem.mesh.nodes(); ++node) {
    const bool is_left = problem.mesh.point(node)[0] == 0.0;
    EXPECT_EQ(problem.fixed.data()[2 * node], is_left ? 1.0 : 0.0);
    EXPECT_EQ(problem.fixed.data()[2 * node + 1], is_left ? 3.0 : 0.0);
    loads[0] += problem.load.data()[2 * node];
    loads[1] += problem.load.data()[2 * node + 1];
  }
  EXPECT_THAT(loads, testing::ElementsAre(5.0, 10.0)) << "of a side of length 1";
  for (const MeshGroup& group : problem.mesh.groups) {
    for (const Index e : group.dimension == 2 ? group.members : std::vector<Index>()) {
      EXPECT_EQ(problem.source.data()[2 * e], group.name == "near" ? 16.0 : 1.0);
      EXPECT_EQ(problem.source.data()[2 * e + 1], group.name == "near" ? 32.0 : 2.0);
      EXPECT_EQ(problem.coefficient[static_cast<std::size_t>(e)], group.name == "near" ? 5.0 : 2.0);
    }
  }
}

TEST_P(MeshAssembly, ConvergesWithSecondOrder) {
  Context<Host> ctx;
  for (const Pde pde : {Pde::poisson, Pde::diffusion, Pde::elasticity}) {
    std::vector<double> errors;
    const std::vector<Index> sizes = GetParam() == 2 ? std::vector<Index>{12, 24, 48} : std::vector<Index>{6, 12};
    for (const Index n : sizes) {
      MeshProblem problem =
          problem_on(ctx, reference::box_mesh(ctx, GetParam(), n, 0.1), equation(pde, fixed_boundary()));
      set_manufactured(ctx, problem);
      const MultiVector<double, Host> x = solution_of(ctx, problem);
      errors.push_back(mesh_discretization_error(ctx, problem, x.view()).front().l2);
    }
    for (std::size_t k = 1; k < errors.size(); ++k) {
      EXPECT_GT(std::log2(errors[k - 1] / errors[k]), 1.8)
          << to_string(pde) << ": " << errors[k - 1] << ", " << errors[k];
      EXPECT_LT(std::log2(errors[k - 1] / errors[k]), 2.3) << to_string(pde);
    }
  }
}

TEST_P(MeshAssembly, KnowsWhereUnknownsLie) {
  Context<Host> ctx;
  const MeshProblem problem =
      problem_on(ctx, reference::box_mesh(ctx, GetParam(), 3, 0.15), equation(Pde::poisson, fixed_boundary()));
  const MultiVector<double, Host> points = free_points(ctx, problem);
  ASSERT_EQ(points.rows(), GetParam() == 2 ? 4 : 8);
  for (Index i = 0; i < points.rows(); ++i) {
    for (int d = 0; d < GetParam(); ++d) {
      EXPECT_GT(points.data()[i * GetParam() + d], 0.1);
      EXPECT_LT(points.data()[i * GetParam() + d], 0.9);
    }
  }
  EXPECT_THROW(values_at_nodes(ctx, problem, MultiVectorView<const double, Host>(points.data(), 3)),
               std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Dimensions, MeshAssembly, testing::Values(2, 3),
                         [](const auto& test) { return test.param == 2 ? "plane" : "space"; });

std::string error_of(const MeshEquation& equation, int dimensions = 2) {
  Context<Host> ctx;
  try {
    problem_on(ctx, reference::box_mesh(ctx, dimensions, 3, 0.1), equation);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "no error";
}

TEST(MeshConditionErrors, NameKeyAndGroup) {
  const auto with = [](GroupValues fixed, GroupValues flux = {}, GroupValues source = {}, GroupValues regions = {}) {
    return MeshConditions{std::move(fixed), std::move(flux), std::move(source), std::move(regions)};
  };
  const GroupValues all{{"boundary", {0.0}}};
  const auto of = [](MeshConditions conditions, Pde pde = Pde::diffusion) {
    return error_of(equation(pde, std::move(conditions)));
  };
  EXPECT_THAT(of(with({})), HasSubstr("problem.generate.fixed is empty, so that the matrix of the mesh would be sing"));
  EXPECT_THAT(of(with({{"lefft", {0.0}}})),
              HasSubstr("problem.generate.fixed: box has no group 'lefft'; of any kind it has left, right, near, far, "
                        "boundary, domain"));
  EXPECT_THAT(of(with(all, {{"near", {1.0}}})),
              HasSubstr("problem.generate.flux: box has no group 'near' of sides; of sides it has left, right, bound"));
  EXPECT_THAT(
      of(with(all, {}, {{"left", {1.0}}})),
      HasSubstr("problem.generate.source: box has no group 'left' of elements; of elements it has near, far, "));
  EXPECT_THAT(of(with(all, {}, {}, {{"near", {0.0}}})),
              HasSubstr("problem.generate.regions of the group 'near': it is 0; it must be positive"));
  EXPECT_THAT(of(with(all, {}, {}, {{"near", {1.0, 2.0}}})), HasSubstr("2 numbers are given; there is one"));
  EXPECT_THAT(of(with({{"left", {0.0, 1.0, 2.0}}}), Pde::elasticity),
              HasSubstr("problem.generate.fixed of the group 'left': 3 numbers given; there is one for all directions, "
                        "or 2"));
  EXPECT_THAT(of(with(all, {{"left", {std::nullopt}}})), HasSubstr("'free' is for what may be fixed"));
  EXPECT_THAT(of(with(all, {}, {}, {{"near", {2.0}}}), Pde::poisson), HasSubstr("problem.generate.regions is given"));
  EXPECT_THAT(of(with(all), Pde::convection_diffusion), HasSubstr("a mesh has poisson, diffusion or elasticity"));
  EXPECT_THAT(of(with({{"domain", {0.0}}})), HasSubstr("problem.generate.fixed fixes every node of box"));
}

TEST(MeshConditionErrors, NameKeysOfOtherEquations) {
  MeshEquation poisson = equation(Pde::poisson, fixed_boundary());
  poisson.coefficient = 3.0;
  EXPECT_THAT(error_of(poisson), HasSubstr("problem.generate.coefficient.value is 3; pde poisson has 1"));
  MeshEquation diffusion = equation(Pde::diffusion, fixed_boundary());
  diffusion.body.plane = PlaneState::stress;
  EXPECT_THAT(error_of(diffusion), HasSubstr("problem.generate.plane is stress; pde diffusion has no state of stress"));
  MeshEquation body = equation(Pde::elasticity, fixed_boundary());
  body.coefficient = 2.0;
  EXPECT_THAT(error_of(body), HasSubstr("problem.generate.coefficient.value is 2; pde elasticity has 1"));
}

/// Enough unknowns may be fixed, and yet those of a motion are not.
TEST(MeshConditionErrors, BodiesMustNotSlide) {
  const auto with = [](GroupValues fixed) {
    return error_of(equation(Pde::elasticity, {.fixed = std::move(fixed), .flux = {}, .source = {}, .regions = {}}));
  };
  constexpr std::optional<double> zero = 0.0;
  EXPECT_THAT(with({{"boundary", {zero, std::nullopt}}}), HasSubstr("can still move or turn with what is fixed"));
  EXPECT_THAT(with({{"left", {zero, std::nullopt}}}), HasSubstr("can still move or turn with what is fixed"));
  EXPECT_EQ(with({{"left", {zero, std::nullopt}}, {"right", {std::nullopt, zero}}}), "no error");
  // In space, too.
  const auto in_space = [](GroupValues fixed) {
    return error_of(equation(Pde::elasticity, {.fixed = std::move(fixed), .flux = {}, .source = {}, .regions = {}}), 3);
  };
  constexpr std::optional<double> free = std::nullopt;
  const auto can_move = HasSubstr("can still move or turn with what is fixed");
  EXPECT_THAT(in_space({{"left", {zero, free, free}}}), can_move);
  EXPECT_THAT(in_space({{"left", {zero, zero, free}}}), can_move) << "along z";
  EXPECT_THAT(in_space({{"left", {free, zero, zero}}}), can_move) << "along x";
  EXPECT_EQ(in_space({{"left", {zero, zero, zero}}}), "no error");
  EXPECT_EQ(in_space({{"left", {zero, free, zero}}, {"right", {free, zero, free}}}), "no error");
}

/// The error that simplices of `points` give where `fixed` nodes are held, and elasticity's matrix, if there is none.
struct Held {
  std::string error;
  double least_eigenvalue = 0.0;  ///< beside the largest one
};
Held held(int dimensions, const std::vector<double>& points, const std::vector<Index>& corners,
          const std::vector<Index>& fixed, std::vector<std::optional<double>> numbers = {0.0}) {
  Context<Host> ctx;
  Mesh mesh{.name = "bodies",
            .points = MultiVector<double, Host>(ctx, static_cast<Index>(std::ssize(points)) / dimensions, dimensions),
            .corners = Buffer<Index, Host>(ctx, corners.size()),
            .groups = {{"fixed", 0, fixed}}};
  std::ranges::copy(points, mesh.points.data());
  std::ranges::copy(corners, mesh.corners.data());
  const MeshEquation body =
      equation(Pde::elasticity, {.fixed = {{"fixed", std::move(numbers)}}, .flux = {}, .source = {}, .regions = {}});
  const auto dense = reference::assemble(mesh, body).A;
  const auto n = std::ssize(dense);
  Eigen::MatrixXd A(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    A.row(i) = Eigen::Map<const Eigen::RowVectorXd>(dense[static_cast<std::size_t>(i)].data(), n);
  }
  const Eigen::VectorXd eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A).eigenvalues();
  Held result{"no error", eigenvalues(0) / eigenvalues(n - 1)};
  try {
    problem_on(ctx, std::move(mesh), body);
  } catch (const ConfigurationError& error) {
    result.error = error.what();
  }
  return result;
}

void expect_singular(const Held& result) {
  EXPECT_THAT(result.error, HasSubstr("can still move or turn with what is fixed"));
  EXPECT_LT(result.least_eigenvalue, 100 * epsilon);
}

void expect_regular(const Held& result) {
  EXPECT_EQ(result.error, "no error");
  EXPECT_GT(result.least_eigenvalue, 1e-4);
}

/// Bodies that touch at a node alone turn about it, unless that is held elsewhere, too, or is not the only one.
TEST(MeshHinges, AreSeenInThePlane) {
  // Two unit squares that touch at (1, 1); the left side of the first is held.
  const std::vector<double> squares{0, 0, 1, 0, 0, 1, 1, 1, 2, 1, 1, 2, 2, 2};
  const std::vector<Index> of_squares{0, 1, 3, 0, 3, 2, 3, 4, 6, 3, 6, 5};
  expect_singular(held(2, squares, of_squares, {0, 2}));
  expect_regular(held(2, squares, of_squares, {0, 2, 6}));
  expect_singular(held(2, squares, of_squares, {1, 3}));
  expect_regular(held(2, squares, of_squares, {1, 3, 4}));
  // Three triangles, each of which touches the other two at nodes, are rigid together; without the third they are not.
  const std::vector<double> ring{0, 0, 2, 0, 4, 0, 1, 2, 3, 2, 2, 4};
  const std::vector<Index> of_ring{0, 1, 3, 1, 2, 4, 3, 4, 5};
  expect_regular(held(2, ring, of_ring, {0, 2}));
  expect_regular(held(2, ring, of_ring, {0, 1}));
  expect_singular(held(2, {0, 0, 2, 0, 4, 0, 1, 2, 3, 2}, {0, 1, 3, 1, 2, 4}, {0, 3}));
}

TEST(MeshHinges, AreSeenInSpace) {
  // A tetrahedron turns about two nodes, and about one; three hold it.
  const std::vector<double> one{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  expect_singular(held(3, one, {0, 1, 2, 3}, {0}));
  expect_singular(held(3, one, {0, 1, 2, 3}, {1, 3}));
  expect_regular(held(3, one, {0, 1, 2, 3}, {1, 2, 3}));
  // Two tetrahedra with an edge in common turn about it, with a node about all axes, and with a face about none.
  const std::vector<double> points{0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0};
  const std::vector<Index> at_edge{0, 2, 3, 1, 0, 4, 5, 1};
  expect_singular(held(3, points, at_edge, {0, 1, 2, 3}));
  expect_regular(held(3, points, at_edge, {0, 1, 2, 3, 4}));
  const std::vector<double> apart{0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1};
  const std::vector<Index> at_node{0, 2, 3, 1, 0, 5, 4, 6};
  expect_singular(held(3, apart, at_node, {0, 1, 2, 3, 4}));
  expect_regular(held(3, apart, at_node, {0, 1, 2, 3, 4, 5}));
  expect_regular(held(3, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}, {0, 1, 2, 3, 1, 2, 3, 4}, {0, 1, 2}));
}

/// A chain of squares that touch at their corners: of many it is seen only whether they move as one.
TEST(MeshHinges, AreNotSeenWhereMoreThanAHundredBodiesHangTogether) {
  const auto chain = [](Index squares) {
    Context<Host> ctx;
    Mesh mesh{.name = "chain",
              .points = MultiVector<double, Host>(ctx, 3 * squares + 1, 2),
              .corners = Buffer<Index, Host>(ctx, 6 * static_cast<std::size_t>(squares)),
              .groups = {{"first", 1, {0, 1}}, {"one", 0, {0}}}};
    std::vector<double> points{0, 0};
    std::vector<Index> corners;
    for (Index k = 0; k < squares; ++k) {
      const double x = k;
      points.insert(points.end(), {x + 1, x, x, x + 1, x + 1, x + 1});
      const Index first = 3 * k;
      corners.insert(corners.end(), {first, first + 1, first + 3, first, first + 3, first + 2});
    }
    std::ranges::copy(points, mesh.points.data());
    std::ranges::copy(corners, mesh.corners.data());
    return mesh;
  };
  Context<Host> ctx;
  const auto fixing = [](const char* group) {
    return equation(Pde::elasticity, {.fixed = {{group, {0.0}}}, .flux = {}, .source = {}, .regions = {}});
  };
  EXPECT_THROW(problem_on(ctx, chain(100), fixing("first")), ConfigurationError);
  EXPECT_NO_THROW(problem_on(ctx, chain(101), fixing("first")));
  EXPECT_THROW(problem_on(ctx, chain(101), fixing("one")), ConfigurationError);
}

TEST(MeshConditionErrors, NameAPartThatIsNotHeld) {
  EXPECT_THAT(
      error_of(equation(Pde::poisson, {.fixed = {{"left", {std::nullopt}}}, .flux = {}, .source = {}, .regions = {}})),
      HasSubstr("problem.generate.fixed leaves the matrix of box singular: the part of the mesh around ("));
  // Two triangles side by side, of which one is held; and a body held at a point.
  Context<Host> ctx;
  Mesh mesh{.name = "two",
            .points = MultiVector<double, Host>(ctx, 6, 2),
            .corners = Buffer<Index, Host>(ctx, 6),
            .groups = {}};
  std::ranges::copy(std::vector<double>{0, 0, 1, 0, 0, 1, 5, 0, 6, 0, 5, 1}, mesh.points.data());
  std::iota(mesh.corners.data(), mesh.corners.data() + 6, 0);
  mesh.groups = {{"one", 1, {0, 1}}, {"point", 0, {2}}};
  ElementsOfNodes around = elements_of_nodes(ctx, mesh);
  const auto message = [&](Pde pde, const char* group) {
    Mesh copy{.name = mesh.name,
              .points = MultiVector<double, Host>(ctx, 6, 2),
              .corners = Buffer<Index, Host>(ctx, 6),
              .groups = mesh.groups};
    std::copy_n(mesh.points.data(), 12, copy.points.data());
    std::copy_n(mesh.corners.data(), 6, copy.corners.data());
    try {
      problem_on(ctx, std::move(copy),
                 equation(pde, {.fixed = {{group, {0.0}}}, .flux = {}, .source = {}, .regions = {}}));
    } catch (const ConfigurationError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(Pde::poisson, "one"), HasSubstr("around (5, 0) has no fixed unknown"));
  EXPECT_THAT(message(Pde::elasticity, "point"), HasSubstr("around (0, 0) can still move or turn with what is fixed"));
}

}  // namespace
}  // namespace amgsolve
