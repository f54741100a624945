#include "src/library/matrix_advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "amg/solver.hpp"
#include "core/errors.hpp"
#include "core/hash.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "problems/matrix_market.hpp"
#include "problems/vector_file.hpp"
#include "spmv/blas1.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "src/library/configuration.hpp"
#include "src/library/report.hpp"
#include "src/library/schema.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using testing::HasSubstr;

std::filesystem::path data_file(const std::string& name) {
  return std::filesystem::path(AMGSOLVE_DATA_DIR) / (name + ".mtx.xz");
}

/// Follows "key=value".
void follow(Configuration& configuration, const std::string& setting) {
  const Schema schema(library_entries(configuration));
  const std::size_t equals = setting.find('=');
  const SchemaEntry* const entry = schema.find(setting.substr(0, equals));
  ASSERT_NE(entry, nullptr) << setting;
  entry->set(entry->parse(setting.substr(equals + 1)));
}

/// Of A x = 1; a refusal counts as not converged.
SolveResult solve(const CsrMatrix<double, Host>& A, const Configuration& configuration,
                  MultiVectorView<const double, Host> near_nullspace = {},
                  MultiVectorView<const double, Host> coordinates = {}) {
  Context<Host> ctx;
  AmgSolver<double, Host> solver(configuration.amg, configuration.solver);
  MultiVector<double, Host> b(ctx, A.rows);
  MultiVector<double, Host> x(ctx, A.rows);
  fill<double>(ctx, 1.0, b);
  fill<double>(ctx, 0.0, x);
  try {
    solver.setup(ctx, borrow(A), near_nullspace, coordinates);
  } catch (const InputError&) {
    return {};
  } catch (const BreakdownError&) {
    return {};
  }
  return solver.solve(ctx, std::as_const(b), x);
}

std::vector<Hint> hints(const CsrMatrix<double, Host>& A, const Configuration& configuration) {
  Context<Host> ctx;
  return hints_of(analyse_matrix<double>(ctx, A), configuration.amg, configuration.solver);
}

/// A − shift · diag(A).
CsrMatrix<double, Host> shifted(Context<Host>& ctx, const CsrMatrix<double, Host>& original, double shift) {
  CsrMatrix<double, Host> A = convert_values<double>(ctx, original);
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      A.values[k] *= A.col_indices[k] == static_cast<Index>(i) ? 1.0 - shift : 1.0;
    }
  }
  return A;
}

/// A matrix that does not converge before its first hint is followed, and does after.
void expect_that_the_first_hint_helps(const CsrMatrix<double, Host>& A, Configuration configuration) {
  EXPECT_GT(solve(A, configuration).reason, StopReason::attained);
  const std::vector<Hint> found = hints(A, configuration);
  ASSERT_FALSE(found.empty());
  SCOPED_TRACE(found.front().seen + ": " + found.front().what_to_do);
  ASSERT_FALSE(found.front().setting.empty());
  follow(configuration, found.front().setting);
  const SolveResult after = solve(A, configuration);
  EXPECT_LE(after.reason, StopReason::attained) << describe(after.reason);
  EXPECT_TRUE(hints(A, configuration).empty());
}

TEST(MatrixAdvice, NothingIsSaidOfWhatGoesWell) {
  Context<Host> ctx;
  for (const Discretization discretization : {Discretization::fd, Discretization::q1}) {
    const auto A = generate_matrix<double>(ctx, reference::poisson(reference::grid({40, 40}), discretization));
    EXPECT_TRUE(hints(A, {}).empty());
  }
}

