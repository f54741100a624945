#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "amg/dense_lu.hpp"
#include "amg/solver.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "problems/generate.hpp"
#include "problems/matrix_market.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/random.hpp"
#include "spmv/spmv.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/naive_spmv.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

GeneratedProblem convection(const StructuredGrid& grid, Velocity velocity, double peclet,
                            Scheme scheme = Scheme::upwind) {
  GeneratedProblem problem;
  problem.pde = Pde::convection_diffusion;
  problem.grid = grid;
  problem.velocity = velocity;
  problem.peclet = peclet;
  problem.scheme = scheme;
  return problem;
}

/// A x = b with b = 1, from zero.
template <class T, MemorySpace S>
SolveResult solve(Context<S>& ctx, const CsrMatrix<T, Host>& A, const SolverOptions& options,
                  const AmgOptions& amg = {}, std::vector<T>* solution = nullptr) {
  AmgSolver<T, S> solver(amg, options);
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  MultiVector<T, S> b(ctx, A.rows);
  MultiVector<T, S> x(ctx, A.rows);
  fill<T>(ctx, T{1}, b);
  fill<T>(ctx, T{0}, x);
  const SolveResult result = solver.solve(ctx, std::as_const(b), x);
  if (solution != nullptr) {
    *solution = reference::download(ctx, x);
  }
  return result;
}

template <class I>
class Nonsymmetric : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(Nonsymmetric, reference::Instances, reference::InstanceNames);

template <class I>
class NonsymmetricInDouble : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(NonsymmetricInDouble, reference::DoubleInstances, reference::InstanceNames);

TYPED_TEST(Nonsymmetric, EveryMethodThatTakesItConverges) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<T>(host, convection(reference::grid({48, 40}), Velocity::recirculating, 100.0));
  AmgOptions amg;
  amg.coarse_size = 50;
  for (const Method method : {Method::automatic, Method::gmres, Method::fgmres, Method::bicgstab, Method::amg}) {
    SolverOptions options;
    options.method = method;
    const SolveResult result = solve<T>(ctx, A, options, amg);
    // In float the tolerance is near what rounding errors allow.
    EXPECT_LE(result.reason, StopReason::attained) << name(method) << ": " << describe(result.reason);
    EXPECT_EQ(result.method, method == Method::automatic ? Method::fgmres : method);
    EXPECT_LE(result.iterations, 40) << name(method);
  }
  for (const SmootherType type : {SmootherType::block_jacobi, SmootherType::block_chebyshev}) {
    amg.smoother.type = type;
    const SolveResult result = solve<T>(ctx, A, {}, amg);
    EXPECT_LE(result.reason, StopReason::attained) << describe(result.reason);
    EXPECT_LE(result.iterations, 40);
  }
}

TYPED_TEST(NonsymmetricInDouble, GmresBeginsAnewAfterAsManyStepsAsItIsTold) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<double>(host, convection(reference::grid({48, 40}), Velocity::recirculating, 100.0));
  AmgOptions amg;
  amg.coarse_size = 50;
  for (const Method method : {Method::gmres, Method::fgmres}) {
    const auto history = [&](int restart) {
      return solve<double>(ctx, A, {.method = method, .restart = restart}, amg).residual_history;
    };
    const std::vector<double> whole = history(30);
    const std::vector<double> restarted = history(2);
    ASSERT_GE(whole.size(), 4U);
    EXPECT_EQ(restarted[2], whole[2]) << name(method);
    EXPECT_GT(restarted[3], whole[3]) << name(method);
    EXPECT_GE(restarted.size(), whole.size()) << name(method);
  }
}

