#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "problems/generate.hpp"
#include "problems/matrix_market.hpp"
#include "problems/vector_file.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"
#include "src/application/html_report.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/naive_spmv.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/vtk_file.hpp"
#include "tests/src/job_fixture.hpp"

namespace amgsolve {
namespace {

using testing::HasSubstr;
using testing::Not;

class JobTest : public JobFixture {};

TEST_F(JobTest, SolvesPrintsAndReports) {
  EXPECT_EQ(run(), 0);
  EXPECT_THAT(output_,
              HasSubstr("poisson, fd 5-point, 40 x 30, dirichlet: 1200 rows, 5860 nonzeros, 1 right-hand side"));
  EXPECT_THAT(output_, HasSubstr("operator complexity"));
  EXPECT_THAT(output_, HasSubstr("relative residual"));
  EXPECT_THAT(output_, HasSubstr("galerkin product"));
  EXPECT_EQ(errors_, "");
  const nlohmann::json report = this->report();
  EXPECT_EQ(report["status"], "converged");
  EXPECT_LE(report["relative_residual"], 1e-8);
  EXPECT_EQ(report["levels"][0]["rows"], 1200);
  EXPECT_GT(report["levels"].size(), 1U);
  EXPECT_EQ(report["problem"]["nnz"], 5860);
  EXPECT_EQ(report["configuration"]["problem"]["generate"]["grid"], nlohmann::json({40, 30}));
  EXPECT_GT(report["memory"]["peak_bytes"], 5860 * 12);
  EXPECT_GT(report["setup"]["seconds"], 0.0);
}

TEST_F(JobTest, TabulatesTheProductsOfTheSetupWhereAskedTo) {
  ASSERT_EQ(run(), 0);
  EXPECT_THAT(output_, Not(HasSubstr("Sparse products")));
  EXPECT_TRUE(report()["levels"][0]["products"].is_null());
  configuration_.amg.spgemm.statistics = true;
  ASSERT_EQ(run(), 0);
  EXPECT_THAT(output_, HasSubstr("Sparse products"));
  const nlohmann::json levels = report()["levels"];
  EXPECT_EQ(levels[0]["products"][0]["nnz"], levels[0]["nnz"]);
  EXPECT_EQ(levels[0]["products"][1]["result_nnz"], levels[1]["nnz"]);
  EXPECT_TRUE(levels.back()["products"].is_null());
}

TEST_F(JobTest, QuietPrintsComplaintsOnly) {
  EXPECT_EQ(run(Verbosity::quiet), 0);
  EXPECT_EQ(output_ + errors_, "");
  configuration_.solver.max_iterations = 1;
  EXPECT_EQ(run(Verbosity::quiet), 1);
  EXPECT_EQ(output_, "");
  EXPECT_THAT(errors_, testing::HasSubstr("not converged within the iterations allowed; allow more of them: "));
}

TEST_F(JobTest, AnyNumberOfThreadsGivesTheSameBits) {
  // More rows than the least that threads are woken for.
  configuration_.problem.generate.grid = reference::grid({31, 29, 23});
  configuration_.problem.rhs.word = RightHandSide::random;
  configuration_.problem.columns = 2;
  configuration_.output.solution = file("one.npy");
  configuration_.threads = 1;
  ASSERT_EQ(run(), 0);
  configuration_.output.solution = file("two.npy");
  configuration_.threads = 2;
  ASSERT_EQ(run(), 0);
  const std::string one = reference::bytes_of_file(file("one.npy"));
  EXPECT_GT(one.size(), 2U * 8U * 31U * 29U * 23U);
  EXPECT_TRUE(one == reference::bytes_of_file(file("two.npy")));
}

TEST_F(JobTest, WritesTheSolutionInEachFormat) {
  for (const char* name : {"u.npy", "u.mtx", "u.amg", "u.vti"}) {
    configuration_.output.solution = file(name);
    EXPECT_EQ(run(), 0) << name;
  }
  Context<Host> host(1);
  const std::vector<double> u = reference::vtk_array<double>(reference::bytes_of_file(file("u.vti")), "u");
  for (const char* name : {"u.npy", "u.mtx", "u.amg"}) {
    const MultiVector<double, Host> x = read_vectors<double>(host, file(name));
    EXPECT_EQ(reference::download(host, x), u) << name;
  }
  ASSERT_EQ(u.size(), 1200U);
  const auto product =
      reference::naive_spmv<double>(generate_matrix<double>(host, configuration_.problem.generate), u, 1);
  double square = 0.0;
  for (const double value : product.values) {
    square += (1.0 - value) * (1.0 - value);
  }
  EXPECT_LE(std::sqrt(square / 1200.0), 1.01e-8);
}

TEST_F(JobTest, TellsOfLevelsThatAnEarlierRunWrote) {
  configuration_.output.hierarchy = file("levels");
  ASSERT_EQ(run(), 0);
  const std::size_t levels = report()["levels"].size();
  ASSERT_GE(levels, 2U);
  EXPECT_EQ(report()["warnings"], nlohmann::json::array());
  configuration_.amg.max_levels = static_cast<int>(levels) - 1;
  ASSERT_EQ(run(), 0);
  const std::string warning = report()["warnings"].at(0);
  EXPECT_THAT(warning, HasSubstr("levels: P" + std::to_string(levels - 2) + ".mtx"));
  EXPECT_THAT(errors_, HasSubstr(warning));
}

TEST_F(JobTest, WritesTheMatricesOfTheLevels) {
  configuration_.output.hierarchy = file("levels");
  configuration_.amg.precision = Precision::same;
  ASSERT_EQ(run(), 0);
  Context<Host> host;
  const auto read = [&](const std::string& name) {
    return read_matrix_market<double>(host, file("levels") / (name + ".mtx"));
  };
  const std::size_t levels = report()["levels"].size();
  ASSERT_GE(levels, 2U);
  for (std::size_t l = 0; l + 1 < levels; ++l) {
    const std::string fine = std::to_string(l);
    const auto A = read("A" + fine);
    const auto P = read("P" + fine);
    const auto R = read("R" + fine);
    const auto coarse = read("A" + std::to_string(l + 1));
    EXPECT_EQ(A.nnz(), report()["levels"][l]["nnz"]);
    EXPECT_TRUE(reference::identical(transpose(host, P), R));
    EXPECT_TRUE(reference::identical(multiply(host, R, multiply(host, A, P)), coarse));
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file("levels")), {}),
            static_cast<std::ptrdiff_t>(3 * levels - 2));
}

