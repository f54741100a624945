#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "problems/generate.hpp"
#include "problems/manufactured.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/tolerance.hpp"

namespace amgsolve {
namespace {

using reference::grid;
using reference::poisson;

std::vector<double> multiply(const CsrMatrix<double, Host>& A, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      y[i] += A.values[k] * x[static_cast<std::size_t>(A.col_indices[k])];
    }
  }
  return y;
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

/// A x = b by plain conjugate gradients, far below the discretisation error.
std::vector<double> solve(const CsrMatrix<double, Host>& A, const std::vector<double>& b) {
  std::vector<double> x(b.size());
  std::vector<double> r = b;
  std::vector<double> p = r;
  double rho = dot(r, r);
  const double goal = 1e-20 * rho;
  for (int iteration = 0; rho > goal && iteration < 1000; ++iteration) {
    const std::vector<double> q = multiply(A, p);
    const double alpha = rho / dot(p, q);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double beta = dot(r, r) / rho;
    rho *= beta;
    for (std::size_t i = 0; i < x.size(); ++i) {
      p[i] = r[i] + beta * p[i];
    }
  }
  EXPECT_LE(rho, goal);
  return x;
}

std::vector<DiscretizationError> solution_errors(const GeneratedProblem& problem, Index columns) {
  Context<Host> ctx;
  const CsrMatrix<double, Host> A = generate_matrix<double>(ctx, problem);
  MultiVector<double, Host> b(ctx, A.rows, columns);
  manufactured_right_hand_side(ctx, problem, b.view());
  MultiVector<double, Host> x(ctx, A.rows, columns);
  for (Index j = 0; j < columns; ++j) {
    std::vector<double> rhs;
    for (Index i = 0; i < A.rows; ++i) {
      rhs.push_back(b.data()[i * columns + j]);
    }
    const std::vector<double> solution = solve(A, rhs);
    for (Index i = 0; i < A.rows; ++i) {
      x.data()[i * columns + j] = solution[static_cast<std::size_t>(i)];
    }
  }
  return discretization_error<double>(ctx, problem, x.view());
}

/// The problem with cells half as large on the same box.
GeneratedProblem refined(GeneratedProblem problem) {
  for (int d = 0; d < problem.grid.dimensions; ++d) {
    problem.grid.size[static_cast<std::size_t>(d)] += problem.cells(d);
  }
  return problem;
}

struct Case {
  std::string name;
  GeneratedProblem problem;

  friend std::ostream& operator<<(std::ostream& out, const Case& self) { return out << self.name; }
};

/// Every discretisation and boundary on a box with unequal sides.
std::vector<Case> convergence_cases() {
  std::vector<Case> cases;
  for (const int dimensions : {2, 3}) {
    for (const Discretization discretization : {Discretization::fd, Discretization::q1}) {
      for (const Boundary boundary : {Boundary::dirichlet, Boundary::neumann, Boundary::periodic}) {
        GeneratedProblem problem;
        problem.pde = Pde::diffusion;
        problem.discretization = discretization;
        problem.boundary = boundary;
        const std::string name =
            std::string(to_string(discretization)) + "_" + std::to_string(dimensions) + "d_" + to_string(boundary);
        problem.grid = dimensions == 2 ? grid({32, 24}) : grid({16, 12, 8});
        for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
          problem.grid.size[d] += problem.grid.size[d] - problem.cells(static_cast<int>(d));
        }
        cases.push_back({name, problem});
        problem.coefficient.value = 3.0;
        problem.anisotropy = {0.2, 90.0};
        cases.push_back({name + "_aligned", problem});
        if (discretization == Discretization::q1 && boundary != Boundary::neumann) {
          problem.anisotropy = {0.2, 30.0};
          cases.push_back({name + "_rotated", problem});
        }
        if (discretization == Discretization::fd && boundary != Boundary::neumann) {
          problem.anisotropy = {};
          problem.stencil = dimensions == 2 ? 9 : 27;
          cases.push_back({name + "_box", problem});
        }
      }
    }
  }
  for (const int dimensions : {2, 3}) {
    for (const Discretization discretization : {Discretization::q1, Discretization::p1}) {
      for (const PlaneState plane : {PlaneState::strain, PlaneState::stress}) {
        if (dimensions == 3 && plane == PlaneState::stress) {
          continue;
        }
        GeneratedProblem problem;
        problem.pde = Pde::elasticity;
        problem.discretization = discretization;
        problem.body = {.young = 2.0, .plane = plane};
        problem.grid = dimensions == 2 ? grid({31, 23}) : grid({15, 11, 7});
        cases.push_back({std::string("elasticity_") + to_string(discretization) + "_" + std::to_string(dimensions) +
                             "d_" + to_string(plane),
                         problem});
      }
    }
  }
  return cases;
}

