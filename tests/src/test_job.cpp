#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/device.hpp"
#include "problems/amg_file.hpp"
#include "problems/generate.hpp"
#include "problems/matrix_market.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"
#include "src/application/small_copies.hpp"
#include "src/library/memory_plan.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
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
  for (const char* name : {"u.npy", "u.mtx", "u.vti"}) {
    configuration_.output.solution = file(name);
    EXPECT_EQ(run(), 0) << name;
    EXPECT_GT(std::filesystem::file_size(file(name)), 1200U) << name;
  }
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

TEST_F(JobTest, TellsWhereMemoryRanOut) {
  // Room for the system (0.9 MB) and the first block of scratch memory (1 MB), not for the hierarchy as well.
  configuration_.problem.generate.grid = reference::grid({100, 100});
  configuration_.memory_limit = 2'200'000;
  configuration_.output.solution = file("u.npy");
  EXPECT_EQ(run(), 4);
  EXPECT_THAT(errors_, HasSubstr("out of host memory in setup > "));
  EXPECT_EQ(report()["status"], "out_of_memory");
  EXPECT_THAT(std::string(report()["message"]), HasSubstr("out of host memory in setup > "));
  EXPECT_FALSE(std::filesystem::exists(file("u.npy")));
}

TEST_F(JobTest, RefusesWhatWillNotFitBeforeAnythingIsAllocated) {
  configuration_.problem.generate.grid = reference::grid({100, 100, 100});
  configuration_.problem.columns = 4;
  configuration_.memory_limit = 500'000'000;
  configuration_.amg.precision = Precision::same;
  EXPECT_EQ(run(), 4);
  EXPECT_THAT(errors_, HasSubstr("not enough memory: about "));
  EXPECT_THAT(errors_, HasSubstr(", 500.0 MB available: 'solver.memory_limit'; what would fit: some "));
  EXPECT_EQ(output_.find("Hierarchy"), std::string::npos);
  const nlohmann::json report = this->report();
  EXPECT_EQ(report["status"], "out_of_memory");
  EXPECT_EQ(report["memory"]["peak_bytes"], 0);
  EXPECT_GT(report["forecast"]["peak_bytes"], 500'000'000);
  EXPECT_EQ(report["forecast"]["levels"][0]["rows"], 1'000'000);
}

TEST_F(JobTest, SaysWhatWouldFit) {
  configuration_.backend = Backend::host;
  configuration_.problem.generate.grid = reference::grid({100, 100, 100});
  configuration_.problem.columns = 32;
  configuration_.solver.reuse = Reuse::pattern;
  configuration_.memory_limit = 900'000'000;
  EXPECT_EQ(run(), 4);
  EXPECT_THAT(errors_, testing::ContainsRegex("or [0-9]+ right-hand sides at a time"));
  EXPECT_THAT(errors_, Not(HasSubstr("solver.reuse")));
  configuration_.problem.columns = 1;
  configuration_.memory_limit = 400'000'000;
  EXPECT_EQ(run(), 4);
  EXPECT_THAT(errors_, HasSubstr("or 'solver.reuse: none'"));
  EXPECT_THAT(errors_, Not(HasSubstr("at a time")));
  configuration_.solver.reuse = Reuse::none;
  configuration_.problem.generate.pde = Pde::convection_diffusion;
  configuration_.solver.tolerance = 1e-15;  // whose steps take more than the setup
  configuration_.memory_limit = 540'000'000;
  EXPECT_EQ(run(), 4);
  EXPECT_THAT(errors_, HasSubstr("or 'solver.method: bicgstab'"));
}

