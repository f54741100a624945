#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

#include "core/available_memory.hpp"
#include "core/errors.hpp"
#include "problems/amg_file.hpp"
#include "problems/generate.hpp"
#include "problems/matrix_market.hpp"
#include "src/application/small_copies.hpp"
#include "src/library/memory_plan.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/src/job_fixture.hpp"

/// What jobs and dry runs say of memory, before and after it was taken.
namespace amgsolve {
namespace {

using testing::HasSubstr;
using testing::Not;

class JobMemory : public JobFixture {};

TEST_F(JobMemory, TellsWhereMemoryRanOut) {
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

TEST_F(JobMemory, RefusesWhatWillNotFitBeforeAnythingIsAllocated) {
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

TEST_F(JobMemory, SaysWhatWouldFit) {
  configuration_.backend = Backend::host;
  configuration_.threads = 2;
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

TEST_F(JobMemory, DryRunsTellWhatMemoryARunWillTake) {
  configuration_.problem.generate.grid = reference::grid({500, 500});
  configuration_.threads = 2;
  configuration_.output.solution = file("u.npy");
  EXPECT_EQ(dry_run(), 0);
  EXPECT_THAT(output_, HasSubstr("Forecast of memory"));
  EXPECT_THAT(output_, HasSubstr("250000"));
  EXPECT_THAT(output_, HasSubstr(available_main_memory().limit));
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

TEST_F(JobMemory, DryRunsReadTheMatrixWhereThereIsMemoryForIt) {
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
TEST_F(JobMemory, DryRunsKnowTheMatrixOfAFile) {
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
TEST_F(JobMemory, DryRunsRehearseSmallSystemsAndThoseThatGrow) {
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

INSTANTIATE_TEST_SUITE_P(JobMemory, ForecastOfUnusual, testing::ValuesIn(unusual_problems()),
                         [](const auto& test) { return test.param.name; });

// By a setup that is let go.
TEST_F(JobMemory, DryRunsRehearseSmallGeneratedProblems) {
  configuration_.threads = 2;
  ASSERT_EQ(dry_run(), 0) << errors_;
  const nlohmann::json forecast = report()["forecast"];
  ASSERT_EQ(run(), 0) << errors_;
  EXPECT_EQ(forecast["levels"].size(), report()["levels"].size());
  EXPECT_EQ(forecast["levels"][1]["nnz"], report()["levels"][1]["nnz"]);
  EXPECT_NEAR(forecast["peak_bytes"].get<double>() / report()["memory"]["peak_bytes"].get<double>(), 1.0, 0.15);
}

// Of blocks that tables of shapes take for half as much again.
TEST_F(JobMemory, RunsOfGeneratedProblemsAreJudgedByTheirCopies) {
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

std::string refusal(const SystemSize& system, const Configuration& configuration, std::size_t room) {
  const MemoryPlan plan{1, forecast_memory(system, configuration.amg, configuration.solver, 1), 0.0, {room, "a test"}};
  try {
    require_fit(plan, system, configuration, 1);
  } catch (const OutOfMemoryError& error) {
    return error.what();
  }
  return "";
}

// 8 bytes for each pair of 11,000 rows are 968 MB; in proportion, 1,400 rows would do.
TEST(MemoryPlan, TellsHowManyUnknownsFitBesideADenseFactor) {
  Configuration configuration;
  configuration.amg.coarse_size = 100'000;
  const SystemSize system{.rows = 90'000.0, .nnz = 448'800.0};
  EXPECT_THAT(refusal(system, configuration, 1'000'000'000), HasSubstr("what would fit: some 11000 unknowns"));
  EXPECT_EQ(refusal(system.part(11'000.0 / 90'000.0), configuration, 1'000'000'000), "");
}

// Where half of them would be factored, which takes more.
TEST(MemoryPlan, NamesNoUnknownsThatDoNotFit) {
  Configuration configuration;
  configuration.amg.coarse_size = 20'000;
  const SystemSize system{.rows = 30'000.0, .nnz = 149'000.0};
  const MemoryForecast forecast = forecast_memory(system, configuration.amg, configuration.solver, 1);
  const auto room = static_cast<std::size_t>(0.99 * forecast.peak());
  const std::string message = refusal(system, configuration, room);
  const std::string some = "some ";
  const std::size_t place = message.find(some);
  ASSERT_NE(place, std::string::npos) << message;
  const double unknowns = std::stod(message.substr(place + some.size()));
  EXPECT_EQ(refusal(system.part(unknowns / system.rows), configuration, room), "") << message;
}

// What a copy cannot have is left to be guessed.
TEST_F(JobMemory, CopiesTellWhatTheyCan) {
  JobConfiguration configuration;
  configuration.problem.generate = reference::poisson(reference::grid({700, 700}), Discretization::fd);
  const auto steps = [&] {
    SystemSize size{.rows = 490'000.0, .nnz = configuration.problem.generate.nonzeros()};
    measure_on_copies(configuration, Context<Host>(1), size);
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
  EXPECT_THROW(steps(), InputError);
}

TEST_F(JobMemory, DryRunsTellWhatACopyEndsWith) {
  configuration_.problem.generate = reference::poisson(reference::grid({700, 700}), Discretization::fd);
  configuration_.problem.generate.pde = Pde::convection_diffusion;
  configuration_.solver.method = Method::cg;
  EXPECT_EQ(dry_run(), 0);
  EXPECT_THAT(errors_, HasSubstr("a small copy of this problem ends with: the matrix is not symmetric"));
  EXPECT_EQ(report()["forecast"]["levels"][0]["rows"], 490'000) << "as far as it can be guessed";
  EXPECT_EQ(report()["warnings"].size(), 1U);
}

// What has been measured of the matrix was of a hierarchy in double.
TEST_F(JobMemory, SaysThatFloatWouldFit) {
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
TEST_F(JobMemory, RunsWhatFitsThoughAGuessWouldNot) {
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

TEST_F(JobMemory, DryRunsTellWhatARunWouldBreakDownAt) {
  solve_matrix("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n2 2 -1\n3 3 1\n");
  configuration_.solver.method = Method::cg;
  EXPECT_EQ(run(), 5);
  EXPECT_EQ(dry_run(), 0);
  EXPECT_THAT(errors_ + output_, HasSubstr("a run will end with: "));
}

}  // namespace
}  // namespace amgsolve