TEST(MatrixAdvice, HelpsOnGeneratedMatrices) {
  Context<Host> ctx;
  const auto A = generate_matrix<double>(ctx, reference::poisson(reference::grid({60, 60}), Discretization::fd));
  {
    SCOPED_TRACE("a few negative eigenvalues");
    expect_that_the_first_hint_helps(shifted(ctx, A, 0.005), {});
  }
  {
    SCOPED_TRACE("a diagonal of both signs");
    auto both = convert_values<double>(ctx, A);
    for (std::size_t i = 0; i < static_cast<std::size_t>(both.rows); i += 50) {
      for (auto k = static_cast<std::size_t>(both.row_offsets[i]);
           k < static_cast<std::size_t>(both.row_offsets[i + 1]); ++k) {
        both.values[k] *= both.col_indices[k] == static_cast<Index>(i) ? -1.0 : 1.0;
      }
    }
    expect_that_the_first_hint_helps(both, {});
  }
  {
    SCOPED_TRACE("a diagonal that is zero in places, and not stored there");
    std::vector<reference::Entry> entries;
    for (Index i = 0; i < A.rows; ++i) {
      for (auto k = static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i) + 1]); ++k) {
        if (A.col_indices[k] != i || i % 50 != 0) {
          entries.push_back({i, A.col_indices[k], A.values[k]});
        }
      }
    }
    expect_that_the_first_hint_helps(reference::matrix_from_entries<double>(ctx, A.rows, A.rows, entries), {});
  }
  {
    SCOPED_TRACE("not symmetric");
    GeneratedProblem convection = reference::poisson(reference::grid({40, 40}), Discretization::fd);
    convection.pde = Pde::convection_diffusion;
    convection.peclet = 100.0;
    Configuration configuration;
    configuration.solver.method = Method::cg;
    expect_that_the_first_hint_helps(generate_matrix<double>(ctx, convection), configuration);
  }
}

TEST(MatrixAdvice, NamesTheNumberingAndTheOrderOfCoordinates) {
  Context<Host> ctx;
  GeneratedProblem body = reference::poisson(reference::grid({10, 11, 11}), Discretization::q1);
  body.pde = Pde::elasticity;
  body.boundary = Boundary::clamped_face;
  const auto by_node = generate_matrix<double>(ctx, body);
  MultiVector<double, Host> coordinates(ctx, by_node.rows / 3, 3);
  grid_coordinates(ctx, body, coordinates.view());
  const auto hints_with = [&](const CsrMatrix<double, Host>& A, const Configuration& configuration) {
    return hints_of(analyse_matrix<double>(ctx, A, configuration.amg, {}, coordinates), configuration.amg,
                    configuration.solver);
  };
  EXPECT_TRUE(hints_with(by_node, {}).empty());
  const auto by_field = reference::by_field(ctx, by_node, 3);
  Configuration configuration;
  const std::vector<Hint> found = hints_with(by_field, configuration);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found.front().seen, HasSubstr("A takes the constants of 3 unknowns a node far from zero in"));
  EXPECT_THAT(found.front().seen, HasSubstr("where it is numbered field by field"));
  EXPECT_EQ(found.front().what_to_do, "try 'amg.unknowns' by_field");
  const int before = solve(by_field, configuration, {}, coordinates).iterations;
  follow(configuration, found.front().setting);
  // Wrong ones are relaxed, which makes up for a part of it.
  EXPECT_LT(solve(by_field, configuration, {}, coordinates).iterations, before);
  EXPECT_TRUE(hints_with(by_field, configuration).empty());
  const std::vector<Hint> the_other_way = hints_with(by_node, configuration);
  ASSERT_EQ(the_other_way.size(), 1U);
  EXPECT_EQ(the_other_way.front().setting, "amg.unknowns=by_node");
  const std::vector<double> in_order(coordinates.data(), coordinates.data() + coordinates.size());
  for (Index node = 0; node < coordinates.rows(); ++node) {
    const Index other = 7 * node % coordinates.rows();  // 7 and 1210 have no common factor
    std::copy_n(in_order.begin() + 3 * other, 3, coordinates.data() + 3 * node);
  }
  const std::vector<Hint> in_other_order = hints_with(by_node, {});
  ASSERT_EQ(in_other_order.size(), 1U);
  EXPECT_THAT(in_other_order.front().seen, HasSubstr("but rotations about the coordinates' centre far from it"));
  EXPECT_THAT(in_other_order.front().what_to_do, HasSubstr("give the coordinates in the order of the nodes' rows"));
}