/// As on a disk that is full.
TEST_F(JobTest, WritesTheOtherFilesWhereOneCannotBe) {
  for (const char* name : {"x.npy", "full.json"}) {
    std::filesystem::create_symlink("/dev/full", file(name));
  }
  configuration_.output.solution = file("x.npy");
  configuration_.output.hierarchy = file("levels");
  EXPECT_EQ(run(), 3);
  EXPECT_THAT(errors_, HasSubstr("x.npy: cannot write: No space left on device"));
  EXPECT_TRUE(std::filesystem::exists(file("levels") / "A0.mtx"));
  EXPECT_EQ(report()["status"], "bad_input");

  configuration_.output.hierarchy = file("no") / "levels";
  EXPECT_EQ(run(), 3);
  const std::size_t of_hierarchy = errors_.find("levels: cannot make the directory");
  EXPECT_LT(of_hierarchy, errors_.find("x.npy: cannot write")) << "the last says how it ended: " << errors_;

  if (has_html_report()) {
    configuration_.output = {.report = file("full.json"), .html = file("run.html"), .solution = {}};
    EXPECT_EQ(run(), 3);
    EXPECT_THAT(errors_, HasSubstr("full.json: cannot write: No space left on device"));
    EXPECT_TRUE(std::filesystem::exists(file("run.html")));
  }
}

