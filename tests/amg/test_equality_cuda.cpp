#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "amg/aggregate_nodes.hpp"
#include "amg/amalgamation.hpp"
#include "amg/block_size.hpp"
#include "amg/constants_check.hpp"
#include "amg/prolongator.hpp"
#include "amg/relaxed_constants.hpp"
#include "amg/solver.hpp"
#include "amg/strength.hpp"
#include "problems/generate.hpp"
#include "problems/matrix_market.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "tests/reference/coarsening.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"

/// Host and device do the same, operation by operation and as a whole.
namespace amgsolve {
namespace {

class CudaMatchesHost : public reference::SpaceTest<Cuda> {};

std::vector<GeneratedProblem> problems() {
  std::vector<GeneratedProblem> all;
  for (const StructuredGrid& size : {reference::grid({61, 47}), reference::grid({19, 17, 14})}) {
    for (const Discretization discretization : {Discretization::fd, Discretization::q1}) {
      for (const int stencil : {0, size.dimensions == 2 ? 9 : 27}) {
        for (const Boundary boundary : {Boundary::dirichlet, Boundary::neumann, Boundary::periodic}) {
          GeneratedProblem problem = reference::poisson(size, discretization);
          problem.stencil = stencil;
          problem.boundary = boundary;
          all.push_back(problem);
        }
      }
      for (const CoefficientType type : {CoefficientType::constant, CoefficientType::checkerboard,
                                         CoefficientType::random, CoefficientType::inclusions}) {
        GeneratedProblem problem = reference::poisson(size, discretization);
        problem.pde = Pde::diffusion;
        problem.coefficient.type = type;
        if (discretization == Discretization::q1) {
          problem.anisotropy = {.epsilon = 1e-2, .angle = 30.0};
        }
        all.push_back(problem);
      }
    }
  }
  return all;
}

std::string describe(const GeneratedProblem& problem) {
  return std::string(to_string(problem.discretization)) + ", " + to_string(problem.boundary) + ", " +
         to_string(problem.coefficient.type) + ", " + std::to_string(problem.grid.dimensions) + "D, stencil " +
         std::to_string(problem.stencil);
}

template <class T, MemorySpace S>
std::vector<std::remove_const_t<T>> values_of(Context<S>& ctx, const Buffer<T, S>& buffer) {
  return reference::download(ctx, buffer.span());
}

/// Strength, aggregates, their nodes, and both prolongators for constant candidates: bit for bit.
template <class T>
void expect_same_coarsening(const CsrMatrix<T, Host>& A, Index block_size, double threshold) {
  Context<Host> host;
  Context<Cuda> ctx;
  const CsrMatrix<T, Cuda> A_there = upload(ctx, A);

  const auto norms = amalgamate(host, A, block_size);
  const auto norms_there = amalgamate(ctx, A_there, block_size);
  ASSERT_TRUE(reference::identical(download(ctx, host, norms_there), norms));
  const auto graph_of = [&]<MemorySpace S>(Context<S>& context, const CsrMatrix<T, S>& nodes) {
    Buffer<T, S> d(context, static_cast<std::size_t>(nodes.rows));
    extract_diagonal<T>(context, nodes, d);
    return strength_graph<T>(context, nodes, d, threshold);
  };
  const Graph<Host> strong = graph_of(host, norms);
  const Graph<Cuda> strong_there = graph_of(ctx, norms_there);
  ASSERT_EQ(values_of(ctx, strong_there.row_offsets), values_of(host, strong.row_offsets));
  ASSERT_EQ(values_of(ctx, strong_there.col_indices), values_of(host, strong.col_indices));

  for (const MisOrder order : {MisOrder::random, MisOrder::by_degree}) {
    for (const int passes : {2, 3}) {
      const Aggregates<Host> expected = aggregate(host, strong, passes, {}, order);
      const Aggregates<Cuda> there = aggregate(ctx, strong_there, passes, {}, order);
      ASSERT_EQ(there.count, expected.count);
      ASSERT_EQ(values_of(ctx, there.of_node), values_of(host, expected.of_node));
    }
  }
  const Aggregates<Host> aggregates = aggregate(host, strong);
  const Aggregates<Cuda> aggregates_there = aggregate(ctx, strong_there);
  ASSERT_EQ(aggregates_there.count, aggregates.count);
  ASSERT_EQ(values_of(ctx, aggregates_there.of_node), values_of(host, aggregates.of_node));
  const AggregateNodes<Host> grouped = aggregate_nodes(host, aggregates);
  const AggregateNodes<Cuda> grouped_there = aggregate_nodes(ctx, aggregates_there);
  ASSERT_EQ(values_of(ctx, grouped_there.offsets), values_of(host, grouped.offsets));
  ASSERT_EQ(values_of(ctx, grouped_there.nodes), values_of(host, grouped.nodes));

  MultiVector<T, Host> candidates(host, A.rows, block_size);
  MultiVector<T, Cuda> candidates_there(ctx, A.rows, block_size);
  fill_constant_candidates<T>(host, candidates);
  fill_constant_candidates<T>(ctx, candidates_there);
  const auto tentative = tentative_prolongator<T>(host, aggregates, block_size, std::as_const(candidates));
  const auto tentative_there =
      tentative_prolongator<T>(ctx, aggregates_there, block_size, std::as_const(candidates_there));
  EXPECT_EQ(reference::download(ctx, tentative_there.basis), reference::download(host, tentative.basis));
  EXPECT_EQ(reference::download(ctx, tentative_there.coarse_candidates),
            reference::download(host, tentative.coarse_candidates));
  for (const bool filter : {false, true}) {
    EXPECT_TRUE(reference::identical(
        download(ctx, host,
                 smoothed_prolongator<T>(ctx, A_there, filter ? &strong_there : nullptr, aggregates_there, block_size,
                                         tentative_there, T(0.6))),
        smoothed_prolongator<T>(host, A, filter ? &strong : nullptr, aggregates, block_size, tentative, T(0.6))));
  }
}

TEST_F(CudaMatchesHost, InCoarseningEveryGeneratedProblem) {
  Context<Host> host;
  for (const GeneratedProblem& problem : problems()) {
    SCOPED_TRACE(describe(problem));
    for (const double threshold : {0.0, 0.02, 0.25}) {
      expect_same_coarsening(generate_matrix<double>(host, problem), 1, threshold);
      expect_same_coarsening(generate_matrix<float>(host, problem), 1, threshold);
    }
  }
}

TEST_F(CudaMatchesHost, InScaledConstants) {
  Context<Host> host;
  Context<Cuda> ctx;
  GeneratedProblem problem = reference::poisson(reference::grid({61, 47}), Discretization::q1);
  for (const Pde pde : {Pde::poisson, Pde::elasticity}) {
    problem.pde = pde;
    const Index block_size = pde == Pde::elasticity ? 2 : 1;
    const auto A = reference::in_units(generate_matrix<double>(host, problem),
                                       [](Index i) { return std::pow(10.0, i % 7 - 3.0); });
    const auto A_there = upload(ctx, A);
    MultiVector<double, Host> constants(host, A.rows, block_size);
    MultiVector<double, Cuda> constants_there(ctx, A.rows, block_size);
    fill_constant_candidates<double>(host, constants);
    fill_constant_candidates<double>(ctx, constants_there);
    Buffer<double, Host> scales(host, static_cast<std::size_t>(A.rows));
    const RowMagnitudes magnitudes = scale_by_rows<double>(host, A, scales);
    const auto expected = scaled_constants(host, A, magnitudes, constants);
    const auto there = scaled_constants(ctx, A_there, magnitudes, constants_there);
    ASSERT_TRUE(expected && there);
    EXPECT_EQ(reference::download(ctx, *there), reference::download(host, *expected));
    EXPECT_EQ(find_block_size(host, A, magnitudes), block_size);
    EXPECT_EQ(find_block_size(ctx, A_there, magnitudes), block_size);
  }
}

TEST_F(CudaMatchesHost, InRelaxedConstants) {
  Context<Host> host;
  Context<Cuda> ctx;
  const auto A = reference::in_units(
      generate_matrix<double>(host, reference::poisson(reference::grid({61, 47}), Discretization::q1)),
      [](Index i) { return 0.5 + i * 37 % 101 / 101.0; });
  MultiVector<double, Host> constants(host, A.rows, 1);
  MultiVector<double, Cuda> constants_there(ctx, A.rows, 1);
  fill<double>(host, 1.0, constants);
  fill<double>(ctx, 1.0, constants_there);
  const auto expected = relaxed_constants(host, A, constants);
  const auto there = relaxed_constants(ctx, upload(ctx, A), constants_there);
  ASSERT_TRUE(expected && there);
  EXPECT_EQ(there->relaxation.products, expected->relaxation.products);
  EXPECT_EQ(there->relaxation.image_before, expected->relaxation.image_before);
  // Rows and sums are added up in other orders, which the radius and 64 products carry on.
  const std::vector<double> x = reference::download(ctx, there->vectors);
  const std::vector<double> y = reference::download(host, expected->vectors);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(x[i], y[i], 1e-10);
  }
}

TEST_F(CudaMatchesHost, InCoarseningBlocks) {
  Context<Host> host;
  for (const Index block_size : {2, 3, 6}) {
    expect_same_coarsening(reference::random_spd_matrix<double>(host, block_size * 500, 9, 4), block_size, 0.02);
    expect_same_coarsening(reference::random_spd_matrix<float>(host, block_size * 500, 9, 4), block_size, 0.02);
  }
}

/// A chain with one long row, which a sample of the rows of P may miss.
template <class T>
CsrMatrix<T, Host> chain_with_hub(Context<Host>& host, Index n, Index hub) {
  std::vector<reference::Entry> entries;
  const auto join = [&](Index i, Index j) {
    entries.push_back({i, j, -1.0});
    entries.push_back({j, i, -1.0});
  };
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, i == hub ? 100.0 : 3.0});
    if (i > 0) {
      join(i - 1, i);
    }
  }
  for (Index other = hub + 50; other < hub + 2000; other += 50) {
    join(hub, other);
  }
  return reference::matrix_from_entries<T>(host, n, n, entries);
}

