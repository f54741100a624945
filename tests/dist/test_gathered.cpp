#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "amg/shared_solver.hpp"
#include "amg/solver.hpp"
#include "problems/generate.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/dist/shared_matrices.hpp"
#include "tests/dist/shared_problems.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

/// Matrices whose levels ranks do not share.
namespace amgsolve {
namespace {

using ranks::Cut;
using ranks::poisson;
using ranks::Problem;
using ranks::world;

/// How many hierarchies the profile tells of.
std::ptrdiff_t notes_of_levels(const Profile& profile) {
  std::ptrdiff_t notes = 0;
  for (const Profile::Node& phase : profile.nodes()) {
    notes += std::ranges::count_if(phase.notes, [](const std::string& note) { return note.starts_with("levels in "); });
  }
  return notes;
}

/// What ranks cannot share each of them solves whole.
TEST(SharedSolver, SolvesWhatCannotBeShared) {
  Context<Host> whole(1);
  std::vector<Problem> all;
  const auto floating_squares = [&](std::initializer_list<std::int64_t> sizes) {
    std::vector<CsrMatrix<double, Host>> squares;
    for (const std::int64_t n : sizes) {
      GeneratedProblem square = poisson({n, n}, Discretization::fd);
      square.boundary = Boundary::neumann;
      squares.push_back(generate_matrix<double>(whole, square));
    }
    return ranks::block_diagonal(whole, squares);
  };
  all.push_back({"singular in two components", floating_squares({30, 25})});
  all.push_back({"of which one comes down to a node", floating_squares({100, 3})});
  for (const bool scales_rows : {true, false}) {
    all.push_back(
        {scales_rows ? "rows that sum to zero" : "columns that sum to zero",
         reference::changed_entries<double>(whole, floating_squares({40}), [&](Index row, Index column, double value) {
           return (scales_rows ? row : column) % 3 == 0 ? 2.0 * value : value;
         })});
  }
  std::vector<CsrMatrix<double, Host>> beside_a_square;
  beside_a_square.push_back(floating_squares({40}));
  beside_a_square.push_back(
      reference::matrix_from_entries<double>(whole, 3, 3, {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}}));
  Problem apart = {"no candidate for unknowns apart", ranks::block_diagonal(whole, beside_a_square)};
  apart.near_nullspace.assign(static_cast<std::size_t>(apart.A.rows), 1.0);
  std::fill_n(apart.near_nullspace.rbegin(), 3, 0.0);
  all.push_back(std::move(apart));
  all.push_back({"one level", generate_matrix<double>(whole, poisson({40, 30}, Discretization::fd))});
  for (const Problem& problem : all) {
    SCOPED_TRACE(problem.name);
    const CsrMatrix<double, Host>& A = problem.A;
    std::vector<double> b(static_cast<std::size_t>(A.rows));
    for (std::size_t i = 0; i < b.size(); ++i) {
      b[i] = i % 2 == 0 ? 1.0 : -1.0;
    }
    AmgOptions options;
    options.replicate_below = 0;
    options.coarse_size = 50;
    options.direct_solve_limit = 50;
    if (problem.name == std::string("one level")) {
      options.max_levels = 1;
    }
    const auto candidates = [&problem](Context<Host>& ctx, const std::vector<double>& rows) {
      return problem.near_nullspace.empty() ? MultiVector<double, Host>() : reference::upload(ctx, rows);
    };
    AmgSolver<double, Host> solver(options, {});
    solver.setup(whole, borrow(A), candidates(whole, problem.near_nullspace).view());
    std::vector<double> x(b.size());
    const SolveResult expected =
        solver.solve(whole, {b.data(), A.rows}, MultiVectorView<double, Host>(x.data(), A.rows));
    for (const Cut cut : ranks::all_cuts()) {
      Context<Host> ctx(1, world());
      const Partition partition(world(), ranks::own_rows(world(), cut, A.rows));
      const auto own_b = ranks::rows_of(b, partition, world().rank());
      std::vector<double> own_x(own_b.size());
      const auto rows = static_cast<Index>(own_b.size());
      SharedSolver<double, Host> shared(options, {});
      const std::vector<double> own_candidates =
          problem.near_nullspace.empty() ? std::vector<double>()
                                         : ranks::rows_of(problem.near_nullspace, partition, world().rank());
      shared.setup(ctx, ranks::rows_of(ctx, A, partition), candidates(ctx, own_candidates).view());
      EXPECT_EQ(shared.shared_levels(), 0U);
      EXPECT_LE(notes_of_levels(ctx.profile()), 1);
      const SolveResult result =
          shared.solve(ctx, {own_b.data(), rows}, MultiVectorView<double, Host>(own_x.data(), rows));
      EXPECT_EQ(result.iterations, expected.iterations);
      EXPECT_TRUE(ranks::same_bits<double>(own_x, ranks::rows_of(x, partition, world().rank())));
    }
  }
}

}  // namespace
}  // namespace amgsolve
