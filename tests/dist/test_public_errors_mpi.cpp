#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <amgsolve/mpi.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "tests/dist/public_ranks.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/reference/matrices.hpp"

namespace amgsolve {
namespace {

using ranks::Failure;
using ranks::failure_of;
using ranks::own_rows;
using ranks::poisson;
using ranks::Rows;
using ranks::small_levels;
using ranks::world;
using testing::HasSubstr;

TEST(PublicRanksErrors, AreTheSameOnAllProcesses) {
  const CsrMatrix<double, Host> A = poisson();
  const Partition partition(world(), ranks::own_rows(world(), ranks::Cut::even, A.rows));
  const Rows<double> rows = own_rows<double>(A, partition);
  const std::vector<double> b(static_cast<std::size_t>(rows.rows), 1.0);
  for (int bad = 0; bad < world().size(); ++bad) {
    SCOPED_TRACE(testing::Message() << "rank " << bad << " is wrong");
    const bool is_bad = world().rank() == bad;
    Solver<double> solver(small_levels(), mpi(MPI_COMM_WORLD));
    const auto setup_of = [&](auto spoil) {
      Rows<double> spoilt = rows;
      if (is_bad) {
        spoil(spoilt);
      }
      return failure_of([&] { solver.setup(spoilt.view()); });
    };
    const auto expect_input_error = [&](const Failure& failure, const std::string& part) {
      EXPECT_EQ(failure.status, Status::bad_input);
      EXPECT_NE(failure.message.find(part), std::string::npos) << failure.message;
    };
    std::vector<double> x(b.size());
    expect_input_error(failure_of([&] { solver.solve(b, x); }), "setup() has not run");
    expect_input_error(setup_of([](Rows<double>& r) { r.row_offsets.pop_back(); }), "row_offsets has");
    expect_input_error(setup_of([](Rows<double>& r) { r.row_offsets[1] = 1 << 20; }), "before its first entry");
    expect_input_error(setup_of([](Rows<double>& r) { r.row_offsets[0] = 1; }), "begins at entry 1");
    expect_input_error(setup_of([](Rows<double>& r) { r.values.pop_back(); }), "values has");
    expect_input_error(setup_of([](Rows<double>& r) { r.columns[0] = 1 << 20; }), "an entry in column");
    expect_input_error(setup_of([](Rows<double>& r) { r.columns[0] = -1; }), "an entry in column");
    expect_input_error(setup_of([](Rows<double>& r) { r.values[3] = std::numeric_limits<double>::quiet_NaN(); }),
                       "NaN");
    EXPECT_EQ(failure_of([&] { solver.hierarchy(); }).status, Status::bad_input);
    ASSERT_EQ(failure_of([&] { solver.setup(rows.view()); }).message, "");
    std::vector<double> short_x(b.size() - (is_bad ? 1 : 0));
    expect_input_error(failure_of([&] { solver.solve(b, short_x); }), "");
    expect_input_error(failure_of([&] { solver.solve(is_bad ? ArrayView<const double>(x) : b, x); }), "share memory");
    std::vector<double> guess(b.size());
    if (is_bad) {
      guess[1] = std::numeric_limits<double>::quiet_NaN();
    }
    expect_input_error(failure_of([&] { solver.solve(b, guess); }),
                       "the initial guess is NaN or infinite in row " + std::to_string(partition.first(bad) + 2));
    if (world().size() > 1) {
      SolveSettings<double> settings;
      settings.columns = is_bad ? 1 : 2;
      expect_input_error(failure_of([&] { solver.solve(b, x, settings); }), "right-hand sides");
      settings.columns = 1;
      settings.tolerance = is_bad ? 1e-3 : 1e-4;
      expect_input_error(failure_of([&] { solver.solve(b, x, settings); }), "tolerances");
      expect_input_error(failure_of([&] { solver.precondition(b, x, is_bad ? 1 : 2); }), "right-hand sides");
    }
    expect_input_error(failure_of([&] { solver.precondition(b, short_x); }), "");
    Rows<double> other = rows;
    if (is_bad) {
      other.columns.pop_back();
      other.values.pop_back();
      --other.row_offsets.back();
    }
    expect_input_error(failure_of([&] { solver.update_values(other.view()); }), "new values");
    EXPECT_EQ(solver.solve(b, x).status, Status::converged);
    // With the latter each process has the whole matrix.
    for (const char* reuse : {"none", "pattern"}) {
      SCOPED_TRACE(reuse);
      Options options = small_levels();
      options.set("solver.reuse", reuse);
      Solver<double> updated(options, mpi(MPI_COMM_WORLD));
      updated.setup(rows.view());
      const auto update_of = [&](std::size_t offset, std::int64_t value) {
        Rows<double> spoilt = rows;
        if (is_bad) {
          spoilt.row_offsets[offset] = value;
        }
        return failure_of([&] { updated.update_values(spoilt.view()); });
      };
      expect_input_error(update_of(0, 1), "of the rank's rows, row 1: begins at entry 1");
      expect_input_error(update_of(1, 1 << 20), "before its first entry");
      EXPECT_EQ(updated.solve(b, x).status, Status::converged);
    }
  }
}

/// With reuse each process has the whole matrix, else levels are shared.
TEST(PublicRanksErrors, ValuesThatAreRefusedLeaveAllProcessesTheFormerOnes) {
  const CsrMatrix<double, Host> A = poisson();
  const Partition partition(world(), ranks::own_rows(world(), ranks::Cut::even, A.rows));
  const Rows<double> rows = own_rows<double>(A, partition);
  const std::vector<double> b(static_cast<std::size_t>(rows.rows), 1.0);
  std::vector<double> x(b.size());
  for (const char* reuse : {"none", "pattern"}) {
    for (int bad = 0; bad < world().size(); ++bad) {
      SCOPED_TRACE(testing::Message() << "reuse " << reuse << ", values of rank " << bad << " are bad");
      Options options = small_levels();
      options.set("solver.reuse", reuse).set("solver.method", "cg");
      Solver<double> solver(options, mpi(MPI_COMM_WORLD));
      const auto with_first_diagonal = [&](double value) {
        Rows<double> changed = rows;
        if (world().rank() == bad) {
          changed.values[static_cast<std::size_t>(std::ranges::find(rows.columns, partition.first(world().rank())) -
                                                  rows.columns.begin())] = value;
        }
        return changed;
      };
      const auto solve = [&] {
        x.assign(x.size(), 0.0);
        return solver.solve(b, x).status;
      };
      solver.setup(rows.view());
      ASSERT_EQ(solve(), Status::converged);
      const std::vector<double> before = x;
      const double nan = std::numeric_limits<double>::quiet_NaN();
      EXPECT_THAT(failure_of([&] { solver.update_values(with_first_diagonal(nan).view()); }).message,
                  HasSubstr("is NaN or infinite"));
      Rows<double> one_sided = rows;
      if (world().rank() == bad) {
        one_sided.values[1] *= 2.0;  // beside the diagonal in a rank's first row, or in front of it
      }
      EXPECT_THAT(failure_of([&] { solver.update_values(one_sided.view()); }).message, HasSubstr("not symmetric"));
      ASSERT_EQ(solve(), Status::converged);
      EXPECT_EQ(x, before);

      EXPECT_EQ(failure_of([&] { solver.update_values(with_first_diagonal(-6.0).view()); }).status, Status::breakdown);
      EXPECT_THAT(failure_of(solve).message, HasSubstr("or update_values() has failed since"));
      solver.update_values(rows.view());
      ASSERT_EQ(solve(), Status::converged);
      EXPECT_EQ(x, before);
    }
  }
}

TEST(PublicRanksErrors, TellOnAllProcessesWhatACallbackHasThrownOnOne) {
  const CsrMatrix<double, Host> A = poisson();
  const Rows<double> rows = own_rows<double>(A, Partition(world(), ranks::own_rows(world(), ranks::Cut::even, A.rows)));
  const std::vector<double> b(static_cast<std::size_t>(rows.rows), 1.0);
  std::vector<double> x(b.size());
  for (const std::int64_t replicated : {3000, 1 << 30}) {
    for (int bad = 0; bad < world().size(); ++bad) {
      SCOPED_TRACE(testing::Message() << "levels below " << replicated << " are replicated, rank " << bad << " throws");
      const bool is_bad = world().rank() == bad;
      Solver<double> solver(small_levels().set("distributed.replicate_below", replicated), mpi(MPI_COMM_WORLD));
      const auto expect_thrown = [&](const char* callback, auto call) {
        SCOPED_TRACE(callback);
        const Failure failure = failure_of(call);
        const std::string of_rank = world().size() > 1 ? "rank " + std::to_string(bad) + ": " : "";
        EXPECT_EQ(failure.message, of_rank + callback + " has thrown, which it must not: broken");
        EXPECT_EQ(failure.status, Status::bad_input);
      };
      const auto stop = [&] { return is_bad ? throw std::runtime_error("broken") : false; };
      const auto solve = [&] {
        x.assign(x.size(), 0.0);
        return solver.solve(b, x).status;
      };
      solver.stop_when(stop);
      expect_thrown("the function of stop_when()", [&] { solver.setup(rows.view()); });
      solver.stop_when({});
      solver.setup(rows.view());
      solver.stop_when(stop);
      expect_thrown("the function of stop_when()", solve);
      expect_thrown("the function of stop_when()", [&] { solver.precondition(b, x); });
      solver.stop_when({});
      EXPECT_EQ(solve(), Status::converged);
      solver.on_iteration(
          [&](int step, double) { return is_bad && step == 2 ? throw std::runtime_error("broken") : true; });
      expect_thrown("the function of on_iteration()", solve);
      solver.on_iteration({});
      EXPECT_EQ(solve(), Status::converged);
      int products = 0;
      SolveSettings<double> settings;
      settings.product = [&](const double* p, double* y, int, void*) {
        if (is_bad && ++products == 3) {
          throw std::runtime_error("broken");
        }
        std::transform(p, p + rows.rows, y, [](double value) { return 4.0 * value; });
      };
      expect_thrown("the product of a solve", [&] { solver.solve(b, x, settings); });
      EXPECT_EQ(solve(), Status::converged);
    }
  }
}

TEST(PublicRanksErrors, NameTheProcessWhoseCoordinatesAreNotOfItsRows) {
  constexpr std::int64_t nodes = 60;
  Context<Host> ctx(1);
  const CsrMatrix<double, Host> A = reference::random_spd_matrix<double>(ctx, 2 * nodes, 3, 1);
  const Partition of_nodes(world(), ranks::own_rows(world(), ranks::Cut::even, nodes));
  const Rows<double> rows = own_rows<double>(A, Partition(world(), 2 * of_nodes.rows(world().rank())));
  const auto failure_with = [&](std::int64_t own_nodes, const char* numbering) {
    const std::vector<double> positions = reference::random_values<double>(2 * static_cast<std::size_t>(own_nodes), 1);
    Options options = small_levels();
    options.set("amg.unknowns", numbering);
    Solver<double> solver(options, mpi(MPI_COMM_WORLD));
    return failure_of([&] { solver.setup(rows.view(), {}, Coordinates<double>{positions, 2}); });
  };
  const auto expect_refusal = [&](const Failure& failure, const std::string& message) {
    EXPECT_EQ(failure.status, world().size() > 1 ? Status::bad_input : Status::converged);
    EXPECT_EQ(failure.message, world().size() > 1 ? message : "");
  };
  const int last = world().size() - 1;
  const bool is_last = world().rank() == last;
  const std::int64_t own_nodes = of_nodes.rows(world().rank());
  // All on the last process, while rows are on all.
  const std::int64_t nodes_of_last = is_last ? nodes : 0;
  EXPECT_EQ(failure_with(nodes_of_last, "by_field").message, "");
  expect_refusal(failure_with(nodes_of_last, "by_node"), "rank 0: there are no coordinates for " +
                                                             std::to_string(2 * of_nodes.rows(0)) +
                                                             " rows of the matrix, but there are for those of others");
  expect_refusal(failure_with(world().size() > 1 && is_last ? 0 : own_nodes, "by_node"),
                 "rank " + std::to_string(last) + ": there are no coordinates for " +
                     std::to_string(2 * of_nodes.rows(last)) +
                     " rows of the matrix, but there are for those of others");
  expect_refusal(failure_with(world().size() == 1 ? nodes : own_nodes + (world().rank() == 0) - is_last, "by_node"),
                 "rank 0: there are coordinates of " + std::to_string(of_nodes.rows(0) + 1) + " nodes for " +
                     std::to_string(2 * of_nodes.rows(0)) + " rows of the matrix, with 2 a node");
}

TEST(PublicRanksErrors, OptionsOfAProcessAreThoseOfAll) {
  Options options = small_levels();
  options.set("solver.threads", std::int64_t{world().rank() % 2 + 1});
  EXPECT_EQ(failure_of([&] { Solver<double>(options, mpi(MPI_COMM_WORLD)); }).message, "");
  options.set("solver.max_iterations", std::int64_t{world().rank() == 0 ? 300 : 7});
  const Failure failure = failure_of([&] { Solver<double>(options, mpi(MPI_COMM_WORLD)); });
  EXPECT_EQ(failure.message,
            world().size() > 1
                ? "ranks were given different options: 'solver.max_iterations' of rank 1 is not that of rank 0"
                : "");
  EXPECT_EQ(failure.status, world().size() > 1 ? Status::bad_configuration : Status::converged);
}

TEST(PublicRanksErrors, SayWhatIsNotForSeveralProcesses) {
  const CsrMatrix<double, Host> A = poisson();
  const Partition partition(world(), ranks::own_rows(world(), ranks::Cut::even, A.rows));
  const Rows<double> rows = own_rows<double>(A, partition);
  std::vector<double> b(static_cast<std::size_t>(rows.rows), 1.0);
  std::vector<double> x(b.size());
  if (device_count() == 0) {
    EXPECT_EQ(failure_of([&] { Solver<double>(small_levels("cuda"), mpi(MPI_COMM_WORLD)); }).status,
              Status::device_failed);
  }
  EXPECT_EQ(failure_of([&] { Solver<double>(Options(), std::shared_ptr<const ProcessGroup>()); }).status,
            Status::bad_configuration);
  Solver<double> alone(small_levels());
  EXPECT_EQ(failure_of([&] { alone.setup(rows.view()); }).status, Status::bad_input);
  Solver<double> solver(small_levels(), mpi(MPI_COMM_WORLD));
  solver.setup(rows.view());
  const CsrView<double, std::int64_t> whole{};
  EXPECT_EQ(failure_of([&] { solver.setup(whole); }).status, Status::bad_input);
  EXPECT_EQ(failure_of([&] { solver.update_values(whole); }).status, Status::bad_input);
  EXPECT_EQ(failure_of([&] { alone.update_values(rows.view()); }).status, Status::bad_input);
  EXPECT_EQ(failure_of([&] { solver.level_matrix(0, LevelMatrix::A); }).status, Status::bad_configuration);
  EXPECT_EQ(failure_of([&] { solver.share(); }).status, Status::bad_configuration);
  EXPECT_EQ(failure_of([&] { solver.solve(b, x, 1, MemoryKind::device); }).status, Status::bad_input);
}

}  // namespace
}  // namespace amgsolve
