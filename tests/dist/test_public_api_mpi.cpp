#include <gtest/gtest.h>

#include <algorithm>
#include <amgsolve/mpi.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "problems/generate.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"

namespace amgsolve {
namespace {

using ranks::world;

template <class T>
struct Rows {
  std::vector<std::int64_t> row_offsets;
  std::vector<std::int32_t> narrow_offsets;
  std::vector<std::int64_t> columns;
  std::vector<T> values;
  std::int64_t rows = 0;

  DistributedCsrView<T, std::int64_t> view() const { return {rows, row_offsets, columns, values}; }
  DistributedCsrView<T, std::int32_t> narrow_view() const { return {rows, narrow_offsets, columns, values}; }
};

template <class T>
Rows<T> own_rows(const CsrMatrix<double, Host>& A, const Partition& partition) {
  Context<Host> ctx(1, world());
  const GlobalRows<double, Host> own = ranks::rows_of(ctx, A, partition);
  Rows<T> rows;
  rows.rows = own.rows();
  rows.row_offsets.assign(own.row_offsets.span().begin(), own.row_offsets.span().end());
  rows.narrow_offsets.assign(own.row_offsets.span().begin(), own.row_offsets.span().end());
  rows.columns.assign(own.col_indices.span().begin(), own.col_indices.span().end());
  rows.values.assign(own.values.span().begin(), own.values.span().end());
  return rows;
}

CsrMatrix<double, Host> poisson() {
  Context<Host> ctx(1);
  return generate_matrix<double>(ctx, reference::poisson(reference::grid({18, 17, 19}), Discretization::fd));
}

/// So that levels are shared.
Options small_levels() {
  Options options;
  options.set("solver.backend", "host").set("solver.threads", 1).set("solver.tolerance", 1e-6);
  options.set("amg.coarse_size", 50).set("amg.direct_solve_limit", 50).set("distributed.replicate_below", 3000);
  return options;
}

template <class T>
class PublicRanks : public testing::Test {};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(PublicRanks, Values);

TYPED_TEST(PublicRanks, SolveToTheBitsOfOneProcess) {
  using T = TypeParam;
  const CsrMatrix<double, Host> A = poisson();
  const auto n = static_cast<std::size_t>(A.rows);
  const std::vector<T> values(A.values.span().begin(), A.values.span().end());
  Solver<T> alone(small_levels());
  alone.setup(CsrView<T, std::int64_t>{A.rows, A.cols, ArrayView<const std::int64_t>(A.row_offsets.data(), n + 1),
                                       ArrayView<const std::int32_t>(A.col_indices.data(), values.size()), values});
  for (const int columns : {1, 3}) {
    const auto k = static_cast<std::size_t>(columns);
    const std::vector<T> b = reference::random_values<T>(n * k, 1);
    std::vector<T> x(n * k);
    const Result expected = alone.solve(b, x, columns);
    ASSERT_EQ(expected.status, Status::converged) << expected.message;
    for (const ranks::Cut cut : ranks::all_cuts()) {
      SCOPED_TRACE(to_string(cut));
      const Partition partition(world(), ranks::own_rows(world(), cut, A.rows));
      const Rows<T> rows = own_rows<T>(A, partition);
      Solver<T> solver(small_levels(), mpi(MPI_COMM_WORLD));
      if (columns == 1) {
        solver.setup(rows.view());
      } else {
        solver.setup(rows.narrow_view());
      }
      const std::vector<T> own_b = ranks::rows_of(b, partition, world().rank(), k);
      std::vector<T> own_x(own_b.size());
      const Result result = solver.solve(own_b, own_x, columns);
      EXPECT_EQ(result.status, expected.status);
      EXPECT_EQ(result.iterations, expected.iterations);
      EXPECT_EQ(result.relative_residual, expected.relative_residual);
      EXPECT_EQ(own_x, ranks::rows_of(x, partition, world().rank(), k));
      const HierarchyStatistics hierarchy = solver.hierarchy();
      ASSERT_EQ(hierarchy.levels.size(), alone.hierarchy().levels.size());
      EXPECT_EQ(hierarchy.levels.front().rows, A.rows);
      EXPECT_EQ(hierarchy.levels.back().rows, alone.hierarchy().levels.back().rows);
      const auto json = nlohmann::json::parse(solver.report_json());
      EXPECT_EQ(json["problem"]["ranks"], world().size());
      ASSERT_EQ(json["ranks"].size(), static_cast<std::size_t>(world().size()));
      std::int64_t all_rows = 0;
      std::int64_t ghosts = 0;
      std::int64_t bytes = 0;
      for (const auto& rank : json["ranks"]) {
        all_rows += rank["rows"].template get<std::int64_t>();
        ghosts += rank["ghosts"].template get<std::int64_t>();
        bytes += rank["bytes_sent"].template get<std::int64_t>();
        EXPECT_GE(rank["seconds_waited"].template get<double>(), 0.0);
      }
      EXPECT_EQ(all_rows, A.rows);
      const auto has_rows = [](const auto& rank) { return rank["rows"] > 0; };
      if (std::ranges::count_if(json["ranks"], has_rows) > 1) {
        EXPECT_GT(ghosts, 0);
        // Every iteration sends the ghosts' values once at least.
        EXPECT_GT(bytes, ghosts * result.iterations * columns * static_cast<std::int64_t>(sizeof(T)));
        EXPECT_NE(solver.report().find("waited"), std::string::npos);
      } else {
        EXPECT_EQ(ghosts, 0);
      }
    }
  }
}

/// What a call throws; all processes have to throw the same.
struct Failure {
  Status status = Status::converged;
  std::string message;
};

template <class Call>
Failure failure_of(const Call& call) {
  Failure failure;
  try {
    call();
  } catch (const Exception& error) {
    failure = {error.status(), error.what()};
  }
  const std::string mine = std::to_string(static_cast<int>(failure.status)) + failure.message;
  const std::vector<char> all = world().all_gather_list(std::span<const char>(mine));
  std::string expected;
  for (int rank = 0; rank < world().size(); ++rank) {
    expected += mine;
  }
  EXPECT_EQ(std::string(all.begin(), all.end()), expected);
  return failure;
}

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
    expect_input_error(setup_of([](Rows<double>& r) { r.row_offsets[1] = 1 << 20; }), "row_offsets descends at row 2");
    expect_input_error(setup_of([](Rows<double>& r) { r.row_offsets[0] = 1; }), "row_offsets goes from 1");
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
    if (world().size() > 1) {
      SolveSettings<double> settings;
      settings.columns = is_bad ? 1 : 2;
      expect_input_error(failure_of([&] { solver.solve(b, x, settings); }), "right-hand sides");
    }
    EXPECT_EQ(solver.solve(b, x).status, Status::converged);
  }
}

