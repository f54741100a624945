#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "amg/nullspace.hpp"
#include "amg/solver.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/spmv.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

/// Solves by products with another matrix than the singular one that was set up.
namespace amgsolve {
namespace {

using reference::Entry;

template <class T>
CsrMatrix<T, Host> neumann(Context<Host>& host, const StructuredGrid& grid) {
  GeneratedProblem problem = reference::poisson(grid, Discretization::fd);
  problem.boundary = Boundary::neumann;
  return generate_matrix<T>(host, problem);
}

/// left_i a_ij right_j, and `shift` times the diagonal beside.
template <class T, class Left, class Right>
CsrMatrix<T, Host> scaled(Context<Host>& host, const CsrMatrix<T, Host>& A, const Left& left, const Right& right,
                          double shift = 0.0) {
  auto result = convert_values<T>(host, A);
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      const Index j = A.col_indices[k];
      const double beside = j == static_cast<Index>(i) ? 1.0 + shift : 1.0;
      result.values[k] =
          static_cast<T>(static_cast<double>(A.values[k]) * left(static_cast<Index>(i)) * right(j) * beside);
    }
  }
  return result;
}

double one(Index) { return 1.0; }
double uneven(Index i) { return 1.0 + 0.2 * (i % 3); }

template <class T>
CsrMatrix<T, Host> shifted(Context<Host>& host, const CsrMatrix<T, Host>& A, double shift) {
  return scaled(host, A, one, one, shift);
}

/// Diffusion and transport around a torus, whose rows and columns sum to zero.
template <class T>
CsrMatrix<T, Host> torus(Context<Host>& host, Index n) {
  std::vector<Entry> entries;
  const auto at = [n](Index i, Index j) { return (i + n) % n * n + (j + n) % n; };
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      entries.push_back({at(i, j), at(i, j), 8.0});
      entries.push_back({at(i, j), at(i, j - 1), -4.0});
      entries.push_back({at(i, j), at(i - 1, j), -2.0});
      entries.push_back({at(i, j), at(i, j + 1), -1.0});
      entries.push_back({at(i, j), at(i + 1, j), -1.0});
    }
  }
  return reference::matrix_from_entries<T>(host, n * n, n * n, std::move(entries));
}

template <class T, MemorySpace S>
FormProduct<T, S> product_with(const CsrMatrix<T, S>& A) {
  return
      [&A](Context<S>& ctx, MultiVectorView<const T, S> X, MultiVectorView<T, S> Y) { spmv(ctx, T{1}, A, X, T{0}, Y); };
}

template <class I>
class OtherOperators : public reference::SpaceTest<typename I::Space> {
 protected:
  using Value = typename I::Value;
  using Space = typename I::Space;

  /// Whether the null space of A, of the constants, is that of C, too.
  bool is_also_of(const CsrMatrix<Value, Host>& A, const CsrMatrix<Value, Host>& C, Index columns = 1,
                  bool is_two_sided = true) {
    const Operator<Value, Space> stored(ctx(), reference::upload(ctx(), borrow(A)));
    const MultiVector<Value, Space> ones =
        reference::upload(ctx(), std::vector<Value>(static_cast<std::size_t>(A.rows), Value{1}));
    const auto other = reference::upload(ctx(), borrow(C));
    const Operator<Value, Space> by_products(stored, product_with(other));
    return Nullspace<Value, Space>(ctx(), stored, ones, 1)
        .is_also_of(ctx(), by_products, stored, columns, is_two_sided);
  }

  struct Solved {
    SolveResult result;
    double residual = 0.0;  ///< of the operator, relative to all of b
  };

  /// Solves with the operator by the hierarchy of A, for several right-hand sides of which a part is constant.
  Solved solve(const CsrMatrix<Value, Host>& A, const CsrMatrix<Value, Host>& C, Method method = Method::automatic,
               bool is_consistent = false) {
    constexpr Index columns = 2;
    SolverOptions options;
    options.method = method;
    options.tolerance = sizeof(Value) == sizeof(double) ? 1e-8 : 1e-4;
    AmgSolver<Value, Space> solver({}, options);
    solver.setup(ctx(), reference::upload(ctx(), borrow(A)));
    const auto other = reference::upload(ctx(), borrow(C));
    std::vector<Value> values = reference::random_values<Value>(static_cast<std::size_t>(columns * A.rows), 3);
    for (Value& value : values) {
      value += Value{1};
    }
    MultiVector<Value, Space> b = reference::upload(ctx(), values, columns);
    MultiVector<Value, Space> x = reference::upload(ctx(), std::vector<Value>(values.size(), Value{0}), columns);
    if (is_consistent) {
      const MultiVector<Value, Space> given = reference::upload(ctx(), values, columns);
      spmv(ctx(), Value{1}, other, given.view(), Value{0}, b.view());
    }
    Solved solved;
    solved.result = solver.solve(ctx(), std::as_const(b), x, {.product = product_with(other)});
    MultiVector<Value, Space> r(ctx(), b.rows(), columns);
    Operator<Value, Space>(ctx(), borrow(other)).residual(ctx(), std::as_const(b), std::as_const(x), r);
    const std::vector<double> left = norms<Value>(ctx(), std::as_const(r));
    const std::vector<double> whole = norms<Value>(ctx(), std::as_const(b));
    for (std::size_t j = 0; j < left.size(); ++j) {
      solved.residual = std::max(solved.residual, left[j] / whole[j]);
    }
    return solved;
  }