TEST(MatrixAdvice, AfterASlowSolveWithCandidatesTellsWhetherTheyAreAtFault) {
  ConstantsCheck seen{.defect = 0.1, .scaled_defect = 0.1, .block_size = 3, .node_size = 3};
  seen.modes.modes = Modes::of_coordinates;
  EXPECT_EQ(hint_of_slow_solve(seen).seen,
            "A takes the rigid-body modes of the coordinates nearly to zero in most rows, so it is not that");
  EXPECT_EQ(hint_of_slow_solve(seen).setting, "amg.smoother.type=block_chebyshev");
  seen.modes.of_vectors.share = 0.9;
  EXPECT_THAT(hint_of_slow_solve(seen).what_to_do, HasSubstr("in the order of the nodes' rows"));
  seen.modes.of_constants.share = 0.9;
  EXPECT_THAT(hint_of_slow_solve(seen).seen, HasSubstr("neither the constants nor the rigid-body modes"));
  seen.modes.modes = Modes::given;
  EXPECT_EQ(hint_of_slow_solve(seen).seen,
            "A takes the near-nullspace that was given far from zero in 90 % of the rows");
  seen.modes.of_constants.otherwise = 0.1;
  EXPECT_EQ(hint_of_slow_solve(seen).setting, "amg.unknowns=by_field");
  const ConstantsCheck of_single_unknowns{
      .defect = 0.1, .scaled_defect = 0.1, .node_size = 3, .modes = {.modes = Modes::given}};
  EXPECT_EQ(hint_of_slow_solve(of_single_unknowns).setting, "amg.block_size=3");
}

TEST(MatrixAdvice, IsNotWhatIsDoneAlready) {
  ConstantsCheck seen{.defect = 0.8, .scaled_defect = 0.1};
  EXPECT_THAT(hint_of_slow_solve(seen).what_to_do, HasSubstr("scale rows and columns by 1 / sqrt(a_ii)"));
  seen.modes.modes = Modes::scaled_constants;
  EXPECT_FALSE(hint_of_candidates(seen).has_value());
  EXPECT_EQ(hint_of_slow_solve(seen).seen,
            "A takes the constants times 1 / sqrt(a_ii) nearly to zero, but they may not be all of its near-nullspace");
  seen.scaled_defect = 0.3;
  EXPECT_EQ(hint_of_slow_solve(seen).seen,
            "B = 1 / sqrt(a_ii) stands for a near-nullspace, but |A B| is 30 % of |A| |B|");
  seen.modes = {.modes = Modes::relaxed_constants, .relaxation = {64, 0.9, 0.2}};
  EXPECT_FALSE(hint_of_candidates(seen).has_value());
  EXPECT_EQ(hint_of_slow_solve(seen).seen,
            "relaxed constants B stand for a near-nullspace, but |A B| is 20 % of |A| |B| on average");
  seen.modes.relaxation.image = 0.01;
  EXPECT_EQ(hint_of_slow_solve(seen).seen,
            "A takes constants that were relaxed nearly to zero, but they may not be all of its near-nullspace");
  Context<Host> ctx;
  const auto A = reference::in_units(
      generate_matrix<double>(ctx, reference::poisson(reference::grid({40, 40}), Discretization::fd)),
      [](Index i) { return i % 3 == 0 ? 100.0 : 1.0; });
  const MatrixAnalysis analysis = analyse_matrix<double>(ctx, A);
  EXPECT_TRUE(hints(A, {}).empty());
  EXPECT_THAT(analysis_text(analysis, {}), HasSubstr("which is taken for the near-nullspace"));
  EXPECT_THAT(analysis_json(analysis, {}).dump(), HasSubstr(R"("relaxed_constants_image": null)"));
  GeneratedProblem jumps = reference::poisson(reference::grid({40, 40}), Discretization::fd);
  jumps.pde = Pde::diffusion;
  jumps.coefficient.type = CoefficientType::checkerboard;
  jumps.coefficient.block = 4;
  jumps.coefficient.high = 1e4;
  const auto in_units =
      reference::in_units(generate_matrix<double>(ctx, jumps), [](Index i) { return i % 3 == 0 ? 100.0 : 1.0; });
  const MatrixAnalysis of_relaxed = analyse_matrix<double>(ctx, in_units);
  EXPECT_TRUE(hints(in_units, {}).empty());
  EXPECT_THAT(analysis_text(of_relaxed, {}), HasSubstr("products have relaxed"));
  EXPECT_THAT(analysis_json(of_relaxed, {}).dump(), HasSubstr(R"("relaxed_constants_image": 0.0)"));
}

