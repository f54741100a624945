#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <amgsolve/amgsolve.h>

#include <amgsolve/amgsolve.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "amg/rigid_body_modes.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "problems/matrix_market.hpp"
#include "problems/solution_writer.hpp"
#include "spmv/csr_ref.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/vtk_file.hpp"
#include "tests/src/job_fixture.hpp"

namespace amgsolve {
namespace {

using testing::HasSubstr;

/// A clamped body, as a program has it.
struct Body {
  explicit Body(const StructuredGrid& grid = reference::grid({12, 5, 5})) {
    problem = reference::poisson(grid, Discretization::q1);
    problem.pde = Pde::elasticity;
    problem.boundary = Boundary::clamped_face;
    A = generate_matrix<double>(host, problem);
    coordinates = MultiVector<double, Host>(host, A.rows / grid.dimensions, grid.dimensions);
    grid_coordinates(host, problem, coordinates.view());
  }

  CsrView<double, std::int64_t> view() const {
    return {A.rows,
            A.cols,
            {A.row_offsets.data(), A.row_offsets.size()},
            {A.col_indices.data(), A.col_indices.size()},
            {A.values.data(), A.values.size()}};
  }
  ArrayView<const double> positions() const { return {coordinates.data(), coordinates.size()}; }

  Context<Host> host;
  GeneratedProblem problem;
  CsrMatrix<double, Host> A;
  MultiVector<double, Host> coordinates;
};

Options options() { return Options().set("solver.backend", "host").set("amg.coarse_size", 50); }

std::vector<double> solve(Solver<double>& solver, const Body& body, int most_iterations) {
  const std::vector<double> b(static_cast<std::size_t>(body.A.rows), 1.0);
  std::vector<double> x(b.size(), 0.0);
  const Result result = solver.solve(b, x);
  EXPECT_EQ(result.status, amgsolve::Status::converged) << result.message;
  EXPECT_LE(result.iterations, most_iterations);
  return x;
}

TEST(ElasticBody, IsSolvedByTheModesOfItsCoordinates) {
  Body body;
  Solver<double> by_coordinates(options());
  by_coordinates.setup(body.view(), {}, {body.positions(), 3});
  const std::vector<double> x = solve(by_coordinates, body, 20);

  const auto modes = rigid_body_modes<double>(body.host, body.coordinates, 3);
  Solver<double> by_modes(options().set("amg.block_size", 3));
  by_modes.setup(body.view(), {modes.data(), modes.size()});
  EXPECT_EQ(solve(by_modes, body, 20), x);
}

TEST(ElasticBody, HasItsBlockSizeFoundAndSaid) {
  Body body;
  Solver<double> solver(options());
  solver.setup(body.view());
  solve(solver, body, 40);
  EXPECT_THAT(solver.report_json(), HasSubstr("3 unknowns a node"));
}

TEST(ElasticBody, HasTheTranslationsThatAreMissingAdded) {
  Body body;
  const auto modes = rigid_body_modes<double>(body.host, body.coordinates, 3);
  std::vector<double> rotations;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (i % 6 >= 3) {
      rotations.push_back(modes.data()[i]);
    }
  }
  Solver<double> solver(options());
  solver.setup(body.view(), rotations);
  solve(solver, body, 20);
  EXPECT_THAT(solver.report_json(), HasSubstr("lacked 3 of 3 translations, which are added"));
}

TEST(ElasticBody, ThatDoesNotFitIsRefused) {
  struct Refused {
    const char* message;
    std::function<void(Solver<double>&, const Body&)> set_up;
    Options options = amgsolve::options();
  };
  const std::vector<double> x(900, 0.5);
  const Refused all[] = {
      {"coordinates of 7 nodes for a matrix of 900 rows",
       [&](auto& solver, const Body& body) {
         solver.setup(body.view(), {}, {{x.data(), 21}, 3});
       }},
      {"coordinates has 20 values, which do not make 3 columns",
       [&](auto& solver, const Body& body) {
         solver.setup(body.view(), {}, {{x.data(), 20}, 3});
       }},
      {"columns of coordinates is 0; there must be at least 1",
       [&](auto& solver, const Body& body) {
         solver.setup(body.view(), {}, {{x.data(), 20}, 0});
       }},
      {"rigid-body modes in 2 dimensions are of 2 or 3 unknowns a node; there are 150 nodes of 6",
       [&](auto& solver, const Body& body) {
         solver.setup(body.view(), {}, {{x.data(), 300}, 2});
       }},
      {"coordinates of nodes have 2 or 3 columns; there are 1",
       [&](auto& solver, const Body& body) {
         solver.setup(body.view(), {}, {{x.data(), 300}, 1});
       }},
      {"coordinates of nodes have 2 or 3 columns; there are 1",  // also of nodes of one unknown
       [&](auto& solver, const Body& body) {
         solver.setup(body.view(), {}, {{x.data(), 900}, 1});
       }},
      {"coordinates of 300 nodes for a matrix of 900 rows and a block size of 2",
       [](auto& solver, const Body& body) {
         solver.setup(body.view(), {}, {body.positions(), 3});
       },
       options().set("amg.block_size", 2)},
      {"'amg.unknowns' by_field needs 'amg.block_size'",
       [](auto& solver, const Body& body) { solver.setup(body.view()); }, options().set("amg.unknowns", "by_field")},
  };
  Body body;
  for (const Refused& refused : all) {
    Solver<double> solver(refused.options);
    try {
      refused.set_up(solver, body);
      ADD_FAILURE() << "accepted, instead of: " << refused.message;
    } catch (const Exception& error) {
      EXPECT_EQ(error.status(), amgsolve::Status::bad_input);
      EXPECT_THAT(error.what(), HasSubstr(refused.message));
    }
  }
}

TEST(ElasticBody, IsSolvedFromC) {
  Body body;
  Solver<double> expected_solver(options());
  expected_solver.setup(body.view(), {}, {body.positions(), 3});
  const std::vector<double> expected = solve(expected_solver, body, 20);

  amgsolve_options* choices = nullptr;
  amgsolve_options_create(&choices);
  amgsolve_options_set(choices, "solver.backend", "host");
  amgsolve_options_set_integer(choices, "amg.coarse_size", 50);
  amgsolve_solver* solver = nullptr;
  ASSERT_EQ(amgsolve_create(AMGSOLVE_DOUBLE, choices, nullptr, &solver), AMGSOLVE_CONVERGED);
  const amgsolve_matrix A{
      body.A.rows,          body.A.cols,   body.A.nnz(),   64, body.A.row_offsets.data(), body.A.col_indices.data(),
      body.A.values.data(), AMGSOLVE_HOST, AMGSOLVE_BORROW};
  const std::int64_t nodes = body.coordinates.rows();
  EXPECT_EQ(amgsolve_setup_body(solver, &A, body.coordinates.data(), nodes, 3), AMGSOLVE_CONVERGED)
      << amgsolve_last_error();
  const std::vector<double> b(expected.size(), 1.0);
  std::vector<double> x(expected.size(), 0.0);
  EXPECT_EQ(amgsolve_solve(solver, body.A.rows, b.data(), x.data(), nullptr, nullptr), AMGSOLVE_CONVERGED);
  EXPECT_EQ(x, expected);
  EXPECT_EQ(amgsolve_setup_body(solver, &A, nullptr, nodes, 3), AMGSOLVE_BAD_INPUT);
  for (const std::int64_t none : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1} << 40}) {
    EXPECT_EQ(amgsolve_setup_body(solver, &A, body.coordinates.data(), none, 3), AMGSOLVE_BAD_INPUT);
    EXPECT_THAT(amgsolve_last_error(), testing::HasSubstr("nodes is " + std::to_string(none)));
  }
  EXPECT_EQ(amgsolve_setup_body(solver, &A, body.coordinates.data(), nodes, 0), AMGSOLVE_BAD_INPUT);
  amgsolve_destroy(solver);
  amgsolve_options_destroy(choices);
}

