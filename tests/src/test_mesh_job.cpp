#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "problems/vector_file.hpp"
#include "src/application/yaml_reader.hpp"
#include "tests/reference/meshes.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/vtk_file.hpp"
#include "tests/src/job_fixture.hpp"

namespace amgsolve {
namespace {

using testing::HasSubstr;

/// A job on the square or cube of reference::box_mesh().
class MeshJob : public JobFixture {
 protected:
  MeshJob() {
    configuration_.problem.generate = ProblemConfiguration().generate;
    configuration_.problem.conditions = {
        .fixed = {{"boundary", {0.0}}}, .flux = {}, .source = {{"domain", {1.0}}}, .regions = {}};
  }

  void mesh(int dimensions, Index n) {
    Context<Host> ctx;
    configuration_.problem.mesh =
        directory_.write("box.txt", reference::text_of(reference::box_mesh(ctx, dimensions, n, 0.15)));
  }

  std::vector<double> solution(const std::string& name) const {
    Context<Host> ctx;
    const MultiVector<double, Host> x = read_vectors<double>(ctx, file(name));
    return {x.data(), x.data() + x.size()};
  }
};

TEST_F(MeshJob, SolvesPoissonsEquation) {
  mesh(2, 24);
  configuration_.output.solution = file("u.npy");
  ASSERT_EQ(run(), 0) << errors_;
  EXPECT_THAT(output_, HasSubstr("box.txt: 625 nodes, 1152 triangles\n"));
  EXPECT_THAT(output_, HasSubstr("poisson, p1, "));
  EXPECT_THAT(output_, HasSubstr("529 rows"));
  EXPECT_THAT(output_, HasSubstr("(load)"));
  EXPECT_LE(report()["iterations"], 12);
  EXPECT_EQ(report()["problem"]["rows"], 529);
  // All nodes, and the torsion function of a square, whose largest value is 0.0736713 (Timoshenko, Goodier, §109).
  const std::vector<double> u = solution("u.npy");
  ASSERT_EQ(u.size(), 625U);
  EXPECT_EQ(std::ranges::count(u, 0.0), 96);
  EXPECT_NEAR(std::ranges::max(u), 0.0736713, 0.01 * 0.0736713);
}

/// A grid is a mistake of its own, and brings none of the loads of problems on one.
TEST_F(MeshJob, IsNotJudgedAsAProblemOnAGrid) {
  mesh(2, 4);
  configuration_.problem.generate.grid = reference::grid({5, 5});
  EXPECT_NO_THROW(validate(configuration_));
}

TEST_F(MeshJob, SolvesElasticBodiesByTheModesOfTheirNodes) {
  for (const int dimensions : {2, 3}) {
    mesh(dimensions, dimensions == 2 ? 32 : 10);
    configuration_.problem.generate.pde = Pde::elasticity;
    ASSERT_EQ(run(), 0) << errors_;
    const int with_modes = report()["iterations"];
    EXPECT_LE(with_modes, 16);
    configuration_.problem.near_nullspace.word = NearNullspace::constant;
    ASSERT_EQ(run(), 0) << errors_;
    EXPECT_GT(report()["iterations"], with_modes);
    configuration_.problem.near_nullspace.word = NearNullspace::automatic;
  }
}

TEST_F(MeshJob, HasTheOrderOfItsElements) {
  configuration_.problem.conditions = {};
  configuration_.problem.rhs.word = RightHandSide::manufactured;
  for (const Pde pde : {Pde::poisson, Pde::elasticity}) {
    configuration_.problem.generate.pde = pde;
    std::vector<double> errors;
    for (const Index n : {16, 32}) {
      mesh(2, n);
      ASSERT_EQ(run(), 0) << errors_;
      errors.push_back(report()["problem"]["discretization_error"][0]["l2"]);
    }
    EXPECT_THAT(output_, HasSubstr("Discretisation error"));
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.2);
  }
}

TEST_F(MeshJob, GivesTheSameBitsForAnyNumberOfThreads) {
  mesh(3, 24);
  std::vector<std::string> files;
  for (const int threads : {1, 3}) {
    configuration_.threads = threads;
    configuration_.output.solution = file("u" + std::to_string(threads) + ".amg");
    ASSERT_EQ(run(), 0) << errors_;
    files.push_back(reference::bytes_of_file(configuration_.output.solution));
  }
  EXPECT_EQ(files[0], files[1]);
}

TEST_F(MeshJob, WritesItsElements) {
  mesh(3, 3);
  configuration_.output.solution = file("u.vtu");
  ASSERT_EQ(run(), 0) << errors_;
  EXPECT_THAT(reference::bytes_of_file(file("u.vtu")), HasSubstr("NumberOfPoints=\"64\" NumberOfCells=\"162\""));
}

TEST_F(MeshJob, WritesErrorAndAggregatesOfItsNodes) {
  configuration_.problem.conditions = {};
  configuration_.problem.rhs.word = RightHandSide::manufactured;
  configuration_.problem.generate.pde = Pde::elasticity;
  mesh(2, 24);
  configuration_.output.solution = file("u.vtu");
  ASSERT_EQ(run(), 0) << errors_;
  const std::string picture = reference::bytes_of_file(file("u.vtu"));
  double largest = 0.0;
  for (const double error : reference::vtk_array<double>(picture, "error")) {
    largest = std::max(largest, std::abs(error));
  }
  EXPECT_DOUBLE_EQ(largest, report()["problem"]["discretization_error"][0]["max"]);
  const auto aggregates = reference::vtk_array<Index>(picture, "aggregate0");
  ASSERT_EQ(aggregates.size(), 625U);
  EXPECT_EQ(std::ranges::count(aggregates, Index{-1}), 96) << "the fixed nodes";
  EXPECT_EQ(std::ranges::max(aggregates) + 1, report()["levels"][0]["aggregates"]);
}

TEST_F(MeshJob, ForecastsItsMemory) {
  mesh(2, 24);
  EXPECT_EQ(dry_run(), 0) << errors_;
  EXPECT_THAT(output_, HasSubstr("529"));
}

TEST_F(MeshJob, TakesOtherRightHandSides) {
  mesh(2, 24);
  configuration_.problem.conditions.source = {};
  configuration_.problem.rhs.word = RightHandSide::random;
  configuration_.problem.columns = 2;
  EXPECT_EQ(run(), 0) << errors_;
}

/// Nodes that may move in one direction keep the unknown of the other one.
TEST_F(MeshJob, HoldsWhatIsFixedWhateverActs) {
  mesh(2, 12);
  configuration_.problem.generate.pde = Pde::elasticity;
  configuration_.problem.conditions = {
      .fixed = {{"domain", {0.0, std::nullopt}}, {"boundary", {0.0}}}, .flux = {}, .source = {}, .regions = {}};
  configuration_.output.solution = file("x.vtu");
  for (const RightHandSide word : {RightHandSide::ones, RightHandSide::random}) {
    configuration_.problem.rhs.word = word;
    ASSERT_EQ(run(), 0) << errors_;
    const auto u = reference::vtk_array<double>(reference::bytes_of_file(file("x.vtu")), "u");
    double held = 0.0;
    double free = 0.0;
    for (std::size_t node = 0; node < u.size(); node += 3) {
      held = std::max(held, std::abs(u[node]));
      free = std::max(free, std::abs(u[node + 1]));
    }
    EXPECT_LE(held, 1e-6 * free) << "as far as the solve went";
  }
}

TEST_F(MeshJob, RefusesConditionsThatTakeNoEffect) {
  mesh(2, 4);
  configuration_.problem.rhs.word = RightHandSide::ones;
  EXPECT_THROW(validate(configuration_), ConfigurationError);
  configuration_.problem.conditions.source = {};
  EXPECT_NO_THROW(validate(configuration_));
  configuration_.problem.conditions.fixed = {{"boundary", {3.0}}};
  EXPECT_THROW(validate(configuration_), ConfigurationError);
}

TEST_F(MeshJob, SolvesTheExample) {
  JobConfiguration configuration;
  const Schema schema = job_schema(configuration);
  read_configuration(AMGSOLVE_SOURCE_DIR "/examples/l_shape.yaml", {}, schema, configuration);
  configuration.output.report = file("report.json");
  configuration_ = configuration;
  EXPECT_EQ(run(), 0) << errors_;
  EXPECT_LE(report()["iterations"], 10);
}

TEST_F(MeshJob, NamesAPlaneThatIsNotThere) {
  mesh(3, 2);
  configuration_.problem.generate.pde = Pde::elasticity;
  configuration_.problem.generate.body.plane = PlaneState::stress;
  EXPECT_EQ(run(), 2);
  EXPECT_THAT(errors_, HasSubstr("problem.generate.plane is stress; "));
}

}  // namespace
}  // namespace amgsolve