TEST(PublicRanksErrors, SayWhatIsNotForSeveralProcesses) {
  const CsrMatrix<double, Host> A = poisson();
  const Partition partition(world(), ranks::own_rows(world(), ranks::Cut::even, A.rows));
  const Rows<double> rows = own_rows<double>(A, partition);
  std::vector<double> b(static_cast<std::size_t>(rows.rows), 1.0);
  std::vector<double> x(b.size());
  Options cuda;
  cuda.set("solver.backend", "cuda");
  EXPECT_EQ(failure_of([&] { Solver<double>(cuda, mpi(MPI_COMM_WORLD)); }).status, Status::bad_configuration);
  EXPECT_EQ(failure_of([&] { Solver<double>(Options(), std::shared_ptr<const ProcessGroup>()); }).status,
            Status::bad_configuration);
  Solver<double> alone(small_levels());
  EXPECT_EQ(failure_of([&] { alone.setup(rows.view()); }).status, Status::bad_input);
  Solver<double> solver(small_levels(), mpi(MPI_COMM_WORLD));
  solver.setup(rows.view());
  const CsrView<double, std::int64_t> whole{};
  EXPECT_EQ(failure_of([&] { solver.setup(whole); }).status, Status::bad_input);
  EXPECT_EQ(failure_of([&] { solver.update_values(whole); }).status, Status::bad_configuration);
  EXPECT_EQ(failure_of([&] { solver.precondition(b, x); }).status, Status::bad_configuration);
  EXPECT_EQ(failure_of([&] { solver.level_matrix(0, LevelMatrix::A); }).status, Status::bad_configuration);
  SolveSettings<double> settings;
  settings.tolerance = 0.1;
  EXPECT_EQ(failure_of([&] { solver.solve(b, x, settings); }).status, Status::bad_configuration);
}

TEST(PublicRanksInterruption, OfOneProcessEndsTheSolveOfAll) {
  const CsrMatrix<double, Host> A = poisson();
  const Partition partition(world(), ranks::own_rows(world(), ranks::Cut::even, A.rows));
  const Rows<double> rows = own_rows<double>(A, partition);
  const std::vector<double> b(static_cast<std::size_t>(rows.rows), 1.0);
  for (const bool by_iteration : {true, false}) {
    std::vector<double> x(b.size());
    Solver<double> solver(small_levels(), mpi(MPI_COMM_WORLD));
    solver.setup(rows.view());
    const bool is_last = world().rank() + 1 == world().size();
    int iterations = 0;
    if (by_iteration) {
      solver.on_iteration([&](int iteration, double) { return !is_last || iteration < 3; });
    } else {
      solver.on_iteration([&](int iteration, double) { return (iterations = iteration) >= 0; });
      solver.stop_when([&] { return is_last && iterations >= 3; });
    }
    const Result result = solver.solve(b, x);
    EXPECT_EQ(result.status, Status::interrupted);
    EXPECT_EQ(result.iterations, 3);
  }
}

TEST(PublicRanksGathered, SolveMatricesWhoseLevelsAreNotShared) {
  // I + a cycle: not symmetric.
  constexpr std::int64_t n = 300;
  const Partition partition(world(), ranks::own_rows(world(), ranks::Cut::gaps, n));
  Rows<double> rows;
  rows.rows = partition.rows(world().rank());
  rows.row_offsets.push_back(0);
  for (std::int64_t i = partition.first(world().rank()); i < partition.end(world().rank()); ++i) {
    const std::int64_t next = (i + 1) % n;
    rows.columns.insert(rows.columns.end(), {std::min(i, next), std::max(i, next)});
    rows.values.insert(rows.values.end(), {i < next ? 3.0 : -1.0, i < next ? -1.0 : 3.0});
    rows.row_offsets.push_back(static_cast<std::int64_t>(rows.columns.size()));
  }
  if (rows.rows == 0) {
    rows.row_offsets.clear();
  }
  Solver<double> solver(small_levels(), mpi(MPI_COMM_WORLD));
  solver.setup(rows.view());
  const std::vector<double> b(static_cast<std::size_t>(rows.rows), 2.0);
  std::vector<double> x(b.size());
  EXPECT_EQ(solver.solve(b, x).status, Status::converged);
  for (const double value : x) {
    EXPECT_NEAR(value, 1.0, 1e-4);
  }
}

}  // namespace
}  // namespace amgsolve