class RealMatrixAdvice : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data_file("pyamg_bar"))) {
      GTEST_SKIP() << data_file("pyamg_bar") << " is absent; set AMGSOLVE_DATA_DIR to the folder of the real matrices";
    }
  }

  CsrMatrix<double, Host> read(const char* name) { return read_matrix_market<double>(ctx_, data_file(name)); }

  Context<Host> ctx_;
};

TEST_F(RealMatrixAdvice, HelpsWhereTheMatrixIsNotForTheMethod) {
  Configuration with_cg;
  with_cg.solver.method = Method::cg;
  expect_that_the_first_hint_helps(read("memplus"), with_cg);
  // Past some of its eigenvalues.
  for (const char* const name : {"Poisson4k", "pyamg_airfoil"}) {
    const CsrMatrix<double, Host> A = read(name);
    const MatrixAnalysis seen = analyse_matrix<double>(ctx_, A);
    ASSERT_TRUE(seen.ritz);
    expect_that_the_first_hint_helps(shifted(ctx_, A, 1.2 * seen.ritz->smallest), {});
  }
}

TEST_F(RealMatrixAdvice, SolvesDirectlyWhereTheDiagonalIsNotForSmoothing) {
  for (const char* const name : {"rdist2", "west2021", "cavity10", "mcfe", "adder_dcop_32"}) {
    SCOPED_TRACE(name);
    const CsrMatrix<double, Host> A = read(name);
    Configuration configuration;
    const std::vector<Hint> found = hints(A, configuration);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_THAT(found.front().what_to_do,
                HasSubstr("'solver.method' gmres and 'amg.coarse_size' " + std::to_string(A.rows)));
    Context<Host> ctx;
    try {
      AmgSolver<double, Host>(configuration.amg, configuration.solver).setup(ctx, borrow(A));
      ADD_FAILURE() << "not refused";
    } catch (const BreakdownError& error) {
      EXPECT_THAT(error.what(), HasSubstr("'amg.coarse_size' " + std::to_string(A.rows)));
    }
    follow(configuration, "solver.method=gmres");
    follow(configuration, "amg.coarse_size=" + std::to_string(A.rows));
    EXPECT_LE(solve(A, configuration).reason, StopReason::attained);
    EXPECT_TRUE(hints(A, configuration).empty());
  }
}

TEST_F(RealMatrixAdvice, AsksForTheModesOfBodiesAndTheyHelp) {
  const CsrMatrix<double, Host> A = read("pyamg_bar");
  const std::vector<Hint> found = hints(A, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().seen, "there are 3 unknowns a node");
  EXPECT_THAT(found.front().what_to_do, HasSubstr("'problem.coordinates'"));
  const auto modes = read_vectors<double>(ctx_, data_file("pyamg_bar_B"));
  const SolveResult followed = solve(A, {}, modes.view());
  EXPECT_LE(followed.reason, StopReason::attained);
  EXPECT_LT(1.4 * followed.iterations, solve(A, {}).iterations);
  GeneratedProblem body = reference::poisson(reference::grid({12, 13, 13}), Discretization::q1);
  body.pde = Pde::elasticity;
  body.boundary = Boundary::clamped_face;
  const auto generated = generate_matrix<double>(ctx_, body);
  ASSERT_EQ(hints(generated, {}).size(), 1U);
  MultiVector<double, Host> coordinates(ctx_, generated.rows / 3, 3);
  grid_coordinates(ctx_, body, coordinates.view());
  const SolveResult with_coordinates = solve(generated, {}, {}, coordinates);
  EXPECT_LE(with_coordinates.reason, StopReason::attained);
  EXPECT_LT(1.4 * with_coordinates.iterations, solve(generated, {}).iterations);
  // Elements of a mesh in the plane whose rows only look like those of nodes.
  EXPECT_TRUE(hints(read("jnlbrng1"), {}).empty());
}