TYPED_TEST(NonsymmetricInDouble, ConjugateGradientsRefuseItNamingTheEntryAndWhatToDo) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<double>(host, convection(reference::grid({9, 8}), Velocity::constant, 10.0));
  for (const Method method : {Method::cg, Method::fcg}) {
    SolverOptions options;
    options.method = method;
    try {
      solve<double>(ctx, A, options);
      ADD_FAILURE() << "taken";
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()),
                "the matrix is not symmetric (entry in row 1, column 2 differs from its mirror): 'solver.method' " +
                    std::string(name(method)) + " needs a symmetric matrix; auto, gmres, fgmres and bicgstab take any");
    }
  }
}

TYPED_TEST(NonsymmetricInDouble, ACycleThatNeedNotBeDefiniteIsForFlexibleGmres) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  GeneratedProblem body = reference::poisson(reference::grid({10, 11, 11}), Discretization::q1);
  body.pde = Pde::elasticity;
  body.boundary = Boundary::clamped_face;
  body.body.poisson = 0.49;
  const auto A = generate_matrix<double>(host, body);
  AmgOptions amg;
  amg.smoother.type = SmootherType::gmres_polynomial;
  SolverOptions options;
  const SolveResult result = solve<double>(ctx, A, options, amg);
  EXPECT_EQ(result.method, Method::fgmres);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  // Why it is refused where it is asked for.
  options.method = Method::cg;
  EXPECT_GT(solve<double>(ctx, A, options, amg).reason, StopReason::attained);
}

TYPED_TEST(NonsymmetricInDouble, ConvectionTakesFewIterations) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const StructuredGrid& grid : {reference::grid({64, 64}), reference::grid({16, 16, 16})}) {
    for (const Velocity velocity : {Velocity::constant, Velocity::rotating, Velocity::recirculating}) {
      for (const double peclet : {1.0, 1e3, 1e6}) {
        const auto A = generate_matrix<double>(host, convection(grid, velocity, peclet));
        const SolveResult result = solve<double>(ctx, A, {});
        EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
        EXPECT_LE(result.iterations, 20) << to_string(velocity) << " " << peclet << " " << grid.dimensions;
      }
    }
  }
  // As far as central differences give an M-matrix.
  const auto A =
      generate_matrix<double>(host, convection(reference::grid({64, 64}), Velocity::rotating, 120.0, Scheme::central));
  EXPECT_LE(solve<double>(ctx, A, {}).iterations, 20);
}

TYPED_TEST(NonsymmetricInDouble, NewValuesMayTurnItAroundAndBack) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const StructuredGrid grid = reference::grid({40, 40});
  GeneratedProblem still = convection(grid, Velocity::rotating, 1e-300);
  const auto symmetric = generate_matrix<double>(host, still);
  const auto moving = generate_matrix<double>(host, convection(grid, Velocity::rotating, 50.0));
  const auto negative = convert_values<double>(host, moving, -1.0);
  for (const Reuse reuse : {Reuse::pattern, Reuse::hierarchy}) {
    SolverOptions options;
    options.reuse = reuse;
    AmgSolver<double, typename TypeParam::Space> solver({}, options);
    solver.setup(ctx, reference::upload(ctx, borrow(symmetric)));
    MultiVector<double, typename TypeParam::Space> b(ctx, symmetric.rows);
    fill<double>(ctx, 1.0, b);
    const auto solved = [&] {
      MultiVector<double, typename TypeParam::Space> x(ctx, symmetric.rows);
      fill<double>(ctx, 0.0, x);
      const SolveResult result = solver.solve(ctx, std::as_const(b), x);
      EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
      return result;
    };
    EXPECT_EQ(solved().method, Method::cg);
    for (const auto* A : {&moving, &moving, &negative, &negative, &symmetric}) {
      solver.update_values(ctx, reference::upload(ctx, borrow(*A)));
      const SolveResult result = solved();
      EXPECT_EQ(result.method, A == &symmetric ? Method::cg : Method::fgmres);
      EXPECT_EQ(result.is_negated, A == &negative);
      EXPECT_LE(result.iterations, 30);
    }
  }
}

