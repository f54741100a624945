#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "problems/right_hand_side.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/elasticity.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/tolerance.hpp"

namespace amgsolve {
namespace {

using reference::grid;

GeneratedProblem body(const StructuredGrid& size, Discretization discretization, Boundary boundary) {
  GeneratedProblem problem = reference::poisson(size, discretization);
  problem.pde = Pde::elasticity;
  problem.boundary = boundary;
  return problem;
}

std::vector<GeneratedProblem> bodies() {
  std::vector<GeneratedProblem> problems;
  for (const StructuredGrid& size : {grid({4, 5}), grid({2, 2}), grid({3, 4, 2})}) {
    for (const Discretization discretization : {Discretization::q1, Discretization::p1}) {
      for (const Boundary boundary : {Boundary::dirichlet, Boundary::neumann, Boundary::clamped_face}) {
        for (const double poisson : {-0.4, 0.3, 0.49}) {
          for (const PlaneState plane : {PlaneState::strain, PlaneState::stress}) {
            if (plane == PlaneState::stress && size.dimensions == 3) {
              continue;
            }
            problems.push_back(body(size, discretization, boundary));
            problems.back().body = {.young = 7.0, .poisson = poisson, .plane = plane};
          }
        }
      }
    }
  }
  problems.push_back(body(grid({1, 1}), Discretization::q1, Boundary::dirichlet));
  problems.push_back(body(grid({1, 2, 3}), Discretization::p1, Boundary::clamped_face));
  return problems;
}

std::string describe(const GeneratedProblem& problem) {
  return std::to_string(problem.grid.dimensions) + "D " + to_string(problem.discretization) + " " +
         to_string(problem.boundary) + " " + to_string(problem.body.plane) + " " + std::to_string(problem.body.poisson);
}

template <class T>
double largest_magnitude(const CsrMatrix<T, Host>& A) {
  double largest = 0.0;
  for (const T value : A.values.span()) {
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return largest;
}

/// The terms of an entry: 8 elements or 6 · 8 simplices, of 8 points and 6 strains in the reference.
constexpr int terms = 8 * 8 * 6 * 6;

template <class T>
double bound_of(const CsrMatrix<double, Host>& A) {
  // λ and μ of a material that is nearly incompressible, or expands, cancel in an entry.
  const double magnitude = 10.0 * largest_magnitude(A);
  return reference::summation_bound<double>(terms, magnitude) + reference::summation_bound<T>(1, magnitude);
}

template <class I>
class GenerateElasticity : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(GenerateElasticity, reference::Instances, reference::InstanceNames);

TYPED_TEST(GenerateElasticity, IsWhatNaiveAssemblyGives) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  Context<Host> host;
  for (const GeneratedProblem& problem : bodies()) {
    SCOPED_TRACE(describe(problem));
    const auto expected = reference::assemble_elasticity(host, problem);
    const auto actual = reference::download(ctx, generate_matrix<T>(ctx, problem));
    ASSERT_TRUE(reference::close(convert_values<double>(host, actual), expected, bound_of<T>(expected)));
    EXPECT_EQ(problem.nonzeros(), static_cast<double>(actual.nnz()));
  }
}

TYPED_TEST(GenerateElasticity, IsSymmetricAndHasTheBitsOfOneThread) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  Context<Host> one(1);
  std::vector<GeneratedProblem> problems = bodies();
  problems.push_back(body(grid({17, 13, 9}), Discretization::q1, Boundary::clamped_face));
  problems.push_back(body(grid({17, 13, 9}), Discretization::p1, Boundary::neumann));
  for (const GeneratedProblem& problem : problems) {
    SCOPED_TRACE(describe(problem));
    const auto A = reference::download(ctx, generate_matrix<T>(ctx, problem));
    ASSERT_TRUE(reference::identical(transpose(one, A), A));
    ASSERT_TRUE(reference::identical(generate_matrix<T>(one, problem), A));
  }
}

TYPED_TEST(GenerateElasticity, IsMadeOfItsStrips) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<S> ctx;
  for (const GeneratedProblem& problem : bodies()) {
    SCOPED_TRACE(describe(problem));
    const auto whole = reference::download(ctx, generate_matrix<T>(ctx, problem));
    // The strip begins within a node, and the last one ends past the matrix.
    for (const RowRange rows : {RowRange{1, 4}, RowRange{5, 1000}}) {
      const auto strip = generate_strip<T>(ctx, problem, rows);
      const RowRange cut = problem.rows(rows);
      ASSERT_EQ(strip.rows(), cut.count());
      const Offset first = whole.row_offsets[static_cast<std::size_t>(cut.first)];
      const auto offsets = reference::download(ctx, strip.row_offsets.span());
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        ASSERT_EQ(offsets[i] + first, whole.row_offsets[static_cast<std::size_t>(cut.first) + i]);
      }
      const auto columns = reference::download(ctx, std::get<Buffer<Index, S>>(strip.col_indices).span());
      const auto values = reference::download(ctx, strip.values.span());
      for (std::size_t k = 0; k < values.size(); ++k) {
        ASSERT_EQ(columns[k], whole.col_indices[static_cast<std::size_t>(first) + k]);
        ASSERT_EQ(values[k], whole.values[static_cast<std::size_t>(first) + k]);
      }
    }
  }
}