TEST_F(JobTest, ImagesLieWhereTheirProblemDoes) {
  GeneratedProblem& problem = configuration_.problem.generate;
  problem.grid = reference::grid({8, 4});
  configuration_.amg.coarse_size = 100;
  configuration_.problem.rhs.word = RightHandSide::random;
  configuration_.output.solution = file("u.vti");
  struct Case {
    Boundary boundary;
    Discretization discretization;
    const char* origin;
    const char* spacing;
  };
  // The unit square has its corner at 0; its unknowns are inside, in the middles of cells, or from the corner on.
  for (const auto& [boundary, discretization, origin, spacing] :
       {Case{Boundary::dirichlet, Discretization::fd, "0.1111111111111111 0.1111111111111111 0", "0.1111111111111111"},
        Case{Boundary::dirichlet, Discretization::q1, "0.1111111111111111 0.1111111111111111 0", "0.1111111111111111"},
        Case{Boundary::neumann, Discretization::fd, "0.0625 0.0625 0", "0.125"},
        Case{Boundary::neumann, Discretization::q1, "0 0 0", "0.14285714285714285"},
        Case{Boundary::periodic, Discretization::fd, "0 0 0", "0.125"}}) {
    problem.boundary = boundary;
    problem.discretization = discretization;
    ASSERT_EQ(run(), 0) << errors_;
    const std::string image = reference::bytes_of_file(file("u.vti"));
    EXPECT_THAT(image, HasSubstr(std::string("Origin=\"") + origin + "\" Spacing=\"" + spacing + ' '));
  }
}

TEST_F(JobTest, PicturesOnPointsHaveTheUnknownsOfTheirNodes) {
  // 1200 unknowns of a grid, given as two at each of 600 nodes.
  std::string nodes = "%%MatrixMarket matrix array real general\n600 2\n";
  for (int value = 0; value < 2 * 600; ++value) {
    nodes += std::to_string(value % 600) + "\n";
  }
  configuration_.problem.coordinates = directory_.write("nodes.mtx", nodes);
  configuration_.output.solution = file("u.vtu");
  ASSERT_EQ(run(), 0) << errors_;
  EXPECT_EQ(reference::vtk_array<Index>(reference::bytes_of_file(file("u.vtu")), "aggregate0").size(), 600U);
}

/// Each level's aggregates as the report counts them, of those of the level before.
void expect_aggregates(const std::string& picture, const nlohmann::json& levels, std::size_t points) {
  std::vector<Index> finer;
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    const auto of_point = reference::vtk_array<Index>(picture, "aggregate" + std::to_string(l));
    ASSERT_EQ(of_point.size(), points);
    EXPECT_TRUE(l > 0 || std::ranges::count(of_point, Index{-1}) == 0) << "of these nodes none is alone";
    EXPECT_EQ(std::ranges::max(of_point) + 1, levels[l]["aggregates"]);
    std::map<Index, Index> coarser;
    for (std::size_t i = 0; i < finer.size(); ++i) {
      EXPECT_EQ(coarser.emplace(finer[i], of_point[i]).first->second, of_point[i]);
    }
    finer = of_point;
  }
  EXPECT_TRUE(reference::vtk_array<Index>(picture, "aggregate" + std::to_string(levels.size() - 1)).empty());
}

TEST_F(JobTest, PicturesHaveTheErrorAndTheAggregates) {
  configuration_.problem.rhs.word = RightHandSide::manufactured;
  configuration_.problem.generate.grid = reference::grid({31, 29});
  configuration_.output.solution = file("u.vti");
  for (const Boundary boundary : {Boundary::dirichlet, Boundary::neumann}) {
    configuration_.problem.generate.boundary = boundary;
    ASSERT_EQ(run(), 0) << errors_;
    const std::string picture = reference::bytes_of_file(file("u.vti"));
    double largest = 0.0;
    for (const double error : reference::vtk_array<double>(picture, "error")) {
      largest = std::max(largest, std::abs(error));
    }
    EXPECT_DOUBLE_EQ(largest, report()["problem"]["discretization_error"][0]["max"]);
    ASSERT_GE(report()["levels"].size(), 2U);
    expect_aggregates(picture, report()["levels"], 31 * 29);
  }
  configuration_.problem.rhs.word = RightHandSide::ones;
  configuration_.problem.generate.boundary = Boundary::dirichlet;
  configuration_.problem.generate.pde = Pde::elasticity;
  configuration_.problem.generate.discretization = Discretization::q1;
  ASSERT_EQ(run(), 0) << errors_;
  const std::string picture = reference::bytes_of_file(file("u.vti"));
  EXPECT_TRUE(reference::vtk_array<double>(picture, "error").empty());
  expect_aggregates(picture, report()["levels"], 31 * 29);
}