/// Plain aggregation, whose coarse matrices are too large by a factor, which a V-cycle does not see.
TYPED_TEST(NonsymmetricInDouble, AKCycleFindsTheScaleOfItsCorrections) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<double>(host, reference::poisson(reference::grid({60, 50}), Discretization::fd));
  SolverOptions options;
  options.method = Method::amg;
  AmgOptions amg;
  amg.coarse_size = 10;
  amg.prolongator_damping = 0.0;
  amg.over_correction = 1.0;
  const auto iterations = [&](CycleType cycle) {
    amg.cycle = cycle;
    const SolveResult result = solve<double>(ctx, A, options, amg);
    EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
    return result.iterations;
  };
  EXPECT_LT(2 * iterations(CycleType::k), iterations(CycleType::v));
}

TYPED_TEST(Nonsymmetric, ANegativeDefiniteMatrixIsSolvedByItsSign) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = generate_matrix<T>(host, reference::poisson(reference::grid({40, 30}), Discretization::fd));
  const auto negative = convert_values<T>(host, A, -1.0);
  std::vector<T> x;
  std::vector<T> opposite;
  const SolveResult expected = solve<T>(ctx, A, {}, {}, &x);
  const SolveResult result = solve<T>(ctx, negative, {}, {}, &opposite);
  EXPECT_FALSE(expected.is_negated);
  EXPECT_TRUE(result.is_negated);
  EXPECT_EQ(result.method, Method::cg);
  EXPECT_EQ(result.residual_history, expected.residual_history);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(opposite[i], -x[i]);
  }
}

// What a caller gives and sees of products, of the preconditioner and of levels is of the matrix given.
TYPED_TEST(Nonsymmetric, OnlyTheHierarchyKnowsThatTheSignWasTurnedAround) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  struct Seen {
    std::vector<T> x, z;
    std::vector<double> residual_history;
    CsrMatrix<T, Host> finest, coarse, P;
  };
  const auto look = [&](const CsrMatrix<T, Host>& M) {
    AmgOptions amg;
    amg.coarse_size = 50;
    AmgSolver<T, S> solver(amg, {});
    solver.setup(ctx, reference::upload(ctx, borrow(M)));
    MultiVector<T, S> b(ctx, M.rows);
    MultiVector<T, S> x(ctx, M.rows);
    MultiVector<T, S> z(ctx, M.rows);
    fill<T>(ctx, T{1}, b);
    fill<T>(ctx, T{0}, x);
    solver.precondition(ctx, std::as_const(b), z);
    const Operator<T, S> stored(ctx, reference::upload(ctx, borrow(M)), Storage::csr);
    const FormProduct<T, S> product = [&](Context<S>& c, MultiVectorView<const T, S> X, MultiVectorView<T, S> Y) {
      stored.apply(c, T{1}, X, T{0}, Y);
    };
    const SolveResult result = solver.solve(ctx, std::as_const(b), x, {.product = product});
    EXPECT_EQ(result.reason, StopReason::converged);
    return Seen{reference::download(ctx, x),
                reference::download(ctx, z),
                result.residual_history,
                solver.level_matrix(ctx, host, 0, LevelPart::A),
                solver.level_matrix(ctx, host, 1, LevelPart::A),
                solver.level_matrix(ctx, host, 0, LevelPart::P)};
  };
  const auto A = generate_matrix<T>(host, reference::poisson(reference::grid({40, 30}), Discretization::fd));
  const auto negative = [&](const CsrMatrix<T, Host>& M) { return convert_values<T>(host, M, -1.0); };
  const Seen expected = look(A);
  const Seen actual = look(negative(A));
  EXPECT_EQ(actual.residual_history, expected.residual_history);
  for (std::size_t i = 0; i < expected.x.size(); ++i) {
    EXPECT_EQ(actual.x[i], -expected.x[i]);
    EXPECT_EQ(actual.z[i], -expected.z[i]);
  }
  EXPECT_TRUE(reference::identical(actual.finest, negative(A)));
  EXPECT_TRUE(reference::identical(actual.coarse, negative(expected.coarse)));
  EXPECT_TRUE(reference::identical(actual.P, expected.P));
}