TEST_F(JobTest, DryRunsTellWhatMemoryARunWillTake) {
  configuration_.problem.generate.grid = reference::grid({500, 500});
  configuration_.threads = 2;
  configuration_.output.solution = file("u.npy");
  EXPECT_EQ(dry_run(), 0);
  EXPECT_THAT(output_, HasSubstr("Forecast of memory"));
  EXPECT_THAT(output_, HasSubstr("250000"));
  EXPECT_THAT(output_, HasSubstr("what the machine has available"));
  EXPECT_FALSE(std::filesystem::exists(file("u.npy")));
  const nlohmann::json forecast = report();
  EXPECT_EQ(forecast["message"], "dry run: nothing was solved");
  EXPECT_TRUE(forecast["status"].is_null());
  EXPECT_TRUE(forecast["levels"].is_null());
  EXPECT_EQ(run(), 0);
  const double peak = report()["memory"]["peak_bytes"];
  EXPECT_NEAR(forecast["forecast"]["peak_bytes"].get<double>() / peak, 1.0, 0.15);

  configuration_.memory_limit = 1'000'000;
  EXPECT_EQ(dry_run(), 4);
  EXPECT_THAT(output_, HasSubstr("more than there is"));
  EXPECT_THAT(errors_, HasSubstr("1.0 MB available: 'solver.memory_limit'"));
  EXPECT_EQ(report()["status"], "out_of_memory");
}

TEST_F(JobTest, DryRunsReadTheMatrixWhereThereIsMemoryForIt) {
  solve_matrix("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 2\n2 2 2\n3 3 2\n3 2 1\n");
  EXPECT_EQ(dry_run(), 0) << errors_;
  EXPECT_EQ(report()["forecast"]["levels"][0]["rows"], 3);
  EXPECT_EQ(report()["forecast"]["levels"][0]["nnz"], 5);
  solve_matrix("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 2\n2 2 nonsense\n");
  EXPECT_EQ(dry_run(), 3);
  solve_matrix("%%MatrixMarket matrix coordinate real symmetric\n3 three 4\n");
  EXPECT_EQ(dry_run(), 3);
}

// A mesh in space that rows of seven entries hide, one that is not symmetric, and ways to read them.
TEST_F(JobTest, DryRunsKnowTheMatrixOfAFile) {
  Context<Host> host(1);
  configuration_.threads = 1;
  GeneratedProblem problem = reference::poisson(reference::grid({50, 50, 50}), Discretization::fd);
  const auto expect_near_peak = [&](const std::string& name) {
    configuration_.problem.matrix = file(name);
    ASSERT_EQ(dry_run(), 0) << errors_;
    const nlohmann::json forecast = report()["forecast"];
    ASSERT_EQ(run(), 0) << errors_;
    const double peak = report()["memory"]["peak_bytes"];
    EXPECT_NEAR(forecast["peak_bytes"].get<double>() / peak, 1.0, 0.15) << name << ": " << forecast << ", " << peak;
  };
  write_matrix_market<double>(host, file("A.mtx"), generate_matrix<double>(host, problem));
  write_amg_file<double>(host, file("A.amg"), generate_matrix<double>(host, problem));
  expect_near_peak("A.mtx");
  expect_near_peak("A.amg");
  ASSERT_EQ(std::system(("gzip -k '" + file("A.mtx").string() + "'").c_str()), 0);
  expect_near_peak("A.mtx.gz");
  problem.pde = Pde::convection_diffusion;
  problem.peclet = 100.0;
  configuration_.solver.method = Method::bicgstab;
  write_amg_file<double>(host, file("N.amg"), generate_matrix<double>(host, problem));
  expect_near_peak("N.amg");
}

/// Each node is joined to `degree` others, wherever they are.
CsrMatrix<double, Host> random_network(Context<Host>& ctx, Index nodes, int degree) {
  std::mt19937_64 random(1);
  std::map<std::pair<Index, Index>, double> sums;
  for (Index i = 0; i < nodes; ++i) {
    sums[{i, i}] += 1e-3;
    for (int k = 0; k < degree; ++k) {
      const auto j = static_cast<Index>(random() % static_cast<std::uint64_t>(nodes));
      sums[{i, i}] += 1.0;
      sums[{j, j}] += 1.0;
      sums[{i, j}] -= 1.0;
      sums[{j, i}] -= 1.0;
    }
  }
  std::vector<reference::Entry> entries;
  for (const auto& [place, value] : sums) {
    entries.push_back({place.first, place.second, value});
  }
  return reference::matrix_from_entries<double>(ctx, nodes, nodes, std::move(entries));
}