TEST_F(JobTest, ReportsTheDiscretisationErrorOfManufacturedSolutions) {
  configuration_.problem.rhs.word = RightHandSide::manufactured;
  configuration_.problem.generate.grid = reference::grid({31, 31});
  ASSERT_EQ(run(), 0);
  EXPECT_THAT(output_, HasSubstr("Discretisation error"));
  const double coarse = report()["problem"]["discretization_error"][0]["max"];
  configuration_.problem.generate.grid = reference::grid({63, 63});
  ASSERT_EQ(run(), 0);
  const double fine = report()["problem"]["discretization_error"][0]["max"];
  // Second order; the next term of the error is some (πh)² / 12 < 0.1 % of the first.
  EXPECT_NEAR(coarse / fine, 4.0, 0.04);
}

TEST_F(JobTest, TellsThatItDidNotConverge) {
  configuration_.solver.max_iterations = 2;
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(report()["status"], "not_converged");
  EXPECT_EQ(report()["iterations"], 2);
}

TEST_F(JobTest, NamesTheFileOfAMatrixThatCannotBeSolved) {
  configuration_.solver.method = Method::cg;
  solve_matrix("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 2 2\n1 2 1\n");
  EXPECT_EQ(run(), 3);
  EXPECT_THAT(errors_, HasSubstr("matrix.mtx: the matrix is not symmetric"));
  EXPECT_THAT(std::string(report()["message"]), HasSubstr("matrix.mtx: the matrix is not symmetric"));
}

TEST_F(JobTest, RefusesAnAlgorithmThatTheBackendDoesNotHave) {
  configuration_.backend = Backend::host;
  configuration_.amg.spgemm.algorithm = spgemm_algorithm("esc");
  EXPECT_EQ(run(), 2);
  EXPECT_EQ(report()["message"],
            "'spgemm.algorithm' does not go with the backend: sparse product by 'esc': on the host the algorithm must "
            "be auto, dense or hash");
}

TEST_F(JobTest, RefusesABackendThatIsNotThere) {
  if (device_count() > 0) {
    GTEST_SKIP() << "there is a device";
  }
  configuration_.backend = Backend::cuda;
  EXPECT_EQ(run(), 6);
  EXPECT_THAT(errors_, HasSubstr("'solver.backend' is cuda: " + device_problem()));
  EXPECT_EQ(report()["status"], "device_failed");
  EXPECT_TRUE(report()["backend"].is_null());
}

TEST_F(JobTest, TakesTheHostAndSaysWhyWhereThereIsNoDevice) {
  if (device_count() > 0) {
    GTEST_SKIP() << "there is a device";
  }
  configuration_.backend = Backend::automatic;
  configuration_.device = 3;
  configuration_.threads = 1;
  EXPECT_EQ(run(), 0);
  EXPECT_THAT(output_, testing::StartsWith("Host, 1 thread ("));
  EXPECT_EQ(report()["backend"], "host");
  EXPECT_TRUE(report()["machine"]["device"].is_null());
}

TEST_F(JobTest, ReadsMatricesAndWarnsOfDuplicates) {
  solve_matrix(
      "%%MatrixMarket matrix coordinate real symmetric\n"
      "3 3 5\n1 1 2\n2 2 2\n3 3 1\n2 1 -1\n3 3 1\n");
  EXPECT_EQ(run(), 0);
  EXPECT_THAT(errors_, HasSubstr("amgsolve: warning: "));
  EXPECT_THAT(errors_, HasSubstr("matrix.mtx:7: "));
  EXPECT_EQ(report()["warnings"].size(), 1U);
  EXPECT_FALSE(report()["configuration"]["problem"].contains("generate"));
}