TYPED_TEST(NonsymmetricInDouble, ADiagonalOfBothSignsIsNamed) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto message = [&](const std::vector<reference::Entry>& entries) {
    try {
      solve<double>(ctx, reference::matrix_from_entries<double>(host, 3, 3, entries), {});
    } catch (const BreakdownError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({{0, 0, 4}, {0, 1, 1}, {1, 0, 1}, {1, 1, -2}, {2, 2, 1}}).substr(0, 99),
            "the matrix is not positive definite: row 2 has the diagonal entry -2 and row 1 has the diagonal ent");
  EXPECT_NE(message({{0, 0, 4}, {0, 1, 1}, {1, 0, -1}, {2, 1, 1}, {1, 2, 5}, {2, 2, 1}}).find("permute"),
            std::string::npos);
}

TYPED_TEST(NonsymmetricInDouble, GmresTakesAnIndefiniteMatrix) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // Poisson's equation shifted past its lowest eigenvalue, 2 π² h².
  auto A = generate_matrix<double>(host, reference::poisson(reference::grid({40, 40}), Discretization::fd));
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    for (auto k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
      if (A.col_indices[static_cast<std::size_t>(k)] == static_cast<Index>(i)) {
        A.values[static_cast<std::size_t>(k)] -= 0.02;
      }
    }
  }
  AmgOptions amg;
  amg.coarse_size = 50;
  EXPECT_THROW(solve<double>(ctx, A, {}, amg), BreakdownError);
  for (const Method method : {Method::gmres, Method::fgmres, Method::bicgstab}) {
    SolverOptions options;
    options.method = method;
    const SolveResult result = solve<double>(ctx, A, options, amg);
    EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
    EXPECT_LE(result.iterations, 30);
  }
}

/// Volumes of cells, lumped masses, rows of boundary values: what programs make of symmetric matrices.
TYPED_TEST(NonsymmetricInDouble, EquationsOfAnySizeConvergeAsTheSymmetricOnesDo) {
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto L = generate_matrix<double>(host, reference::poisson(reference::grid({60, 50}), Discretization::fd));
  AmgOptions amg;
  amg.coarse_size = 50;
  const int symmetric = solve<double>(ctx, L, {}, amg).iterations;
  for (const double spread : {0.5, 2.0, 6.0}) {
    const auto logarithms = reference::random_values<double>(static_cast<std::size_t>(L.rows), 3);
    const auto A = reference::changed_entries<double>(host, L, [&](Index i, Index, double value) {
      return value * std::exp2(spread * logarithms[static_cast<std::size_t>(i)]);
    });
    const SolveResult result = solve<double>(ctx, A, {}, amg);
    EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
    EXPECT_LE(result.iterations, symmetric + 2) << spread;
    for (const Reuse reuse : {Reuse::hierarchy, Reuse::pattern}) {
      AmgSolver<double, typename TypeParam::Space> solver(amg, {.reuse = reuse});
      solver.setup(ctx, reference::upload(ctx, borrow(A)));
      solver.update_values(ctx, reference::upload(ctx, borrow(A)));
      MultiVector<double, typename TypeParam::Space> b(ctx, A.rows);
      MultiVector<double, typename TypeParam::Space> x(ctx, A.rows);
      fill<double>(ctx, 1.0, b);
      fill<double>(ctx, 0.0, x);
      EXPECT_LE(solver.solve(ctx, std::as_const(b), x).iterations, symmetric + 3) << spread;
    }
  }
  for (const double diagonal : {1e-8, 1e-2, 1e4}) {
    const auto A = reference::changed_entries<double>(host, L, [&](Index i, Index j, double value) {
      const bool is_fixed = i % 60 == 20 || i % 11 == 3;
      return !is_fixed ? value : i == j ? diagonal : 0.0;
    });
    std::vector<double> x;
    AmgSolver<double, typename TypeParam::Space> solver(amg, {});
    solver.setup(ctx, reference::upload(ctx, borrow(A)));
    std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
    for (std::size_t i = 0; i < b.size(); ++i) {
      b[i] = A.row_offsets[i + 1] - A.row_offsets[i] == 1 ? diagonal * static_cast<double>(i % 3) : 1.0;
    }
    MultiVector<double, typename TypeParam::Space> solution = reference::upload(ctx, std::vector<double>(b.size()));
    const SolveResult result = solver.solve(ctx, reference::upload(ctx, b).view(), solution);
    EXPECT_LE(result.reason, StopReason::attained) << describe(result.reason);
    EXPECT_LE(result.iterations, symmetric + 3) << diagonal;
  }
}