TEST_F(CudaMatchesHost, WhereASampleMissesTheLongRow) {
  Context<Host> host;
  // One of every three neighbours is among the 4096 rows that the device looks at before it forms P.
  for (const Index hub : {6000, 6001, 6002}) {
    expect_same_coarsening(chain_with_hub<double>(host, 3 * 4096, hub), 1, 0.0);
    expect_same_coarsening(chain_with_hub<float>(host, 3 * 4096, hub), 1, 0.0);
  }
}

/// A generated problem solved in one memory space.
template <class T>
struct Run {
  HierarchySummary hierarchy;
  SolveResult result;
  std::vector<T> x;
};

template <class T, MemorySpace S>
Run<T> run(Context<S>& ctx, const CsrMatrix<T, Host>& A, const AmgOptions& amg, const SolverOptions& options) {
  AmgSolver<T, S> solver(amg, options);
  solver.setup(ctx, reference::upload(ctx, borrow(A)));
  MultiVector<T, S> b(ctx, A.rows);
  MultiVector<T, S> x(ctx, A.rows);
  fill<T>(ctx, T{1}, b);
  fill<T>(ctx, T{0}, x);
  Run<T> run;
  run.result = solver.solve(ctx, std::as_const(b), x);
  run.hierarchy = solver.summary();
  run.x = reference::download(ctx, x);
  return run;
}