TEST_F(JobTest, WarnsOfOneTriangleInAGeneralFile) {
  const std::string general = "%%MatrixMarket matrix coordinate real general\n";
  const auto warnings_of = [&](const std::string& text) {
    solve_matrix(text);
    EXPECT_EQ(run(), 0);
    return report()["warnings"].dump();
  };
  // The first and the last row look the same in either triangle.
  const std::string below = warnings_of(general + "4 4 5\n1 1 2\n2 2 2\n3 3 2\n4 4 2\n3 2 -1\n");
  EXPECT_THAT(below,
              HasSubstr("matrix.mtx: all entries beside the diagonal are below it: where that is one triangle of "
                        "a symmetric matrix, solve with both"));
  EXPECT_THAT(errors_, HasSubstr("which 'symmetric' in the first line of a Matrix Market file stands for"));
  EXPECT_THAT(warnings_of(general + "4 4 5\n1 1 2\n2 2 2\n3 3 2\n4 4 2\n2 3 -1\n"), HasSubstr("are above it"));
  EXPECT_EQ(warnings_of(general + "4 4 6\n1 1 2\n2 2 2\n3 3 2\n4 4 2\n3 2 -1\n1 4 -1\n"), "[]");
  EXPECT_EQ(warnings_of(general + "2 2 2\n1 1 2\n2 2 2\n"), "[]");
  EXPECT_EQ(warnings_of("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 2 2\n2 1 -1\n"), "[]");
}

TEST_F(JobTest, RefusesMatricesItIsNotFor) {
  solve_matrix("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n1 2 1\n2 2 2\n");
  configuration_.solver.method = Method::cg;
  EXPECT_EQ(run(), 3);
  EXPECT_EQ(report()["status"], "bad_input");
  EXPECT_TRUE(report()["method"].is_null());
  configuration_.solver.method = Method::automatic;
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(report()["method"], "fgmres");
  EXPECT_THAT(output_, HasSubstr("of fgmres, true relative residual"));
  solve_matrix("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 -2\n");
  EXPECT_EQ(run(), 5);
  EXPECT_EQ(report()["status"], "breakdown");
  solve_matrix("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n3 2 -2\n");
  EXPECT_EQ(run(), 3);
  EXPECT_THAT(errors_, HasSubstr("matrix.mtx:4: "));
}