TEST(DenseLu, PivotsAndLeavesOutWhatVanishes) {
  Context<Host> ctx;
  // No diagonal entry is a pivot; the last two rows are alike.
  const auto A = reference::matrix_from_entries<double>(
      ctx, 4, 4, {{0, 1, 3}, {0, 2, 1}, {1, 0, 1e6}, {2, 3, 2}, {2, 0, 1}, {3, 3, 4}, {3, 0, 2}});
  const DenseLu lu(ctx, A, 1e-12);
  EXPECT_EQ(lu.nullity(), 1);
  const Eigen::Vector4d y(1, 2, 0, 5);
  Eigen::Matrix4d dense = Eigen::Matrix4d::Zero();
  dense << 0, 3, 1, 0, 1e6, 0, 0, 0, 1, 0, 0, 2, 2, 0, 0, 4;
  const Eigen::Vector4d b = dense * y;
  Eigen::Vector4d x = b;
  lu.solve(x.data(), 1);
  EXPECT_LE((dense * x - b).cwiseAbs().maxCoeff(), 1e-9);
  const auto regular = reference::matrix_from_entries<double>(ctx, 2, 2, {{0, 1, 4}, {1, 0, 2}, {1, 1, 1}});
  EXPECT_EQ(DenseLu(ctx, regular, 1e-12).inverse(), (std::vector<double>{-0.125, 0.5, 0.25, 0.0}));
}

/// Diffusion and an upwind transport by (3, 1) on a torus: constants are the null space of A and of its transpose. Rows
/// are multiplied by factor(row).
template <class Factor>
CsrMatrix<double, Host> transport_on_a_torus(Context<Host>& host, Index n, const Factor& factor) {
  std::vector<reference::Entry> entries;
  const auto at = [&](Index i, Index j) { return (i + n) % n * n + (j + n) % n; };
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const Index row = at(i, j);
      const double f = factor(row);
      entries.push_back({row, row, 8.0 * f});
      entries.push_back({row, at(i, j - 1), -4.0 * f});
      entries.push_back({row, at(i - 1, j), -2.0 * f});
      entries.push_back({row, at(i, j + 1), -1.0 * f});
      entries.push_back({row, at(i + 1, j), -1.0 * f});
    }
  }
  return reference::matrix_from_entries<double>(host, n * n, n * n, std::move(entries));
}

bool says(const Profile& profile, const char* words) {
  for (const auto& node : profile.nodes()) {
    for (const std::string& note : node.notes) {
      if (note.find(words) != std::string::npos) {
        return true;
      }
    }
  }
  return false;
}