class Convergence : public ::testing::TestWithParam<Case> {};

TEST_P(Convergence, IsOfSecondOrder) {
  const GeneratedProblem& problem = GetParam().problem;
  const GeneratedProblem finer = refined(problem);
  ASSERT_DOUBLE_EQ(finer.spacing(), problem.spacing() / 2.0);
  const DiscretizationError coarse = solution_errors(problem, 1).front();
  const DiscretizationError fine = solution_errors(finer, 1).front();
  EXPECT_LT(fine.max, 0.05);
  EXPECT_NEAR(std::log2(coarse.l2 / fine.l2), 2.0, 0.1);
  EXPECT_NEAR(std::log2(coarse.max / fine.max), 2.0, 0.1);
}

INSTANTIATE_TEST_SUITE_P(All, Convergence, ::testing::ValuesIn(convergence_cases()),
                         [](const auto& parameter) { return parameter.param.name; });

/// max |A u − b| / h² at the unknowns.
double truncation_error(const GeneratedProblem& problem) {
  Context<Host> ctx;
  const CsrMatrix<double, Host> A = generate_matrix<double>(ctx, problem);
  MultiVector<double, Host> u(ctx, A.rows);
  MultiVector<double, Host> b(ctx, A.rows);
  manufactured_solution(ctx, problem, u.view());
  manufactured_right_hand_side(ctx, problem, b.view());
  const std::vector<double> product = multiply(A, std::vector<double>(u.data(), u.data() + u.size()));
  double largest = 0.0;
  for (std::size_t i = 0; i < product.size(); ++i) {
    largest = std::max(largest, std::abs(product[i] - b.data()[i]));
  }
  return largest / (problem.spacing() * problem.spacing());
}

TEST(Manufactured, ConvectionHasTheOrderOfItsScheme) {
  for (const StructuredGrid& size : {grid({63, 47}), grid({31, 23, 15})}) {
    for (const Velocity velocity : {Velocity::constant, Velocity::rotating, Velocity::recirculating}) {
      for (const Scheme scheme : {Scheme::upwind, Scheme::central}) {
        GeneratedProblem problem = poisson(size, Discretization::fd);
        problem.pde = Pde::convection_diffusion;
        problem.velocity = velocity;
        problem.scheme = scheme;
        problem.peclet = 30.0;
        const double order = std::log2(truncation_error(problem) / truncation_error(refined(problem)));
        EXPECT_NEAR(order, scheme == Scheme::upwind ? 1.0 : 2.0, 0.15) << to_string(velocity);
      }
    }
  }
}

TEST(Manufactured, ColumnsHaveFrequenciesOfTheirOwn) {
  const GeneratedProblem problem = poisson(grid({63, 63}), Discretization::q1);
  const std::vector<DiscretizationError> errors = solution_errors(problem, 5);
  // The eigenvalue of a mode is off by the relative error h² (k_x⁴ + k_y⁴) / (12 (k_x² + k_y²)) at leading order.
  const double h = problem.spacing();
  const int frequencies[5][2] = {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {1, 2}};
  for (std::size_t j = 0; j < 5; ++j) {
    const double kx = frequencies[j][0] * std::numbers::pi;
    const double ky = frequencies[j][1] * std::numbers::pi;
    const double cross = 4.0 * kx * kx * ky * ky;  // of the mass matrices in the bilinear stencil
    const double expected = h * h * (std::pow(kx, 4) + std::pow(ky, 4) + cross) / (12.0 * (kx * kx + ky * ky));
    EXPECT_NEAR(errors[j].l2 / (0.5 * expected), 1.0, 0.1) << "column " << j;
  }
}