/// D A D for a D that goes from 1e-2 to 1e2 at random.
CsrMatrix<double, Host> badly_scaled(CsrMatrix<double, Host> A) {
  const auto d = [](std::size_t i) { return std::pow(10.0, static_cast<double>(hash64(i) % 401) / 100.0 - 2.0); };
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      A.values[k] *= d(i) * d(static_cast<std::size_t>(A.col_indices[k]));
    }
  }
  return A;
}

/// 1 / sqrt(a_ii)
MultiVector<double, Host> inverse_roots(Context<Host>& ctx, const CsrMatrix<double, Host>& A) {
  MultiVector<double, Host> roots(ctx, A.rows);
  extract_diagonal<double>(ctx, A, roots.view().span());
  for (double& root : roots.view().span()) {
    root = 1.0 / std::sqrt(root);
  }
  return roots;
}

// What helps is done: 1 / sqrt(a_ii) is the near-nullspace.
TEST_F(RealMatrixAdvice, ScalesNothingThatIsScaledAlready) {
  const auto scaling = [](const std::vector<Hint>& found) {
    return std::any_of(found.begin(), found.end(),
                       [](const Hint& hint) { return hint.what_to_do.find("scale rows") != std::string::npos; });
  };
  for (const char* const name : {"Poisson4k", "jnlbrng1", "1138_bus", "dc_case_ACTIVSg10k"}) {
    SCOPED_TRACE(name);
    const CsrMatrix<double, Host> A = badly_scaled(read(name));
    EXPECT_FALSE(scaling(hints(A, {})));
    MultiVector<double, Host> ones(ctx_, A.rows);
    fill<double>(ctx_, 1.0, ones);
    const int before = solve(A, {}, ones).iterations;
    const MultiVector<double, Host> roots = inverse_roots(ctx_, A);
    EXPECT_LT(1.4 * solve(A, {}).iterations, before) << "as a near-nullspace";
    auto scaled = convert_values<double>(ctx_, A);
    for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
      for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]);
           ++k) {
        scaled.values[k] *= roots.data()[i] * roots.data()[A.col_indices[k]];
      }
    }
    EXPECT_LT(1.4 * solve(scaled, {}).iterations, before) << "by scaling";
  }
  // Nor where it would not help: these take the constants far from zero, but the scaled ones, too.
  for (const char* const name : {"G2_circuit", "crystm02", "bodyy5", "cvxbqp1", "Poisson4k", "1138_bus"}) {
    EXPECT_FALSE(scaling(hints(read(name), {}))) << name;
  }
}

/// Rows multiplied by 1e-12 to 1e12 at random.
CsrMatrix<double, Host> with_rows_of_all_sizes(CsrMatrix<double, Host> A) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    const double factor = std::pow(10.0, static_cast<double>(hash64(i) % 25) - 12.0);
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      A.values[k] *= factor;
    }
  }
  return A;
}