/// Displacements at the nodes of a body from their positions.
template <class Displace>
std::vector<double> displaced(const GeneratedProblem& problem, const Displace& displace) {
  Context<Host> host;
  MultiVector<double, Host> x(host, static_cast<Index>(problem.grid.unknowns()), problem.grid.dimensions);
  grid_coordinates(host, problem, x.view());
  std::vector<double> u;
  for (Index node = 0; node < x.rows(); ++node) {
    std::array<double, 3> at{};
    std::copy_n(x.data() + node * x.columns(), x.columns(), at.begin());
    const std::array<double, 3> value = displace(at);
    u.insert(u.end(), value.begin(), value.begin() + x.columns());
  }
  return u;
}

/// The largest |A u|_i over the rows that `counts` takes, and a bound of its rounding errors.
template <class T, class Counts>
void expect_no_force(const CsrMatrix<T, Host>& A, const std::vector<double>& u, const Counts& counts) {
  int counted = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    if (!counts(static_cast<Index>(i))) {
      continue;
    }
    ++counted;
    double force = 0.0;
    double size = 0.0;
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      force += static_cast<double>(A.values[k]) * u[static_cast<std::size_t>(A.col_indices[k])];
      size += std::abs(static_cast<double>(A.values[k]) * u[static_cast<std::size_t>(A.col_indices[k])]);
    }
    ASSERT_LE(std::abs(force),
              reference::summation_bound<double>(terms, 10 * size) + reference::summation_bound<T>(1, size))
        << "row " << i;
  }
  EXPECT_GT(counted, 0);
}

TYPED_TEST(GenerateElasticity, TakesRigidMotionsOfAFreeBodyToZero) {
  using T = typename TypeParam::Value;
  using Point = std::array<double, 3>;
  Context<typename TypeParam::Space> ctx;
  for (const GeneratedProblem& problem : bodies()) {
    if (problem.boundary != Boundary::neumann) {
      continue;
    }
    SCOPED_TRACE(describe(problem));
    const auto A = reference::download(ctx, generate_matrix<T>(ctx, problem));
    const auto all = [](Index) { return true; };
    expect_no_force(A, displaced(problem, [](const Point&) { return Point{1.0, 2.0, -0.5}; }), all);
    expect_no_force(A, displaced(problem, [](const Point& x) { return Point{-x[1], x[0], 0.0}; }), all);
    if (problem.grid.dimensions == 3) {
      expect_no_force(A, displaced(problem, [](const Point& x) { return Point{0.0, -x[2], x[1]}; }), all);
      expect_no_force(A, displaced(problem, [](const Point& x) { return Point{x[2], 0.0, -x[0]}; }), all);
    }
  }
}