TYPED_TEST(NonsymmetricInDouble, ASingularOneTakesAnyRightHandSideWhereItsColumnsSumToZeroToo) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = transport_on_a_torus(host, 60, [](Index) { return 1.0; });
  AmgSolver<double, S> solver({}, {});
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  EXPECT_TRUE(says(ctx.profile(), "singular: 1 null vector, "));
  // The part out of the range of A is 1, of norm 60, beside one of mean zero.
  std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] += i % 2 == 0 ? 1.0 : -1.0;
  }
  MultiVector<double, S> x(ctx, A.rows);
  fill<double>(ctx, 0.0, x);
  const SolveResult result = solver.solve(ctx, reference::upload(ctx, b).view(), x);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  EXPECT_LE(result.iterations, 40);
  EXPECT_NEAR(result.outside_range, std::sqrt(0.5), 1e-12);
  double sum = 0.0;
  double size = 0.0;
  for (const double value : reference::download(ctx, x)) {
    sum += value;
    size += std::abs(value);
  }
  EXPECT_GT(size, 0.0);
  EXPECT_LT(std::abs(sum), 1e-12 * size);
}

// Two of them side by side, with a stored zero between them that has no mirror.
TYPED_TEST(NonsymmetricInDouble, ASingularOneOfTwoComponentsIsNotJoinedByAStoredZero) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto torus = transport_on_a_torus(host, 30, [](Index) { return 1.0; });
  const Index n = torus.rows;
  Offset count = 1;
  std::string entries = format_text("{} 7 0\n", n + 40);
  for (const Index first : {0, n}) {
    for (Index i = 0; i < n; ++i) {
      for (auto k = static_cast<std::size_t>(torus.row_offsets[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(torus.row_offsets[static_cast<std::size_t>(i) + 1]); ++k) {
        entries += format_text("{} {} {}\n", first + i + 1, first + torus.col_indices[k] + 1, torus.values[k]);
        ++count;
      }
    }
  }
  const auto A = parse_matrix_market<double>(
      host, format_text("%%MatrixMarket matrix coordinate real general\n{0} {0} {1}\n{2}", 2 * n, count, entries),
      "A.mtx");
  AmgSolver<double, S> solver({}, {});
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  EXPECT_TRUE(says(ctx.profile(), "singular: 2 null vectors, in 2 of 2 components"));
  std::vector<double> b(static_cast<std::size_t>(A.rows));
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = (i % 7 == 0 ? 1.0 : 0.0) + (i < b.size() / 2 ? 1.0 : -2.0);
  }
  MultiVector<double, S> x(ctx, A.rows);
  fill<double>(ctx, 0.0, x);
  const SolveResult result = solver.solve(ctx, reference::upload(ctx, b).view(), x);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  EXPECT_LE(result.iterations, 40);
}

// Columns that sum to zero and rows that do not, as of transport with what is conserved in the unknowns.
TYPED_TEST(NonsymmetricInDouble, ASingularOneTakesAnyRightHandSideWhereItsColumnsAloneSumToZero) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const Index n = 30;
  const auto A = transpose(host, transport_on_a_torus(host, n, [](Index row) { return 1.0 + 0.25 * (row % 2); }));
  AmgSolver<double, S> solver({}, {});
  const CsrMatrix<double, S> there = reference::upload(ctx, borrow(A));
  solver.setup(ctx, borrow(there));
  EXPECT_TRUE(says(ctx.profile(), "singular: 1 null vector, "));
  std::vector<double> b(static_cast<std::size_t>(A.rows));
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = 3.0 + (i % 7 == 0 ? 4.0 : -1.0);
  }
  const std::vector<double> mean(b.size(), std::accumulate(b.begin(), b.end(), 0.0) / static_cast<double>(b.size()));
  MultiVector<double, S> x(ctx, A.rows);
  fill<double>(ctx, 0.0, x);
  const SolveResult result = solver.solve(ctx, reference::upload(ctx, b).view(), x);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  double norm = 0.0;
  for (const double value : b) {
    norm += value * value;
  }
  EXPECT_NEAR(result.outside_range, mean.front() * n / std::sqrt(norm), 1e-12);
  // What is solved is b without its mean, and that alone.
  const auto product = reference::naive_spmv<double>(A, reference::download(ctx, x), 1);
  double rest = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double r = b[i] - mean[i] - product.values[i];
    rest += r * r;
  }
  EXPECT_LE(std::sqrt(rest), 1e-8 * std::sqrt(norm));
}

