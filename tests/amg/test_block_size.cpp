#include "amg/block_size.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "problems/generate.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class I>
class BlockSize : public reference::SpaceTest<typename I::Space> {
 protected:
  using T = typename I::Value;

  Index found(const CsrMatrix<double, Host>& A) {
    Context<typename I::Space> ctx;
    const auto there = reference::upload(ctx, convert_values<T>(host_, A));
    Buffer<T, typename I::Space> scales(ctx, static_cast<std::size_t>(A.rows));
    return find_block_size(ctx, there, scale_by_rows<T>(ctx, there, scales));
  }

  Context<Host> host_;
};
TYPED_TEST_SUITE(BlockSize, reference::Instances, reference::InstanceNames);

TYPED_TEST(BlockSize, OfElasticBodiesIsTheirDimension) {
  for (const StructuredGrid& grid : {reference::grid({12, 11}), reference::grid({7, 6, 5})}) {
    for (const Discretization discretization : {Discretization::q1, Discretization::p1}) {
      for (const Boundary boundary : {Boundary::clamped_face, Boundary::dirichlet, Boundary::neumann}) {
        GeneratedProblem problem = reference::poisson(grid, discretization);
        problem.pde = Pde::elasticity;
        problem.boundary = boundary;
        const auto A = generate_matrix<double>(this->host_, problem);
        EXPECT_EQ(this->found(A), grid.dimensions);
        if (discretization == Discretization::q1) {  // as files leave zeros out
          EXPECT_EQ(this->found(drop_zeros(this->host_, borrow(A))), grid.dimensions);
        }
        EXPECT_EQ(this->found(convert_values<double>(this->host_, A, -3.0)), grid.dimensions);
      }
    }
  }
}

// In units of their own all constants are about as rough, and the largest blocks that are full would be taken.
TYPED_TEST(BlockSize, IsTheSameInAnyUnits) {
  const std::vector<double> exponents = reference::random_values<double>(10000, 5);
  const auto expect_found = [&](const CsrMatrix<double, Host>& A, Index expected) {
    const auto in_units = reference::in_units(convert_values<double>(this->host_, A), [&](Index i) {
      return std::pow(10.0, 1.5 * exponents[static_cast<std::size_t>(i)]);
    });
    EXPECT_EQ(this->found(in_units), expected);
  };
  GeneratedProblem body = reference::poisson(reference::grid({24, 24}), Discretization::q1);
  body.pde = Pde::elasticity;
  expect_found(generate_matrix<double>(this->host_, body), 2);
  body.grid = reference::grid({12, 12, 12});
  expect_found(generate_matrix<double>(this->host_, body), 3);
  // Elements of four unknowns each, coupled by one constant, as discontinuous ones are.
  const auto L =
      generate_matrix<double>(this->host_, reference::poisson(reference::grid({20, 20}), Discretization::fd));
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < L.rows; ++i) {
    for (auto k = static_cast<std::size_t>(L.row_offsets[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(L.row_offsets[static_cast<std::size_t>(i) + 1]); ++k) {
      for (Index r = 0; r < 4; ++r) {
        for (Index c = 0; c < 4; ++c) {
          const double within = L.col_indices[k] == i ? (r == c ? 3.0 : -1.0) : 0.0;
          entries.push_back({4 * i + r, 4 * L.col_indices[k] + c, L.values[k] / 16.0 + within});
        }
      }
    }
  }
  expect_found(reference::matrix_from_entries<double>(this->host_, 4 * L.rows, 4 * L.rows, entries), 1);
}

TYPED_TEST(BlockSize, OfScalarProblemsIsOne) {
  for (const StructuredGrid& grid :
       {reference::grid({12, 10}), reference::grid({60, 60}), reference::grid({6, 6, 6})}) {
    for (const Discretization discretization : {Discretization::fd, Discretization::q1}) {
      for (const Boundary boundary : {Boundary::dirichlet, Boundary::neumann, Boundary::periodic}) {
        GeneratedProblem problem = reference::poisson(grid, discretization);
        problem.boundary = boundary;
        EXPECT_EQ(this->found(generate_matrix<double>(this->host_, problem)), 1);
      }
    }
  }
}

TYPED_TEST(BlockSize, OfFullBlocksThatOneConstantCouplesIsOne) {
  // The Laplacian of a complete graph: blocks of any size are full, and the constant is the nullspace.
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j < 12; ++j) {
      entries.push_back({i, j, i == j ? 11.0 : -1.0});
    }
  }
  EXPECT_EQ(this->found(reference::matrix_from_entries<double>(this->host_, 12, 12, entries)), 1);
  EXPECT_EQ(this->found(reference::matrix_from_entries<double>(this->host_, 0, 0, {})), 1);
}

}  // namespace
}  // namespace amgsolve
