#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "amg/check_matrix.hpp"
#include "amg/shared_solver.hpp"
#include "amg/solver.hpp"
#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "dist/halo.hpp"
#include "problems/generate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/random.hpp"
#include "src/application/agreed_stop.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/dist/shared_matrices.hpp"
#include "tests/reference/spaces.hpp"

/// How setups and solves that ranks share end: on all of them.
namespace amgsolve {
namespace {

using ranks::Cut;
using ranks::poisson;
using ranks::world;

// One rank is asked to end, at any of the steps of a setup whose first levels are shared.
TEST(SharedSolver, EndsOnAllRanksWhereOneIsAskedToInASetup) {
  Context<Host> host(1);
  const auto A = generate_matrix<double>(host, poisson({14, 14, 14}, Discretization::fd));
  AmgOptions amg;
  amg.replicate_below = 500;
  amg.coarse_size = 50;
  amg.direct_solve_limit = 50;
  const auto set_up = [&](int end) {
    int step = 0;
    Context<Host> ctx = ranks::shared_context<Host>();
    AgreedStop stop(world(), [&] { return world().rank() == world().size() - 1 && step == end; });
    ctx.set_progress_listener([&, agree = stop.at_steps({})](const Progress& progress) {
      ++step;
      agree(progress);
    });
    ctx.set_stop([&] { return stop.has_come(); });
    SharedSolver<double, Host> solver(amg, {});
    const Partition partition(world(), ranks::own_rows(world(), Cut::even, A.rows));
    if (end == 0) {
      solver.setup(ctx, ranks::rows_of(ctx, A, partition));
    } else {
      EXPECT_THROW(solver.setup(ctx, ranks::rows_of(ctx, A, partition)), InterruptedError) << end;
      EXPECT_EQ(step, end);
    }
    return step;
  };
  const int steps = set_up(0);
  EXPECT_GT(steps, 12) << "six of each level that is shared, and of two at least";
  for (int end = 1; end <= steps; ++end) {
    set_up(end);
  }
}

/// Wherever every rank works for itself, on levels that all have whole.
TEST(SharedSolver, EndsOnAllRanksWhereOneFailsByItself) {
  Context<Host> host(1);
  const auto A = generate_matrix<double>(host, poisson({14, 14, 14}, Discretization::fd));
  const Partition partition(world(), ranks::own_rows(world(), Cut::even, A.rows));
  const std::vector<double> ones(static_cast<std::size_t>(partition.rows(world().rank())), 1.0);
  AmgOptions amg;
  amg.coarse_size = 50;
  amg.direct_solve_limit = 50;
  const auto fails = [&](int failing, int at, bool has_product) {
    int asked = 0;
    Context<Host> ctx = ranks::shared_context<Host>();
    AgreedStop stop(world(), {});
    ctx.set_progress_listener(stop.at_steps({}));
    const LocalMatrix<double, Host> local = to_local(ctx, partition, ranks::rows_of(ctx, A, partition));
    const Operator<double, Host> whole(ctx, borrow(local.A), Storage::csr,
                                       std::make_shared<Halo<double, Host>>(local.layout));
    SolveChoices<double, Host> choices;
    if (has_product) {
      choices.product = [&](Context<Host>& there, auto X, auto Y) { whole.apply(there, 1.0, X, 0.0, Y); };
    }
    const MultiVector<double, Host> b = reference::upload(ctx, ones);
    MultiVector<double, Host> x = reference::upload(ctx, ones);
    ctx.set_stop([&] {
      if (world().rank() == failing && ctx.communicator().size() == 1 && ++asked == at) {
        throw OutOfMemoryError("no room", 1000, 10);
      }
      return stop.has_come();
    });
    SharedSolver<double, Host> solver(amg, {});
    try {
      solver.setup(ctx, ranks::rows_of(ctx, A, partition));
      solver.precondition(ctx, b.view(), x);
      solver.solve(ctx, b.view(), x, choices);
    } catch (const OutOfMemoryError& error) {
      EXPECT_EQ(error.what(), (world().size() > 1 ? "rank " + std::to_string(failing) + ": " : "") + "no room");
      EXPECT_EQ(error.bytes_wanted(), 1000u);
      return true;
    }
    return false;
  };
  for (const Offset replicate_below : {10'000, 100'000}) {
    amg.replicate_below = replicate_below;
    for (const bool has_product : {false, true}) {
      for (int failing = 0; failing < world().size(); ++failing) {
        int at = 1;
        while (fails(failing, at, has_product)) {
          at += 1 + at / 4;
        }
        EXPECT_GT(at, 30) << "levels of rank " << failing << " below " << replicate_below;
      }
    }
  }
}

/// From anywhere in a setup on, where a phase or a loop begins, one rank gets so much more memory and no more.
TEST(SharedSolver, EndsOnAllRanksWhereASetupLacksMemoryOnOne) {
  Context<Host> host(1);
  const auto A = generate_matrix<double>(host, poisson({16, 15, 20}, Discretization::fd));
  GeneratedProblem convection = poisson({16, 15, 20}, Discretization::fd);
  convection.pde = Pde::convection_diffusion;
  convection.peclet = 10.0;
  const auto flow = generate_matrix<double>(host, convection);
  GeneratedProblem body = poisson({9, 8, 16}, Discretization::q1);
  body.pde = Pde::elasticity;
  const auto solid = generate_matrix<double>(host, body);
  AmgOptions amg;
  amg.replicate_below = 500;
  amg.coarse_size = 50;
  amg.direct_solve_limit = 50;
  AmgOptions by_blocks = amg;
  by_blocks.block_size = 3;
  by_blocks.smoother.type = SmootherType::block_chebyshev;
  const int failing = world().size() - 1;
  int refused = 0;
  const auto set_up = [&](const CsrMatrix<double, Host>& matrix, const AmgOptions& options, int last,
                          std::size_t room) {
    const Index unknowns = options.block_size.value_or(1);
    const Partition partition(world(), ranks::own_rows(world(), Cut::even, matrix.rows / unknowns) * unknowns);
    int poll = 0;
    Context<Host> ctx = ranks::shared_context<Host>();
    ctx.set_stop([&] {
      if (++poll == last && world().rank() == failing) {
        ctx.memory().set_limit(ctx.memory().bytes_in_use() + room);
      }
      return false;
    });
    SharedSolver<double, Host> solver(options, {});
    try {
      solver.setup(ctx, ranks::rows_of(ctx, matrix, partition));
    } catch (const OutOfMemoryError& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).starts_with("rank " + std::to_string(failing) + ": "), world().size() > 1)
          << error.what() << " at poll " << last << " with room for " << room;
    }
    return poll;
  };
  for (const auto& [matrix, options] : {std::pair(&A, &amg), std::pair(&flow, &amg), std::pair(&solid, &by_blocks)}) {
    SCOPED_TRACE(format_text("{} entries", matrix->nnz()));
    const auto polls = static_cast<int>(world().max(set_up(*matrix, *options, 0, 0)));
    EXPECT_GT(polls, 300) << "of each phase and loop of some levels";
    for (int last = 1; last <= polls; last += 2) {
      set_up(*matrix, *options, last, 1'000);
    }
    EXPECT_GT(refused, polls / 3);
    refused = 0;
  }
}

/// Vectors of a solve that one rank has no room for: of the method, of the cycle for other columns, of the residual.
TEST(SharedSolver, EndsOnAllRanksWhereOneHasNoRoomForVectors) {
  constexpr Index k = 4;
  Context<Host> host(1);
  const auto A = generate_matrix<double>(host, poisson({60, 50, 10}, Discretization::fd));
  const Partition partition(world(), ranks::own_rows(world(), Cut::even, A.rows));
  AmgOptions amg;
  amg.replicate_below = 0;
  amg.coarse_size = 50;
  amg.direct_solve_limit = 50;
  for (int failing = 0; failing < world().size(); ++failing) {
    Context<Host> ctx = ranks::shared_context<Host>();
    SharedSolver<double, Host> solver(amg, {});
    solver.setup(ctx, ranks::rows_of(ctx, A, partition));
    const auto rows = static_cast<std::size_t>(partition.rows(world().rank()));
    const MultiVector<double, Host> b = reference::upload(ctx, reference::random_values<double>(rows * k, 1), k);
    MultiVector<double, Host> x = reference::upload(ctx, std::vector<double>(rows * k), k);
    const std::size_t vector = rows * k * sizeof(double);
    const std::size_t in_use = ctx.memory().bytes_in_use();
    int refused = 0;
    for (std::size_t vectors = 0; vectors < 20; ++vectors) {
      if (world().rank() == failing) {
        ctx.memory().set_limit(in_use + vectors * vector + vector / 2);
      }
      try {
        solver.solve(ctx, b.view(), x);
      } catch (const OutOfMemoryError& error) {
        ++refused;
        EXPECT_EQ(std::string(error.what()).starts_with("rank " + std::to_string(failing) + ": "), world().size() > 1)
            << error.what() << " at " << vectors;
      }
    }
    EXPECT_GE(refused, 4);
    EXPECT_LT(refused, 20);
  }
}

/// Of rows that ranks share, and of such as they do not: those of the last setup count, unless it has refused them.
TEST(SharedSolver, SolvesWithTheMatrixOfItsLastSetup) {
  Context<Host> host(1);
  const auto shared = generate_matrix<double>(host, poisson({30, 30}, Discretization::fd));
  const CsrMatrix<double, Host> whole = ranks::with_hub(host, shared);
  GeneratedProblem neumann = poisson({30, 30}, Discretization::fd);
  neumann.boundary = Boundary::neumann;
  const auto singular = generate_matrix<double>(host, neumann);
  const Partition partition(world(), ranks::own_rows(world(), Cut::uneven, shared.rows));
  AmgOptions amg;
  amg.replicate_below = 0;
  amg.coarse_size = 50;
  amg.direct_solve_limit = 50;
  Context<Host> ctx = ranks::shared_context<Host>();
  SharedSolver<double, Host> solver(amg, {});
  const std::size_t rows = static_cast<std::size_t>(partition.rows(world().rank()));
  const MultiVector<double, Host> b = reference::upload(ctx, reference::random_values<double>(rows, 1));
  const auto expect_solved = [&](const CsrMatrix<double, Host>& A) {
    MultiVector<double, Host> x = reference::upload(ctx, std::vector<double>(rows));
    EXPECT_EQ(solver.shared_levels() > 0, &A != &whole);
    const SolveResult result = solver.solve(ctx, b.view(), x);
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_EQ(result.outside_range > 0.0, &A == &singular);
    const LocalMatrix<double, Host> strip = to_local(ctx, partition, ranks::rows_of(ctx, A, partition));
    const Operator<double, Host> product(ctx, borrow(strip.A), Storage::csr,
                                         std::make_shared<Halo<double, Host>>(strip.layout));
    MultiVector<double, Host> r(ctx, x.rows());
    product.residual(ctx, b.view(), std::as_const(x), r);
    const double norm = norms<double>(ctx, b.view()).front();
    EXPECT_LE(norms<double>(ctx, std::as_const(r)).front(), (1e-7 + 1.001 * result.outside_range) * norm);
  };
  for (const CsrMatrix<double, Host>* A : {&whole, &shared, &singular, &shared, &whole}) {
    solver.setup(ctx, ranks::rows_of(ctx, *A, partition));
    expect_solved(*A);
    GlobalRows<double, Host> bad = ranks::rows_of(ctx, A == &whole ? shared : whole, partition);
    std::ranges::fill(bad.values.span(), std::numeric_limits<double>::quiet_NaN());
    EXPECT_THROW(solver.setup(ctx, std::move(bad)), InputError);
    expect_solved(*A);
  }
}

/// The null vectors of matrices in other units, and x, are those of one rank bit by bit.
TEST(SharedSolver, FindsNullVectorsAsOneRankDoes) {
  Context<Host> host(1);
  GeneratedProblem neumann = poisson({40, 40}, Discretization::fd);
  neumann.boundary = Boundary::neumann;
  const auto A = reference::in_units(generate_matrix<double>(host, neumann),
                                     [](Index i) { return std::ldexp(1.0, static_cast<int>(i % 7) - 3); });
  AmgOptions amg;
  amg.replicate_below = 0;
  amg.coarse_size = 50;
  amg.direct_solve_limit = 50;
  const std::vector<double> b = reference::random_values<double>(static_cast<std::size_t>(A.rows), 1);
  AmgSolver<double, Host> alone(amg, {});
  alone.setup(host, borrow(A));
  MultiVector<double, Host> expected = reference::upload(host, std::vector<double>(b.size()));
  const SolveResult of_one = alone.solve(host, reference::upload(host, b).view(), expected);
  EXPECT_EQ(of_one.null_vectors_found, 1);
  for (const Cut cut : ranks::all_cuts()) {
    const Partition partition(world(), ranks::own_rows(world(), cut, A.rows));
    const auto first = static_cast<std::size_t>(partition.first(world().rank()));
    const auto rows = static_cast<std::size_t>(partition.rows(world().rank()));
    Context<Host> ctx = ranks::shared_context<Host>();
    SharedSolver<double, Host> solver(amg, {});
    solver.setup(ctx, ranks::rows_of(ctx, A, partition));
    EXPECT_GT(solver.shared_levels(), 0u);
    const std::vector<double> own(b.begin() + static_cast<std::ptrdiff_t>(first),
                                  b.begin() + static_cast<std::ptrdiff_t>(first + rows));
    MultiVector<double, Host> x = reference::upload(ctx, std::vector<double>(rows));
    const SolveResult result = solver.solve(ctx, reference::upload(ctx, own).view(), x);
    EXPECT_EQ(result.reason, StopReason::converged) << describe(result.reason);
    EXPECT_EQ(result.null_vectors_found, of_one.null_vectors_found);
    EXPECT_EQ(result.iterations, of_one.iterations);
    EXPECT_TRUE(std::equal(x.data(), x.data() + rows, expected.data() + first));
  }
}

TEST(SharedSolver, WaitsForAStepToEndAtNoLongerThanItMay) {
  bool is_asked = false;
  const auto asked = [&] { return is_asked; };
  AgreedStop at_once(world(), asked, std::chrono::seconds(0));
  AgreedStop patient(world(), asked);
  EXPECT_FALSE(at_once.has_come());
  is_asked = true;
  EXPECT_TRUE(at_once.has_come());
  EXPECT_FALSE(at_once.has_come().is_of_all);
  EXPECT_FALSE(patient.has_come());
  patient.at_steps({})({.phase = "setup"});
  EXPECT_TRUE(patient.has_come());
  EXPECT_TRUE(patient.has_come().is_of_all);
}

/// Others may be within the iteration: a rank that ends there by itself sends nothing for the residual of its x.
TEST(SharedSolver, JudgesNothingWhereARankEndsByItself) {
  Context<Host> ctx(1);
  AmgOptions options;
  options.replicate_below = 0;
  SharedSolver<double, Host> solver(options, {});
  const auto A = generate_matrix<double>(ctx, poisson({60, 50}, Discretization::fd));
  solver.setup(ctx, ranks::rows_of(ctx, A, Partition(Communicator::serial(), A.rows)));
  MultiVector<double, Host> b(ctx, A.rows);
  fill_random<double>(ctx, 1, b);
  for (const bool is_of_all : {true, false}) {
    MultiVector<double, Host> x(ctx, A.rows);
    fill<double>(ctx, 0.0, x);
    int asked = 0;
    ctx.set_stop([&] { return StopRequest(++asked == 40, is_of_all); });
    if (is_of_all) {
      EXPECT_EQ(solver.solve(ctx, std::as_const(b).view(), x.view()).reason, StopReason::interrupted);
    } else {
      EXPECT_THROW(solver.solve(ctx, std::as_const(b).view(), x.view()), OutOfStepError);
    }
    ctx.set_stop({});
    EXPECT_GE(asked, 40);
  }
}

/// A rank that has done all waits for those that are asked to end at a step.
TEST(Agreement, OfThoseThatAreDoneWithThoseAtAStep) {
  if (world().rank() > 0) {
    EXPECT_TRUE(agree_on_step(world(), true));
  }
  EXPECT_NO_THROW(agree_on_failure(world(), nullptr));
}

/// What each rank's rows do wrong in turn, all ranks tell alike.
TEST(SharedSolver, AllRanksRefuseWhatOneHasWrong) {
  Context<Host> whole(1);
  const auto A = generate_matrix<double>(whole, poisson({60, 50}, Discretization::fd));
  AmgOptions options;
  options.replicate_below = 3000;
  const Partition partition(world(), ranks::own_rows(world(), Cut::even, A.rows));
  for (int rank = 0; rank < world().size(); ++rank) {
    const std::string prefix = world().size() > 1 ? "rank " + std::to_string(rank) + ": " : "";
    const auto refused = [&](const auto& spoil) -> std::string {
      Context<Host> ctx(1, world());
      GlobalRows<double, Host> rows = ranks::rows_of(ctx, A, partition);
      if (rank == world().rank()) {
        spoil(rows);
      }
      SharedSolver<double, Host> solver(options, {});
      try {
        solver.setup(ctx, std::move(rows));
      } catch (const InputError& error) {
        return error.what();
      }
      return "nothing thrown";
    };
    const std::string row = std::to_string(partition.first(rank) + 1);
    const Offset first_entry = A.row_offsets[static_cast<std::size_t>(partition.first(rank))];
    const std::string first_column = std::to_string(A.col_indices[static_cast<std::size_t>(first_entry)] + 1);
    EXPECT_EQ(refused([](auto& rows) { rows.values[0] = std::numeric_limits<double>::quiet_NaN(); }),
              prefix + "the matrix entry in row " + row + ", column " + first_column + " is NaN or infinite");
    EXPECT_EQ(refused([](auto& rows) { std::fill_n(rows.values.data(), rows.row_offsets[1], 0.0); }),
              prefix + error_of_zero_row(partition.first(rank)));
    EXPECT_EQ(refused([](auto& rows) { rows.col_indices[1] = rows.col_indices[0]; }),
              prefix + "row " + row + ": column " + first_column + " is repeated or out of order");
  }
}

}  // namespace
}  // namespace amgsolve