TEST_F(JobTest, ReadsVectorsFromFiles) {
  solve_matrix("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n");
  configuration_.problem.rhs.file =
      directory_.write("b.mtx", "%%MatrixMarket matrix array real general\n2 2\n2\n4\n4\n8\n");
  configuration_.problem.initial_guess.file =
      directory_.write("x.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n1\n2\n2\n");
  configuration_.problem.near_nullspace.file =
      directory_.write("B.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
  EXPECT_EQ(run(), 0) << errors_;
  EXPECT_EQ(report()["problem"]["columns"], 2);
  EXPECT_EQ(report()["iterations"], 0) << "the initial guess is the solution";
}

TEST_F(JobTest, RandomVectorsAreThoseOfTheirSeeds) {
  solve_matrix("%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 1\n2 2 1\n3 3 1\n4 4 1\n");
  configuration_.solver.max_iterations = 0;
  const auto residual = [&](std::int64_t seed) {
    configuration_.problem.seed = seed;
    EXPECT_EQ(run(), 1) << errors_;
    return report()["relative_residual"].get<double>();
  };
  EXPECT_EQ(residual(0), 1.0) << "from zero";
  configuration_.problem.initial_guess.word = InitialGuess::random;
  EXPECT_NE(residual(0), 1.0);
  EXPECT_NE(residual(0), residual(1));
  configuration_.problem.rhs.word = RightHandSide::random;
  EXPECT_GT(residual(0), 0.1) << "from the right-hand side, which is the solution";
  configuration_.problem.initial_guess.word = InitialGuess::zero;
  configuration_.solver.max_iterations = 10;
  const auto solution = [&](std::int64_t seed) {
    configuration_.problem.seed = seed;
    configuration_.output.solution = file("x.mtx");
    EXPECT_EQ(run(), 0) << errors_;
    return reference::bytes_of_file(file("x.mtx"));
  };
  EXPECT_NE(solution(0), solution(1));
  EXPECT_EQ(solution(1), solution(1));
}

TEST_F(JobTest, RefusesVectorsThatDoNotFit) {
  solve_matrix("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n");
  const auto two_columns = directory_.write("two.mtx", "%%MatrixMarket matrix array real general\n2 2\n2\n4\n4\n8\n");
  const auto three_rows = directory_.write("three.mtx", "%%MatrixMarket matrix array real general\n3 1\n2\n4\n4\n");
  configuration_.problem.rhs.file = three_rows;
  EXPECT_EQ(run(), 3);
  EXPECT_THAT(errors_, HasSubstr("three.mtx: vectors of 3 rows for a matrix of 2 rows"));
  configuration_.problem.rhs.file.clear();
  configuration_.problem.initial_guess.file = two_columns;
  EXPECT_EQ(run(), 3);
  EXPECT_THAT(errors_, HasSubstr("two.mtx: 2 columns for 1 right-hand side"));
  configuration_.problem.initial_guess.file.clear();
  configuration_.problem.rhs.file = two_columns;
  for (const int columns : {1, 3}) {
    configuration_.problem.columns = columns;
    EXPECT_EQ(run(), 3);
    EXPECT_THAT(errors_, HasSubstr("two.mtx: 2 columns; 'problem.columns' is " + std::to_string(columns)));
  }
  configuration_.problem.columns.reset();
  EXPECT_EQ(run(), 0);
}

TEST_F(JobTest, ProjectsTheRightHandSideOfASingularMatrix) {
  configuration_.problem.generate.boundary = Boundary::neumann;
  configuration_.problem.rhs.word = RightHandSide::random;
  EXPECT_EQ(run(), 0) << errors_;
  EXPECT_THAT(output_, HasSubstr("the part of the right-hand side out of its range"));
  EXPECT_GT(report()["outside_range"], 1e-6);
  EXPECT_EQ(report()["warnings"], nlohmann::json::array());
  configuration_.problem.rhs.word = RightHandSide::ones;
  EXPECT_EQ(run(), 0);
  EXPECT_NEAR(report()["outside_range"], 1.0, 1e-12);
  EXPECT_EQ(report()["iterations"], 0) << "nothing is left to solve for";
  EXPECT_THAT(errors_, HasSubstr("amgsolve: warning: next to nothing of the right-hand side (ones) is in the range of "
                                 "the matrix, which is singular, and x solves for that alone"));
  EXPECT_EQ(report()["warnings"].size(), 1U);
  configuration_.problem.rhs.word = RightHandSide::manufactured;
  EXPECT_EQ(run(), 0);
}

TEST_F(JobTest, TellsQuietlyOfMuchThatASingularMatrixLeavesOut) {
  configuration_.problem.matrix =
      directory_.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 -1\n2 1 -1\n2 2 1\n");
  const auto run_with = [&](const char* b) {
    configuration_.problem.rhs.file =
        directory_.write("b.mtx", std::string("%%MatrixMarket matrix array real general\n2 1\n") + b);
    EXPECT_EQ(run(Verbosity::quiet), 0);
    return errors_;
  };
  EXPECT_THAT(run_with("1\n0\n"), HasSubstr("out of its range, 0.71 of the norm, was left out"));
  EXPECT_EQ(run_with("1\n-1.001\n"), "") << "half a thousandth";
}

TEST_F(JobTest, NamesTheRightHandSideOfWhichASingularMatrixLeavesNothing) {
  configuration_.problem.matrix =
      directory_.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 -1\n2 1 -1\n2 2 1\n");
  configuration_.problem.rhs.file =
      directory_.write("b.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n-1\n1\n1\n2\n-1\n");
  EXPECT_EQ(run(), 0) << errors_;
  EXPECT_THAT(errors_, HasSubstr("next to nothing of right-hand side 2 of 3 ("));
  EXPECT_THAT(report()["message"].get<std::string>(), HasSubstr("1 of the norm of number 2, was left out"));
}

TEST_F(JobTest, AFileThatCannotBeWrittenIsAnError) {
  configuration_.output.solution = file("no/u.npy");
  EXPECT_EQ(run(), 3);
  EXPECT_THAT(errors_, HasSubstr("no/u.npy: cannot write"));
  EXPECT_EQ(report()["status"], "bad_input");
  EXPECT_LE(report()["relative_residual"], 1e-8) << "what is known is told";

  configuration_.output = {.report = file("no/report.json"), .solution = {}};
  EXPECT_EQ(run(), 3);
  EXPECT_THAT(errors_, HasSubstr("no/report.json: cannot write"));
}

}  // namespace
}  // namespace amgsolve