/// The same hierarchy, the same iterations within one, and solutions that differ by what the tolerance leaves open.
/// @param condition  of A, or an upper bound
template <class T>
void expect_same_solve(const CsrMatrix<T, Host>& A, double condition, Precision precision = Precision::same) {
  Context<Host> host;
  Context<Cuda> ctx;
  AmgOptions amg;
  amg.coarse_size = 100;
  amg.precision = precision;
  SolverOptions options;
  options.tolerance = sizeof(T) == sizeof(double) ? 1e-8 : 1e-5;
  const Run<T> expected = run<T>(host, A, amg, options);
  const Run<T> there = run<T>(ctx, A, amg, options);
  ASSERT_EQ(there.hierarchy.levels.size(), expected.hierarchy.levels.size());
  for (std::size_t l = 0; l < expected.hierarchy.levels.size(); ++l) {
    EXPECT_EQ(there.hierarchy.levels[l].rows, expected.hierarchy.levels[l].rows) << "level " << l;
    EXPECT_EQ(there.hierarchy.levels[l].nnz, expected.hierarchy.levels[l].nnz) << "level " << l;
    EXPECT_EQ(there.hierarchy.levels[l].aggregates, expected.hierarchy.levels[l].aggregates) << "level " << l;
  }
  EXPECT_EQ(there.result.reason, expected.result.reason);
  // Rounding errors, which differ in the order of sums, grow with the iterations that a bad coefficient takes.
  EXPECT_NEAR(there.result.iterations, expected.result.iterations, std::max(1, expected.result.iterations / 20));
  double difference = 0.0;
  double norm = 0.0;
  for (std::size_t i = 0; i < expected.x.size(); ++i) {
    const double distance = static_cast<double>(there.x[i]) - static_cast<double>(expected.x[i]);
    difference += distance * distance;
    norm += static_cast<double>(expected.x[i]) * static_cast<double>(expected.x[i]);
  }
  EXPECT_LE(std::sqrt(difference), 2 * *options.tolerance * condition * std::sqrt(norm));
}