  /// Made when it is asked for: there may be no device.
  Context<Space>& ctx() {
    if (!ctx_) {
      ctx_.emplace();
    }
    return *ctx_;
  }

  Context<Host> host_;

 private:
  std::optional<Context<Space>> ctx_;
};
TYPED_TEST_SUITE(OtherOperators, reference::Instances, reference::InstanceNames);

TYPED_TEST(OtherOperators, HaveTheNullSpaceWhereProductsTakeItToZero) {
  using T = typename TypeParam::Value;
  Context<Host>& host = this->host_;
  const double rounding = std::numeric_limits<T>::epsilon();
  const auto A = neumann<T>(host, reference::grid({40, 30}));
  for (const Index columns : {1, 3}) {
    EXPECT_TRUE(this->is_also_of(A, A, columns));
    EXPECT_TRUE(this->is_also_of(A, convert_values<T>(host, A, 1e-9), columns)) << "whatever its size";
    EXPECT_FALSE(this->is_also_of(A, shifted(host, A, 400.0 * rounding), columns));
    EXPECT_FALSE(this->is_also_of(A, convert_values<T>(host, shifted(host, A, 400.0 * rounding), 1e-9), columns));
    EXPECT_FALSE(this->is_also_of(A, scaled(host, A, uneven, uneven), columns));
  }
  // A weak condition on one unknown alone.
  auto held = convert_values<T>(host, A);
  for (Offset k = held.row_offsets[100]; k < held.row_offsets[101]; ++k) {
    if (held.col_indices[static_cast<std::size_t>(k)] == 100) {
      held.values[static_cast<std::size_t>(k)] *= static_cast<T>(1.0 + 400.0 * rounding);
    }
  }
  EXPECT_FALSE(this->is_also_of(A, held));
}

TYPED_TEST(OtherOperators, HaveItOnBothSidesOrNot) {
  using T = typename TypeParam::Value;
  Context<Host>& host = this->host_;
  const auto A = torus<T>(host, 40);
  EXPECT_TRUE(this->is_also_of(A, A));
  EXPECT_FALSE(this->is_also_of(A, scaled(host, A, uneven, one))) << "rows that sum to zero, and columns that do not";
  EXPECT_FALSE(this->is_also_of(A, scaled(host, A, one, uneven))) << "the other way round";
  EXPECT_TRUE(this->is_also_of(A, scaled(host, A, one, uneven), 1, false)) << "of the transpose";
  EXPECT_FALSE(this->is_also_of(A, scaled(host, A, uneven, one), 1, false));
  EXPECT_FALSE(this->is_also_of(A, shifted(host, A, 1e-3), 1, false));
}

// Two components that the other matrix joins: the constant of each is no null vector of it, that of both is.
TYPED_TEST(OtherOperators, MayJoinComponents) {
  using T = typename TypeParam::Value;
  Context<Host>& host = this->host_;
  const auto joined = neumann<T>(host, reference::grid({30, 20}));
  auto apart = convert_values<T>(host, joined);
  const auto part = [](Index row) { return row % 30 < 12; };
  for (std::size_t i = 0; i < static_cast<std::size_t>(apart.rows); ++i) {
    const auto begin = static_cast<std::size_t>(apart.row_offsets[i]);
    const auto end = static_cast<std::size_t>(apart.row_offsets[i + 1]);
    T across{0};
    for (auto k = begin; k < end; ++k) {
      if (part(static_cast<Index>(i)) != part(apart.col_indices[k])) {
        across += std::exchange(apart.values[k], T{0});
      }
    }
    for (auto k = begin; k < end; ++k) {
      apart.values[k] += apart.col_indices[k] == static_cast<Index>(i) ? across : T{0};
    }
  }
  EXPECT_TRUE(this->is_also_of(apart, apart));
  EXPECT_FALSE(this->is_also_of(apart, joined));
}