template <class I>
class ManufacturedSolution : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(ManufacturedSolution, reference::Instances, reference::InstanceNames);

TYPED_TEST(ManufacturedSolution, HasNoErrorButItsRounding) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Space> ctx;
  const GeneratedProblem problem = poisson(grid({20, 30, 10}), Discretization::fd);
  MultiVector<T, Space> u(ctx, static_cast<Index>(problem.grid.unknowns()), 2);
  manufactured_solution(ctx, problem, u.view());
  for (const DiscretizationError& error : discretization_error<T>(ctx, problem, u.view())) {
    EXPECT_LE(error.max, reference::summation_bound<T>(1, 1.0));
    EXPECT_LE(error.l2, error.max);
  }
}

TYPED_TEST(ManufacturedSolution, IsComparedUpToAConstantWhereSingular) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Space> ctx;
  GeneratedProblem problem = poisson(grid({20, 30}), Discretization::q1);
  for (const Boundary boundary : {Boundary::dirichlet, Boundary::neumann, Boundary::periodic}) {
    problem.boundary = boundary;
    MultiVector<T, Space> u(ctx, static_cast<Index>(problem.grid.unknowns()), 1);
    manufactured_solution(ctx, problem, u.view());
    std::vector<T> shifted = reference::download(ctx, u);
    for (T& value : shifted) {
      value += T{2};
    }
    const MultiVector<T, Space> x = reference::upload(ctx, shifted);
    const DiscretizationError error = discretization_error<T>(ctx, problem, x.view()).front();
    EXPECT_NEAR(error.max, problem.is_singular() ? 0.0 : 2.0, reference::summation_bound<T>(4, 3.0));
  }
}

TYPED_TEST(ManufacturedSolution, LoadsASingularMatrixWithMeanZero) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Space> ctx;
  for (const Discretization discretization : {Discretization::fd, Discretization::q1}) {
    for (const Boundary boundary : {Boundary::neumann, Boundary::periodic}) {
      GeneratedProblem problem = poisson(grid({20, 30, 12}), discretization);
      problem.boundary = boundary;
      MultiVector<T, Space> b(ctx, static_cast<Index>(problem.grid.unknowns()), 1);
      manufactured_right_hand_side(ctx, problem, b.view());
      double sum = 0.0;
      double magnitude = 0.0;
      for (const T value : reference::download(ctx, b)) {
        sum += static_cast<double>(value);
        magnitude += std::abs(static_cast<double>(value));
      }
      EXPECT_GT(magnitude, 0.0);
      // Each entry carries the rounding of its three factors and of T.
      EXPECT_LE(std::abs(sum), reference::summation_bound<T>(16, magnitude));
    }
  }
}

/// The load, and its distance from the solution.
template <class T, MemorySpace S>
std::pair<std::vector<T>, DiscretizationError> load_and_distance(Context<S>& ctx, const GeneratedProblem& problem) {
  MultiVector<T, S> b(ctx, static_cast<Index>(problem.grid.unknowns()), 2);
  manufactured_right_hand_side(ctx, problem, b.view());
  return {reference::download(ctx, b), discretization_error<T>(ctx, problem, b.view()).back()};
}