class ElasticJob : public JobFixture {
 protected:
  ElasticJob() {
    configuration_.problem.generate = body_.problem;
    configuration_.problem.rhs.word = RightHandSide::load;
    configuration_.amg.coarse_size = 50;
  }

  int iterations() {
    EXPECT_EQ(run(), 0) << errors_;
    return report()["iterations"];
  }

  Body body_;
};

TEST_F(ElasticJob, TakesItsRigidBodyModesOrNot) {
  EXPECT_LE(iterations(), 20);
  configuration_.problem.near_nullspace.word = NearNullspace::rigid_body;
  EXPECT_LE(iterations(), 20);
  configuration_.problem.near_nullspace.word = NearNullspace::constant;
  EXPECT_GT(iterations(), 24);
  // As a file has them.
  const auto modes = rigid_body_modes<double>(body_.host, body_.coordinates, 3);
  write_solution<double>(body_.host, file("modes.npy"), modes);
  configuration_.problem.near_nullspace.file = file("modes.npy");
  EXPECT_LE(iterations(), 20);
}

TEST_F(ElasticJob, ReadsCoordinatesFromAFile) {
  const auto matrix = directory_.path() / "A.mtx";
  const auto positions = directory_.path() / "x.npy";
  write_matrix_market<double>(body_.host, matrix, body_.A);
  write_solution<double>(body_.host, positions, body_.coordinates);
  configuration_.problem.generate.grid.dimensions = 0;
  configuration_.problem.rhs.word = RightHandSide::ones;
  configuration_.problem.matrix = matrix;
  const int without = iterations();
  configuration_.problem.coordinates = positions;
  const int with = iterations();
  EXPECT_LE(with, 20);
  EXPECT_GT(without, with);
  configuration_.problem.near_nullspace.word = NearNullspace::constant;
  EXPECT_EQ(iterations(), without);

  configuration_.output.solution = directory_.path() / "u.vtu";
  iterations();
  const std::string picture = reference::bytes_of_file(directory_.path() / "u.vtu");
  EXPECT_THAT(picture, testing::HasSubstr("<PointData Vectors=\"u\">"));

  // Nodes of one unknown have no rotations.
  configuration_.problem.near_nullspace.word = NearNullspace::automatic;
  Context<Host> host;
  write_matrix_market<double>(
      host, matrix, generate_matrix<double>(host, reference::poisson(reference::grid({9, 8, 7}), Discretization::fd)));
  const auto points = reference::upload(host, std::vector<double>(std::size_t{9} * 8 * 7 * 3, 0.5), 3);
  write_solution<double>(host, positions, points);
  EXPECT_LE(iterations(), 10);
  configuration_.problem.near_nullspace.word = NearNullspace::rigid_body;
  EXPECT_EQ(run(), 2);
  write_solution<double>(body_.host, positions, body_.coordinates);
  configuration_.problem.near_nullspace.word = NearNullspace::constant;

  // Numbered by field it has the same vectors.
  const Index nodes = body_.coordinates.rows();
  const Index unknowns = body_.A.rows / nodes;
  const auto place = [&](Index row) { return row % unknowns * nodes + row / unknowns; };
  std::vector<reference::Entry> entries;
  const CsrRef<double> A = ref_of(body_.A);
  for (Index i = 0; i < body_.A.rows; ++i) {
    for (Offset k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
      entries.push_back({place(i), place(A.col_indices[k]), A.values[k]});
    }
  }
  write_matrix_market<double>(body_.host, matrix,
                              reference::matrix_from_entries<double>(body_.host, body_.A.rows, body_.A.rows, entries));
  configuration_.amg.unknowns = Numbering::by_field;
  configuration_.amg.block_size = unknowns;
  iterations();
  const std::string by_field = reference::bytes_of_file(directory_.path() / "u.vtu");
  EXPECT_EQ(reference::vtk_array<double>(by_field, "u"), reference::vtk_array<double>(picture, "u"));
  EXPECT_EQ(reference::vtk_array<Index>(by_field, "aggregate0"), reference::vtk_array<Index>(picture, "aggregate0"));
}

}  // namespace
}  // namespace amgsolve