TEST_F(CudaMatchesHost, InSolvingEveryGeneratedProblem) {
  Context<Host> host;
  for (const GeneratedProblem& problem : problems()) {
    if (problem.is_singular()) {
      continue;
    }
    SCOPED_TRACE(describe(problem));
    // Some n² for the Laplacian, times the contrast of the coefficient.
    const double contrast = problem.coefficient.type == CoefficientType::constant
                                ? 1.0
                                : problem.coefficient.high / problem.coefficient.low;
    const double condition = 4000.0 * contrast / problem.anisotropy.epsilon;
    expect_same_solve(generate_matrix<double>(host, problem), condition);
    expect_same_solve(generate_matrix<double>(host, problem), condition, Precision::mixed);
  }
}

TEST_F(CudaMatchesHost, InSinglePrecision) {
  Context<Host> host;
  expect_same_solve(generate_matrix<float>(host, reference::poisson(reference::grid({60, 50}), Discretization::fd)),
                    2000.0);
}

class CudaMatchesHostOn : public CudaMatchesHost, public ::testing::WithParamInterface<const char*> {};

TEST_P(CudaMatchesHostOn, RealMatrices) {
  const auto file = std::filesystem::path(AMGSOLVE_DATA_DIR) / (std::string(GetParam()) + ".mtx.xz");
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << file << " is absent; set AMGSOLVE_DATA_DIR to the folder of the real matrices";
  }
  Context<Host> host;
  const auto A = read_matrix_market<double>(host, file);
  for (const double threshold : {0.0, 0.02, 0.25}) {
    expect_same_coarsening(A, 1, threshold);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CudaMatchesHostOn,
                         ::testing::Values("1138_bus", "494_bus", "G2_circuit", "Poisson4k", "amgjl_lin_elastic_2d",
                                           "bcsstk16", "bcsstk17", "bodyy5", "crystm02", "cvxbqp1",
                                           "dc_case_ACTIVSg10k", "fv1", "gridgena", "hypre_beam_tet_dof2475",
                                           "hypre_tucker21935", "jnlbrng1", "nos3"),
                         [](const auto& matrix) { return std::string("Matrix_") + matrix.param; });

}  // namespace
}  // namespace amgsolve