TYPED_TEST(ManufacturedSolution, HasTheBitsOfOneThread) {
  using T = typename TypeParam::Value;
  GeneratedProblem problem = poisson(grid({150, 120}), Discretization::q1);
  problem.boundary = Boundary::neumann;
  Context<Host> one(1);
  const auto expected = load_and_distance<T>(one, problem);
  const auto expect_same = [&](auto& ctx) {
    const auto [load, distance] = load_and_distance<T>(ctx, problem);
    EXPECT_EQ(load, expected.first);
    EXPECT_EQ(distance.l2, expected.second.l2);
    EXPECT_EQ(distance.max, expected.second.max);
  };
  Context<typename TypeParam::Space> ctx;
  expect_same(ctx);
  for (const int threads : {2, 3}) {
    Context<Host> host(threads);
    expect_same(host);
  }
}

TYPED_TEST(ManufacturedSolution, IsMadeOfItsStrips) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Space> ctx;
  const GeneratedProblem problem = poisson(grid({15, 12, 7}), Discretization::q1);
  MultiVector<T, Space> u(ctx, 1260, 2);
  MultiVector<T, Space> b(ctx, 1260, 2);
  manufactured_solution(ctx, problem, u.view());
  manufactured_right_hand_side(ctx, problem, b.view());
  MultiVector<T, Space> u_strip(ctx, 260, 2);
  MultiVector<T, Space> b_strip(ctx, 260, 2);
  manufactured_solution(ctx, problem, u_strip.view(), {1000, 1260});
  manufactured_right_hand_side(ctx, problem, b_strip.view(), {1000, 1260});
  const auto last_rows = [&](const MultiVector<T, Space>& x) {
    const std::vector<T> values = reference::download(ctx, x);
    return std::vector<T>(values.begin() + 2 * 1000, values.end());
  };
  EXPECT_EQ(reference::download(ctx, u_strip), last_rows(u));
  EXPECT_EQ(reference::download(ctx, b_strip), last_rows(b));
  for (const DiscretizationError& error : discretization_error<T>(ctx, problem, u_strip.view(), {1000, 1260})) {
    EXPECT_LE(error.max, reference::summation_bound<T>(1, 1.0));
  }
}

void expect_rejected(const GeneratedProblem& problem, const std::string& message) {
  try {
    validate_manufactured(problem);
    FAIL() << "accepted, instead of: " << message;
  } catch (const ConfigurationError& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(ManufacturedMistakes, AreNamedInTheWordsOfTheConfiguration) {
  GeneratedProblem problem = poisson(grid({8, 9}), Discretization::q1);
  problem.pde = Pde::diffusion;
  problem.coefficient.type = CoefficientType::inclusions;
  expect_rejected(problem,
                  "problem.rhs is manufactured, which needs a constant problem.generate.coefficient.type; it is "
                  "inclusions");
  problem.coefficient.type = CoefficientType::constant;
  problem.boundary = Boundary::neumann;
  problem.anisotropy = {0.1, 30.0};
  expect_rejected(problem,
                  "problem.rhs is manufactured, which with boundary neumann needs a problem.generate.anisotropy.angle "
                  "that is a multiple of 90; it is 30");
  problem.anisotropy = {};
  problem.discretization = Discretization::fd;
  problem.stencil = 9;
  expect_rejected(problem,
                  "problem.rhs is manufactured, which with boundary neumann needs problem.generate.stencil 5 or "
                  "discretization q1; the stencil is 9");
}

TEST(ManufacturedMistakes, VectorsOfAnotherSizeAreTheCallers) {
  Context<Host> ctx;
  const GeneratedProblem problem = poisson(grid({8, 9}), Discretization::q1);
  MultiVector<double, Host> b(ctx, 71, 1);
  EXPECT_THROW(manufactured_right_hand_side(ctx, problem, b.view()), std::invalid_argument);
  EXPECT_THROW(manufactured_solution(ctx, problem, b.view()), std::invalid_argument);
  EXPECT_THROW(manufactured_solution(ctx, problem, b.view(), {0, 72}), std::invalid_argument);
  EXPECT_THROW(discretization_error<double>(ctx, problem, b.view()), std::invalid_argument);
}

}  // namespace
}  // namespace amgsolve