// Rows that sum to zero and columns that do not: the left null vector is 1 over what multiplies the rows.
TYPED_TEST(NonsymmetricInDouble, ASingularOneTakesAnyRightHandSideWhereItsRowsAloneSumToZero) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const Index n = 60;
  const auto factor = [](Index row) { return 1.0 + row % 10; };
  const auto A = transport_on_a_torus(host, n, factor);
  const CsrMatrix<double, S> there = reference::upload(ctx, borrow(A));
  AmgSolver<double, S> solver({}, {});
  solver.setup(ctx, borrow(there));
  EXPECT_TRUE(says(ctx.profile(), "singular: 1 null vector, in 1 of 1 component"));
  std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  double product = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] += 0.5 * std::sin(static_cast<double>(i));
    product += b[i] / factor(static_cast<Index>(i));
    square += 1.0 / std::pow(factor(static_cast<Index>(i)), 2);
  }
  const auto norm = [](const std::vector<double>& v) {
    return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
  };
  MultiVector<double, S> x(ctx, A.rows);
  fill<double>(ctx, 0.0, x);
  const SolveResult result = solver.solve(ctx, reference::upload(ctx, b).view(), x);
  EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
  EXPECT_LE(result.iterations, 40);
  EXPECT_NEAR(result.outside_range, std::abs(product) / std::sqrt(square) / norm(b), 1e-9);
  // What is solved is b without its part in the left null vector.
  const auto image = reference::naive_spmv<double>(A, reference::download(ctx, x), 1);
  std::vector<double> rest(b);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    rest[i] -= product / square / factor(static_cast<Index>(i)) + image.values[i];
  }
  EXPECT_LE(norm(rest), 2e-8 * norm(b));
}

// Rows that differ by twelve orders of magnitude.
TYPED_TEST(NonsymmetricInDouble, ASingularOneWhoseLeftNullVectorIsNotFoundIsToldOf) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto A = transport_on_a_torus(host, 60, [](Index row) { return std::pow(10.0, row % 13 - 6.0); });
  AmgSolver<double, S> solver({}, {});
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  EXPECT_TRUE(says(ctx.profile(), "was not found"));
  MultiVector<double, S> b(ctx, A.rows);
  MultiVector<double, S> x(ctx, A.rows);
  fill<double>(ctx, 1.0, b);
  fill<double>(ctx, 0.0, x);
  EXPECT_EQ(solver.solve(ctx, std::as_const(b), x, {.max_iterations = 60}).reason, StopReason::singular);
  // Of a matrix that another hierarchy is used for nothing is known.
  const FormProduct<double, S> identity = [](Context<S>& c, MultiVectorView<const double, S> X,
                                             MultiVectorView<double, S> Y) { copy<double, double>(c, X, Y); };
  fill<double>(ctx, 0.0, x);
  EXPECT_EQ(solver.solve(ctx, std::as_const(b), x, {.max_iterations = 1, .product = identity}).reason,
            StopReason::max_iterations);
}

// Neither null vector is known: an x that grows until its residual is at rounding level shows what A is.
TYPED_TEST(NonsymmetricInDouble, OneThatIsSingularWithoutConstantsIsToldOf) {
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  for (const double length : {190.0, 200.0, 210.0}) {
    auto A = transport_on_a_torus(host, 60, [length](Index row) { return std::exp(std::sin(row / length)); });
    for (std::size_t k = 0; k < A.values.size(); ++k) {
      A.values[k] *= std::exp(std::cos(A.col_indices[k] / 300.0));
    }
    const SolveResult result = solve<double>(ctx, A, {.max_iterations = 1000});
    EXPECT_EQ(result.reason, StopReason::singular) << result.relative_residual << " " << result.backward_error;
  }
}

}  // namespace
}  // namespace amgsolve