/// The patch test: a state of constant strain has forces on the surface alone, whatever its displacements.
TYPED_TEST(GenerateElasticity, HasNoForcesWithinABodyOfConstantStrain) {
  using T = typename TypeParam::Value;
  using Point = std::array<double, 3>;
  Context<typename TypeParam::Space> ctx;
  for (const StructuredGrid& size : {grid({5, 4}), grid({4, 3, 5})}) {
    for (const Discretization discretization : {Discretization::q1, Discretization::p1}) {
      const GeneratedProblem problem = body(size, discretization, Boundary::neumann);
      SCOPED_TRACE(describe(problem));
      const auto A = reference::download(ctx, generate_matrix<T>(ctx, problem));
      const auto u = displaced(problem, [](const Point& x) {
        return Point{0.3 * x[0] - 0.7 * x[1] + 0.2 * x[2], 0.5 * x[0] + 0.1 * x[1] - 0.4 * x[2], 0.6 * x[1] - x[2]};
      });
      expect_no_force(A, u, [&](Index row) {
        std::int64_t node = row / size.dimensions;
        bool is_within = true;
        for (std::size_t d = 0; d < static_cast<std::size_t>(size.dimensions); ++d) {
          const std::int64_t i = node % size.size[d];
          node /= size.size[d];
          is_within = is_within && i > 0 && i + 1 < size.size[d];
        }
        return is_within;
      });
    }
  }
}

TYPED_TEST(GenerateElasticity, HasTheLoadThatNaiveAssemblyGives) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<S> ctx;
  for (GeneratedProblem problem : bodies()) {
    for (const Load load : {Load::gravity, Load::bending, Load::tension}) {
      problem.body.load = load;
      SCOPED_TRACE(describe(problem) + " " + to_string(load));
      const auto n = static_cast<Index>(problem.unknowns());
      MultiVector<T, S> b(ctx, n, 2);
      if (load != Load::gravity && problem.boundary == Boundary::dirichlet) {
        EXPECT_THROW(load_right_hand_side(ctx, problem, b.view()), ConfigurationError);
        continue;
      }
      load_right_hand_side(ctx, problem, b.view());
      const std::vector<double> expected = reference::assemble_load(problem);
      const std::vector<T> actual = reference::download(ctx, b);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(actual[2 * i], expected[i], reference::summation_bound<T>(6 * 8, 1.0)) << "row " << i;
        ASSERT_EQ(actual[2 * i], actual[2 * i + 1]);
      }
      // In strips, of which the second begins within a node.
      MultiVector<T, S> strip(ctx, n - 1, 2);
      load_right_hand_side(ctx, problem, strip.view(), {1, n});
      const std::vector<T> rest = reference::download(ctx, strip);
      EXPECT_TRUE(std::equal(rest.begin(), rest.end(), actual.begin() + 2));
    }
  }
}

TYPED_TEST(GenerateElasticity, HasNodesWhereTheBoundaryLeavesThem) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<S> ctx;
  const GeneratedProblem problem = body(grid({4, 3, 2}), Discretization::q1, Boundary::clamped_face);
  MultiVector<T, S> x(ctx, 24, 3);
  grid_coordinates(ctx, problem, x.view());
  const std::vector<T> found = reference::download(ctx, x);
  for (std::size_t node = 0; node < 24; ++node) {
    EXPECT_EQ(found[3 * node], static_cast<T>(0.25 * static_cast<double>(node % 4 + 1)));
    EXPECT_EQ(found[3 * node + 1], static_cast<T>(0.25 * static_cast<double>(node / 4 % 3)));
    EXPECT_EQ(found[3 * node + 2], static_cast<T>(0.25 * static_cast<double>(node / 12)));
  }
  MultiVector<T, S> part(ctx, 5, 3);
  grid_coordinates(ctx, problem, part.view(), {7, 12});
  const std::vector<T> strip = reference::download(ctx, part);
  EXPECT_TRUE(std::equal(strip.begin(), strip.end(), found.begin() + 21));
  EXPECT_THROW(grid_coordinates(ctx, problem, part.view()), std::invalid_argument);
}

}  // namespace
}  // namespace amgsolve