/// Rows multiplied so that entries are about as large as their mirrors: along trees of the strongest couplings,
/// exactly.
CsrMatrix<double, Host> with_rows_like_their_mirrors(CsrMatrix<double, Host> A) {
  const auto rows = static_cast<std::size_t>(A.rows);
  const auto entry = [&](std::size_t i, std::size_t j) {
    const auto begin = A.col_indices.data() + A.row_offsets[i];
    const auto end = A.col_indices.data() + A.row_offsets[i + 1];
    const auto* const found = std::lower_bound(begin, end, static_cast<Index>(j));
    return found < end && *found == static_cast<Index>(j)
               ? std::abs(A.values[static_cast<std::size_t>(found - A.col_indices.data())])
               : 0.0;
  };
  struct Step {
    double strength;
    std::size_t row;
    double factor;
    bool operator<(const Step& other) const { return strength < other.strength; }
  };
  std::vector<double> factors(rows, 0.0);
  for (std::size_t root = 0; root < rows; ++root) {
    std::priority_queue<Step> steps;
    steps.push({1.0, root, 1.0});
    while (!steps.empty()) {
      const auto [strength, i, factor] = steps.top();
      steps.pop();
      if (factors[i] > 0.0) {
        continue;
      }
      factors[i] = factor;
      for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]);
           ++k) {
        const auto j = static_cast<std::size_t>(A.col_indices[k]);
        const double own = std::abs(A.values[k]);
        const double mirror = entry(j, i);
        if (j != i && own > 0.0 && mirror > 0.0 && factors[j] == 0.0) {
          steps.push({own * mirror / entry(i, i) / entry(j, j), j, factor * (own / mirror)});
        }
      }
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      A.values[k] *= factors[i];
    }
  }
  return A;
}

TEST_F(RealMatrixAdvice, ScalesRowsThatAreNotSymmetric) {
  const auto scaling = [](const MatrixAnalysis& analysis) {
    return hint_of_lopsided_rows(analysis.lopsided).has_value();
  };
  Configuration configuration;
  configuration.solver.max_iterations = 400;
  for (const char* const name : {"wang4", "memplus"}) {
    SCOPED_TRACE(name);
    const CsrMatrix<double, Host> A = with_rows_of_all_sizes(read(name));
    const std::vector<Hint> found = hints(A, configuration);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_THAT(found.front().what_to_do, HasSubstr("scale the rows"));
    Configuration shorter = configuration;
    shorter.solver.max_iterations = 50;
    Report report;
    report.set_result(solve(A, shorter));
    EXPECT_THAT(report.message, HasSubstr(found.front().what_to_do));
    const CsrMatrix<double, Host> scaled = with_rows_like_their_mirrors(convert_values<double>(ctx_, A));
    EXPECT_TRUE(hints(scaled, configuration).empty());
    const SolveResult after = solve(scaled, configuration);
    EXPECT_LE(after.reason, StopReason::attained) << describe(after.reason);
  }
  // As they come.
  for (const char* const name : {"wang4", "memplus", "af23560", "rdist2", "west2021", "cavity10", "cage10", "mcfe"}) {
    EXPECT_FALSE(scaling(analyse_matrix<double>(ctx_, read(name)))) << name;
  }
}

TEST_F(RealMatrixAdvice, HelpsAfterASlowSolve) {
  const auto follow_hint = [&](const CsrMatrix<double, Host>& A, Configuration configuration) {
    configuration.solver.max_iterations = 400;
    const SolveResult slow = solve(A, configuration);
    ASSERT_TRUE(slow.slow);
    const Hint hint = hint_of_slow_solve(*slow.slow);
    SCOPED_TRACE(hint.seen + ": " + hint.what_to_do);
    ASSERT_FALSE(hint.setting.empty());
    follow(configuration, hint.setting);
    const SolveResult after = solve(A, configuration);
    EXPECT_LE(after.reason, StopReason::attained) << describe(after.reason);
    EXPECT_LT(1.1 * after.iterations, slow.iterations);
  };
  follow_hint(read("bcsstk17"), {});
  EXPECT_FALSE(solve(read("bodyy5"), {}).slow);  // of which constants are relaxed
  GeneratedProblem nearly_incompressible = reference::poisson(reference::grid({10, 11, 11}), Discretization::q1);
  nearly_incompressible.pde = Pde::elasticity;
  nearly_incompressible.boundary = Boundary::clamped_face;
  nearly_incompressible.body.poisson = 0.499;
  follow_hint(generate_matrix<double>(ctx_, nearly_incompressible), {});
  Configuration of_single_unknowns;
  of_single_unknowns.amg.block_size = 1;
  follow_hint(read("gridgena"), of_single_unknowns);
}