// Of a few rows, of some thousands, and where coarse levels are denser than the finest: by a setup that is let go.
TEST_F(JobTest, DryRunsRehearseSmallSystemsAndThoseThatGrow) {
  Context<Host> host(1);
  configuration_.threads = 2;
  const auto expect_peak = [&](const CsrMatrix<double, Host>& A) {
    write_amg_file<double>(host, file("A.amg"), A);
    configuration_.problem.matrix = file("A.amg");
    ASSERT_EQ(dry_run(), 0) << errors_;
    const nlohmann::json forecast = report()["forecast"];
    EXPECT_TRUE(report()["levels"].is_null());
    ASSERT_EQ(run(), 0) << errors_;
    const double peak = report()["memory"]["peak_bytes"];
    EXPECT_NEAR(forecast["peak_bytes"].get<double>() / peak, 1.0, 0.15) << A.rows << " rows: " << forecast;
    EXPECT_EQ(forecast["levels"].size(), report()["levels"].size());
  };
  for (const Index side : {3, 12, 40}) {
    expect_peak(generate_matrix<double>(host, reference::poisson(reference::grid({side, side}), Discretization::q1)));
  }
  expect_peak(random_network(host, 20'000, 4));
}

/// A grid problem and options that no table of shapes is for.
struct Unusual {
  std::string name;
  GeneratedProblem problem;
  AmgOptions amg{};
  SolverOptions solver{};

  friend std::ostream& operator<<(std::ostream& out, const Unusual& unusual) { return out << unusual.name; }
};

std::vector<Unusual> unusual_problems() {
  const auto diffusion = [](const StructuredGrid& grid, Discretization discretization, double epsilon) {
    GeneratedProblem problem = reference::poisson(grid, discretization);
    problem.pde = Pde::diffusion;
    problem.anisotropy.epsilon = epsilon;
    return problem;
  };
  AmgOptions two_steps;
  two_steps.prolongator_steps = 2;
  AmgOptions blocks;
  blocks.block_size = 4;
  AmgOptions sparse;
  sparse.density_limit = 0.1;
  SolverOptions slow;
  slow.method = Method::fgmres;
  slow.tolerance = 1e-12;
  GeneratedProblem jumps = diffusion(reference::grid({64, 64, 64}), Discretization::fd, 1.0);
  jumps.coefficient.type = CoefficientType::checkerboard;
  GeneratedProblem random = diffusion(reference::grid({500, 500}), Discretization::fd, 1.0);
  random.coefficient.type = CoefficientType::random;
  random.coefficient.block = 1;
  random.coefficient.low = 1e-3;
  GeneratedProblem rotated = diffusion(reference::grid({480, 480}), Discretization::q1, 1e-3);
  rotated.anisotropy.angle = 30.0;
  SolverOptions beside;
  beside.method = Method::minres;
  return {
      {"TwoSteps", reference::poisson(reference::grid({500, 500}), Discretization::fd), two_steps},
      {"TwoStepsWhereCoefficientsJump", jumps, two_steps},
      {"BlocksOfScalars", reference::poisson(reference::grid({360, 360}), Discretization::fd), blocks},
      {"AnisotropyInSpace", diffusion(reference::grid({48, 48, 48}), Discretization::q1, 1e-3)},
      {"AnisotropyAlongAnAxis", diffusion(reference::grid({550, 550}), Discretization::fd, 1e-3)},
      {"RandomCoefficients", random},
      {"SparseProlongator", rotated, sparse},
      {"SlowMethod", rotated, {}, slow},
      {"MatrixBesideTheHierarchy", reference::poisson(reference::grid({52, 52, 52}), Discretization::q1), {}, beside}};
}

class ForecastOfUnusual : public JobFixture, public testing::WithParamInterface<Unusual> {};

// Of 75 to 165 MB, too many to be rehearsed: by small copies.
TEST_P(ForecastOfUnusual, IsWithin15PercentOfThePeak) {
  configuration_.threads = 1;
  configuration_.problem.generate = GetParam().problem;
  configuration_.amg = GetParam().amg;
  configuration_.solver = GetParam().solver;
  ASSERT_EQ(dry_run(), 0) << errors_;
  const nlohmann::json forecast = report()["forecast"];
  ASSERT_EQ(run(), 0) << errors_;
  const double peak = report()["memory"]["peak_bytes"];
  EXPECT_GT(peak, least_planned_bytes);
  EXPECT_NEAR(forecast["peak_bytes"].get<double>() / peak, 1.0, 0.15) << forecast << ", " << peak;
}

INSTANTIATE_TEST_SUITE_P(JobTest, ForecastOfUnusual, testing::ValuesIn(unusual_problems()),
                         [](const auto& test) { return test.param.name; });

// By a setup that is let go.
TEST_F(JobTest, DryRunsRehearseSmallGeneratedProblems) {
  configuration_.threads = 2;
  ASSERT_EQ(dry_run(), 0) << errors_;
  const nlohmann::json forecast = report()["forecast"];
  ASSERT_EQ(run(), 0) << errors_;
  EXPECT_EQ(forecast["levels"].size(), report()["levels"].size());
  EXPECT_EQ(forecast["levels"][1]["nnz"], report()["levels"][1]["nnz"]);
  EXPECT_NEAR(forecast["peak_bytes"].get<double>() / report()["memory"]["peak_bytes"].get<double>(), 1.0, 0.15);
}

// Of blocks that tables of shapes take for half as much again.
TEST_F(JobTest, RunsOfGeneratedProblemsAreJudgedByTheirCopies) {
  configuration_.threads = 1;
  configuration_.problem.generate.grid = reference::grid({300, 300});
  configuration_.amg = {};
  configuration_.amg.block_size = 4;
  ASSERT_EQ(run(), 0) << errors_;
  const double peak = report()["memory"]["peak_bytes"];
  configuration_.memory_limit = static_cast<std::int64_t>(1.2 * peak);
  EXPECT_EQ(run(), 0) << errors_;
  configuration_.memory_limit = static_cast<std::int64_t>(0.8 * peak);
  EXPECT_EQ(run(), 4);
  EXPECT_EQ(report()["memory"]["peak_bytes"], 0);
}

// What a copy cannot have is left to be guessed, and so is what cannot be set up.
TEST_F(JobTest, CopiesTellWhatTheyCan) {
  JobConfiguration configuration;
  configuration.problem.generate = reference::poisson(reference::grid({700, 700}), Discretization::fd);
  const auto steps = [&] {
    SystemSize size{.rows = 490'000.0, .nnz = configuration.problem.generate.nonzeros()};
    measure_on_copies(configuration, 1, size);
    return size.steps;
  };
  ASSERT_GE(steps().size(), 2U);
  EXPECT_NEAR(steps()[0].coarse_rows, 68'000.0, 1'000.0);
  // Which no coupling is above.
  configuration.amg.strength = {.measure = StrengthMeasure::symmetric, .threshold = 0.25};
  ASSERT_EQ(steps().size(), 1U);
  EXPECT_EQ(steps()[0].coarse_rows, 0.0);
  configuration.amg = {};
  configuration.problem.rhs.file = "b.npy";
  EXPECT_TRUE(steps().empty());
  configuration.problem.rhs.file.clear();
  configuration.problem.generate.pde = Pde::convection_diffusion;
  configuration.solver.method = Method::cg;
  EXPECT_TRUE(steps().empty());
}

// What has been measured of the matrix was of a hierarchy in double.
TEST_F(JobTest, SaysThatFloatWouldFit) {
  Context<Host> host(1);
  configuration_.threads = 1;
  configuration_.amg.precision = Precision::same;
  const GeneratedProblem problem = reference::poisson(reference::grid({60, 60, 60}), Discretization::fd);
  write_amg_file<double>(host, file("A.amg"), generate_matrix<double>(host, problem));
  configuration_.problem.matrix = file("A.amg");
  ASSERT_EQ(dry_run(), 0) << errors_;
  const double needed = report()["forecast"]["peak_bytes"];
  configuration_.memory_limit = static_cast<std::int64_t>(0.95 * needed);
  EXPECT_EQ(dry_run(), 4);
  EXPECT_THAT(errors_, HasSubstr("'amg.precision: mixed'"));
}

// Rows of three entries could be those of a network, which takes a quarter more, and those of a grid need not share
// their values.
TEST_F(JobTest, RunsWhatFitsThoughAGuessWouldNot) {
  Context<Host> host(1);
  configuration_.threads = 1;
  const auto expect_fit = [&](const CsrMatrix<double, Host>& A, double share_of_peak) {
    write_amg_file<double>(host, file("A.amg"), A);
    configuration_.problem.matrix = file("A.amg");
    configuration_.memory_limit = 0;
    ASSERT_EQ(run(), 0) << errors_;
    const double peak = report()["memory"]["peak_bytes"];
    configuration_.memory_limit = static_cast<std::int64_t>(share_of_peak * peak);
    EXPECT_EQ(run(), 0) << errors_;
    configuration_.memory_limit = static_cast<std::int64_t>(0.8 * peak);
    EXPECT_EQ(run(), 4);
  };
  std::vector<reference::Entry> entries;
  constexpr Index rows = 600'000;
  for (Index i = 0; i < rows; ++i) {
    entries.push_back({i, i, 2.001});
    if (i > 0) {
      entries.insert(entries.end(), {{i, i - 1, -1.0}, {i - 1, i, -1.0}});
    }
  }
  expect_fit(reference::matrix_from_entries<double>(host, rows, rows, std::move(entries)), 1.3);
  EXPECT_THAT(errors_, HasSubstr("not enough memory: about "));
  EXPECT_THAT(errors_, HasSubstr("what would fit: some "));
  expect_fit(generate_matrix<double>(host, reference::poisson(reference::grid({70, 70, 70}), Discretization::fd)), 1.1);
}

TEST_F(JobTest, DryRunsTellWhatARunWouldBreakDownAt) {
  solve_matrix("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n2 2 -1\n3 3 1\n");
  configuration_.solver.method = Method::cg;
  EXPECT_EQ(run(), 5);
  EXPECT_EQ(dry_run(), 0);
  EXPECT_THAT(errors_ + output_, HasSubstr("a run will end with: "));
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
  configuration_.problem.columns = 3;
  EXPECT_EQ(run(), 3);
  EXPECT_THAT(errors_, HasSubstr("'problem.columns' is 3"));
}

TEST_F(JobTest, ProjectsTheRightHandSideOfASingularMatrix) {
  configuration_.problem.generate.boundary = Boundary::neumann;
  configuration_.problem.rhs.word = RightHandSide::random;
  EXPECT_EQ(run(), 0) << errors_;
  EXPECT_THAT(output_, HasSubstr("the part of the right-hand side out of its range"));
  EXPECT_GT(report()["outside_range"], 1e-6);
  configuration_.problem.rhs.word = RightHandSide::ones;
  EXPECT_EQ(run(), 0);
  EXPECT_NEAR(report()["outside_range"], 1.0, 1e-12);
  EXPECT_EQ(report()["iterations"], 0) << "nothing is left to solve for";
  configuration_.problem.rhs.word = RightHandSide::manufactured;
  EXPECT_EQ(run(), 0);
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