TYPED_TEST(OtherOperators, ThatAreRegularAreSolvedForAllOfTheRightHandSide) {
  using T = typename TypeParam::Value;
  const auto A = neumann<T>(this->host_, reference::grid({30, 30}));
  for (const double shift : {0.3, 0.01}) {
    const auto step = shifted(this->host_, A, shift);
    for (const Method method : {Method::automatic, Method::minres, Method::gmres, Method::bicgstab}) {
      SCOPED_TRACE(testing::Message() << shift << ", " << static_cast<int>(method));
      const auto solved = this->solve(A, step, method);
      EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
      EXPECT_EQ(solved.result.outside_range, 0.0);
      EXPECT_LE(solved.residual, sizeof(T) == sizeof(double) ? 1.1e-8 : 1.1e-4);
    }
  }
  // Columns alone that sum to zero.
  const auto one_sided = scaled(this->host_, torus<T>(this->host_, 30), one, uneven);
  const auto solved = this->solve(one_sided, shifted(this->host_, one_sided, 0.01));
  EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
  EXPECT_EQ(solved.result.outside_range, 0.0);
  EXPECT_LE(solved.residual, sizeof(T) == sizeof(double) ? 1.1e-8 : 1.1e-4);
}

TYPED_TEST(OtherOperators, ThatAreSingularAlikeAreSolvedAsFarAsItIsInTheRange) {
  using T = typename TypeParam::Value;
  Context<Host>& host = this->host_;
  const auto symmetric = neumann<T>(host, reference::grid({30, 30}));
  const auto two_sided = torus<T>(host, 30);
  const auto of_transpose = scaled(host, two_sided, one, uneven);
  const auto of_rows = scaled(host, two_sided, uneven, one);
  for (const auto* A : {&symmetric, &two_sided, &of_transpose, &of_rows}) {
    const auto solved = this->solve(*A, convert_values<T>(host, *A, 3.0));
    EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
    EXPECT_LE(solved.result.iterations, 40);
    EXPECT_GT(solved.result.outside_range, 0.5);
    EXPECT_NEAR(solved.residual, solved.result.outside_range, 0.1);
  }
}

TYPED_TEST(OtherOperators, ThatAreSingularOtherwiseAreSolvedWhereAllOfItIsInTheRange) {
  using T = typename TypeParam::Value;
  Context<Host>& host = this->host_;
  const auto symmetric = neumann<T>(host, reference::grid({30, 30}));
  const auto two_sided = torus<T>(host, 30);
  for (const auto& [A, C] : {std::pair(&symmetric, scaled(host, symmetric, uneven, uneven)),
                             std::pair(&two_sided, scaled(host, two_sided, uneven, one))}) {
    const auto solved = this->solve(*A, C, Method::automatic, true);
    EXPECT_EQ(solved.result.reason, StopReason::converged) << describe(solved.result.reason);
    EXPECT_EQ(solved.result.outside_range, 0.0);
    EXPECT_LE(solved.residual, sizeof(T) == sizeof(double) ? 1.1e-8 : 1.1e-4);
    EXPECT_NE(this->solve(*A, C).result.reason, StopReason::converged) << "some of b is out of its range";
  }
}

// A free body has six null vectors, more than there are right-hand sides; products are of those.
TYPED_TEST(OtherOperators, OfBodiesMayBeFreeOrHeld) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host>& host = this->host_;
  Context<S>& ctx = this->ctx();
  GeneratedProblem problem = reference::poisson(reference::grid({6, 5, 4}), Discretization::q1);
  problem.pde = Pde::elasticity;
  problem.boundary = Boundary::neumann;
  const auto A = generate_matrix<T>(host, problem);
  MultiVector<T, S> positions(ctx, A.rows / 3, 3);
  grid_coordinates(ctx, problem, positions.view());
  const std::vector<T> load = reference::random_values<T>(static_cast<std::size_t>(A.rows), 3);
  for (const Numbering unknowns : {Numbering::by_node, Numbering::by_field}) {
    const auto numbered = [&](const CsrMatrix<T, Host>& M) {
      return unknowns == Numbering::by_node ? convert_values<T>(host, M) : reference::by_field(host, M, 3);
    };
    AmgOptions amg;
    amg.unknowns = unknowns;
    amg.coarse_size = 50;
    SolverOptions options;
    options.tolerance = sizeof(T) == sizeof(double) ? 1e-8 : 1e-3;
    AmgSolver<T, S> solver(amg, options);
    solver.setup(ctx, reference::upload(ctx, numbered(A)), {}, std::as_const(positions));
    const auto b = reference::upload(ctx, load);
    const auto outside = [&](const CsrMatrix<T, Host>& C) {
      const auto other = reference::upload(ctx, numbered(C));
      auto x = reference::upload(ctx, std::vector<T>(load.size(), T{0}));
      FormProduct<T, S> product = [&](Context<S>& where, MultiVectorView<const T, S> X, MultiVectorView<T, S> Y) {
        EXPECT_EQ(X.columns, 1);
        spmv(where, T{1}, other, X, T{0}, Y);
      };
      const SolveResult result = solver.solve(ctx, std::as_const(b), x, {.product = product});
      EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
      return result.outside_range;
    };
    EXPECT_GT(outside(A), 0.0);
    EXPECT_EQ(outside(shifted(host, A, 0.01)), 0.0);
  }
}

}  // namespace
}  // namespace amgsolve