TEST_F(RealMatrixAdvice, HelpsWhereWhatIsNotSymmetricDoesNotConverge) {
  const Hint hint = hint_of_failed_general_solve(0.0);
  const auto solve_with = [&](const CsrMatrix<double, Host>& A, std::vector<std::string> settings) {
    Configuration configuration;
    configuration.solver.max_iterations = 400;
    for (const std::string& setting : settings) {
      follow(configuration, setting);
    }
    return solve(A, configuration).reason;
  };
  const CsrMatrix<double, Host> semiconductor = read("wang4");
  EXPECT_EQ(solve_with(semiconductor, {}), StopReason::max_iterations);
  EXPECT_THAT(hint.what_to_do, HasSubstr("'solver.restart' 300"));
  EXPECT_EQ(solve_with(semiconductor, {hint.setting, "solver.restart=300"}), StopReason::converged);
  // Of a compressible flow.
  const CsrMatrix<double, Host> airfoil = read("af23560");
  EXPECT_THAT(hint.what_to_do, HasSubstr("'amg.block_size'"));
  EXPECT_EQ(solve_with(airfoil, {hint.setting, "solver.restart=300", "amg.block_size=4"}), StopReason::converged);
}

TEST_F(RealMatrixAdvice, OfAShellThatComesWithoutItsFixedUnknownsIsToSolveItDirectly) {
  const CsrMatrix<double, Host> A = read("s3rmt3m3");
  expect_that_the_first_hint_helps(A, {});
  Configuration configuration;
  configuration.solver.max_iterations = 200;
  const SolveResult slow = solve(A, configuration);
  EXPECT_GT(slow.reason, StopReason::attained);
  Report report;
  report.hierarchy.emplace().levels.emplace_back().rows = A.rows;
  report.set_result(slow);
  EXPECT_THAT(report.message, HasSubstr("or 'amg.coarse_size' 5357 to solve directly"));
  follow(configuration, "amg.coarse_size=5357");
  const SolveResult direct = solve(A, configuration);
  EXPECT_LE(direct.reason, StopReason::attained) << describe(direct.reason);
}

TEST(MatrixAdvice, TextAndJsonTellTheSame) {
  Context<Host> ctx;
  const auto A = generate_matrix<double>(ctx, reference::poisson(reference::grid({20, 20}), Discretization::fd));
  const MatrixAnalysis seen = analyse_matrix<double>(ctx, A);
  const std::string text = analysis_text(seen, {});
  EXPECT_THAT(text, HasSubstr("400 rows, 1920 nonzeros\n"));
  EXPECT_THAT(text, HasSubstr("0 positive\n"));
  EXPECT_THAT(text, HasSubstr("324 of 400\n"));
  EXPECT_THAT(text, HasSubstr("Nothing asks for other choices.\n"));
  EXPECT_THAT(analysis_text(seen, {{"it is round", "square it"}}), testing::EndsWith("it is round: square it\n"));
  EXPECT_THAT(short_analysis_text(seen, {{"it is round", "square it"}}),
              testing::EndsWith("\nit is round: square it\n\n"));
  EXPECT_THAT(short_analysis_text(seen, {}),
              HasSubstr("symmetric, 4.80 entries a row (3 to 5), diagonal positive, 324 of 400"));
  const std::string json = analysis_json(seen, {{"it is round", "square it", "shape=square"}}).dump();
  EXPECT_THAT(json, HasSubstr("\"rows_of_sum_zero\": 324"));
  EXPECT_THAT(json, HasSubstr("\"setting\": \"shape=square\""));
}

}  // namespace
}  // namespace amgsolve
