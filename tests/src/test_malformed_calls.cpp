#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <amgsolve/amgsolve.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace amgsolve {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// tridiag(−1, 2, −1) of five rows, to be spoilt.
struct Matrix {
  std::int64_t rows = 5;
  std::int64_t cols = 5;
  std::vector<std::int64_t> row_offsets{0, 2, 5, 8, 11, 13};
  std::vector<std::int32_t> col_indices{0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4};
  std::vector<double> values{2, -1, -1, 2, -1, -1, 2, -1, -1, 2, -1, -1, 2};
  MemoryKind memory = MemoryKind::host;

  CsrView<double, std::int64_t> view() const { return {rows, cols, row_offsets, col_indices, values, memory}; }
};

/// Where there is a GPU, too.
Options on_host() { return Options().set("solver.backend", "host"); }

struct MalformedCall {
  Status status;
  const char* message;  ///< a part of it: what is at fault
  std::function<void()> call;
};

void expect_refusals(const std::vector<MalformedCall>& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& [status, message, call] = table[i];
    SCOPED_TRACE(i);
    try {
      call();
      ADD_FAILURE() << "taken; expected: " << message;
    } catch (const Exception& error) {
      EXPECT_EQ(name(error.status()), name(status)) << error.what();
      EXPECT_THAT(error.what(), testing::HasSubstr(message));
    }
  }
}

MalformedCall setup(Status status, const char* message, const std::function<void(Matrix&)>& spoil) {
  return {status, message, [spoil] {
            Matrix A;
            spoil(A);
            Solver<double>(on_host().set("solver.method", "cg")).setup(A.view());
          }};
}

MalformedCall input(const char* message, const std::function<void(Matrix&)>& spoil) {
  return setup(Status::bad_input, message, spoil);
}

TEST(MalformedCalls, OfMatricesAreRefused) {
  expect_refusals({
      input("not square: 5 x 4", [](Matrix& A) { A.cols = 4; }),
      input("not square: 5 x 6", [](Matrix& A) { A.cols = 6; }),
      input("rows of the matrix is -1", [](Matrix& A) { A.rows = -1; }),
      input("columns of the matrix is -1", [](Matrix& A) { A.cols = -1; }),
      input("rows of the matrix is 2147483648", [](Matrix& A) { A.rows = A.cols = std::int64_t{1} << 31; }),
      input("rows of the matrix is 4294967301", [](Matrix& A) { A.rows = (std::int64_t{1} << 32) + 5; }),
      input("no rows",
            [](Matrix& A) {
              A = Matrix{0, 0, {0}, {}, {}};
            }),
      input("no rows",
            [](Matrix& A) {
              A = Matrix{0, 0, {}, {}, {}};
            }),
      input("0 row offsets for a matrix of 5 x 5", [](Matrix& A) { A.row_offsets.clear(); }),
      input("5 row offsets for a matrix of 5 x 5", [](Matrix& A) { A.row_offsets.pop_back(); }),
      input("7 row offsets for a matrix of 5 x 5", [](Matrix& A) { A.row_offsets.push_back(13); }),
      input("6 row offsets for a matrix of 6 x 6", [](Matrix& A) { A.rows = A.cols = 6; }),
      input("12 column indices but 13 values", [](Matrix& A) { A.col_indices.pop_back(); }),
      input("13 column indices but 12 values", [](Matrix& A) { A.values.pop_back(); }),
      input("0 column indices but 13 values", [](Matrix& A) { A.col_indices.clear(); }),
      input("13 column indices but 0 values", [](Matrix& A) { A.values.clear(); }),
      input("row 1: begins at entry 1 and not at 0", [](Matrix& A) { A.row_offsets[0] = 1; }),
      input("row 1: begins at entry -1 and not at 0", [](Matrix& A) { A.row_offsets[0] = -1; }),
      input("row 2", [](Matrix& A) { A.row_offsets[2] = 1; }),
      input("row 5", [](Matrix& A) { A.row_offsets[4] = 14; }),
      input("row 3", [](Matrix& A) { A.row_offsets[3] = -8; }),
      input("14", [](Matrix& A) { A.row_offsets[5] = 14; }),
      input("12", [](Matrix& A) { A.row_offsets[5] = 12; }),
      input("row 4", [](Matrix& A) { A.row_offsets[3] = std::numeric_limits<std::int64_t>::max(); }),
      input("row 1", [](Matrix& A) { A.col_indices[0] = -1; }),
      input("row 1", [](Matrix& A) { A.col_indices[1] = 5; }),
      input("row 5", [](Matrix& A) { A.col_indices[12] = 5; }),
      input("row 5", [](Matrix& A) { A.col_indices[12] = std::numeric_limits<std::int32_t>::max(); }),
      input("row 3", [](Matrix& A) { A.col_indices[6] = std::numeric_limits<std::int32_t>::min(); }),
      input("row 2", [](Matrix& A) { A.col_indices[3] = 0; }),
      input("row 2", [](Matrix& A) { std::swap(A.col_indices[3], A.col_indices[4]); }),
      input("row 1, column 1 is NaN", [](Matrix& A) { A.values[0] = nan; }),
      input("row 5, column 5 is NaN or infinite", [](Matrix& A) { A.values[12] = infinity; }),
      input("row 3, column 4 is NaN or infinite", [](Matrix& A) { A.values[7] = -infinity; }),
      input("row 1 of the matrix is zero", [](Matrix& A) { A.values[0] = A.values[1] = A.values[2] = 0; }),
      input("row 5 of the matrix is zero", [](Matrix& A) { A.values[10] = A.values[11] = A.values[12] = 0; }),
      input("row 1 of the matrix is zero",
            [](Matrix& A) {
              A = Matrix{1, 1, {0, 0}, {}, {}};
            }),
      input("row 1, column 2", [](Matrix& A) { A.values[1] = 5; }),
      input("row 1, column 2", [](Matrix& A) { A.values[1] = 1; }),
      input("row 1, column 2", [](Matrix& A) { A.values[1] = -1.0001; }),
      input("row 4, column 5", [](Matrix& A) { A.values[10] = 0; }),
      input("at the end of the range of double precision", [](Matrix& A) { A.values[6] = 1e300; }),
      setup(Status::breakdown, "row 1", [](Matrix& A) { A.values[0] = -2; }),
      setup(Status::breakdown, "row 5", [](Matrix& A) { A.values[12] = 0; }),
      setup(Status::breakdown, "row 1",
            [](Matrix& A) {
              A = Matrix{2, 2, {0, 1, 2}, {1, 0}, {1, 1}};
            }),
      setup(Status::breakdown, "not positive definite",
            [](Matrix& A) {
              A = Matrix{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 2, 1}};
            }),
      input("'solver.backend'", [](Matrix& A) { A.memory = MemoryKind::device; }),
  });
}

/// A call of a solver that is set up, with options that it is set up under.
MalformedCall on_good_matrix(Status status, const char* message, const std::function<void(Solver<double>&)>& call,
                             const Options& options = on_host()) {
  return {status, message, [call, options] {
            const Matrix A;
            Solver<double> solver(options);
            solver.setup(A.view());
            call(solver);
          }};
}

MalformedCall solve(const char* message, const std::vector<double>& b, std::vector<double> x, int columns = 1,
                    MemoryKind memory = MemoryKind::host) {
  return on_good_matrix(Status::bad_input, message,
                        [=](Solver<double>& solver) mutable { solver.solve(b, std::span(x), columns, memory); });
}

TEST(MalformedCalls, OfRightHandSidesAndGuessesAreRefused) {
  const std::vector<double> good(5, 1.0);
  const auto with = [](double odd) { return std::vector<double>{1, 1, 1, 1, odd}; };
  expect_refusals({
      solve("b is 4 x 1, x is 5 x 1", std::vector<double>(4), good),
      solve("b is 5 x 1, x is 4 x 1", good, std::vector<double>(4)),
      solve("b is 6 x 1, x is 6 x 1", std::vector<double>(6), std::vector<double>(6)),
      solve("b is 0 x 1", {}, good),
      solve("x is 0 x 1", good, {}),
      solve("b has 5 values, which do not make 2 columns", good, good, 2),
      solve("columns of b is 0; there must be at least 1", good, good, 0),
      solve("columns of b is -1; there must be at least 1", good, good, -1),
      solve("x has 5 values, which do not make 2 columns", std::vector<double>(10), good, 2),
      solve("b is 1 x 5", good, good, 5),
      solve("the right-hand side is NaN or infinite in row 5, counted from 1", with(nan), good),
      solve("the right-hand side is NaN or infinite in row 5, counted from 1", with(infinity), good),
      solve("the right-hand side is NaN or infinite in row 5, counted from 1", with(-infinity), good),
      solve("the right-hand side has numbers too large for its norm", std::vector<double>(5, 1.7e308), good),
      solve("the initial guess is NaN or infinite in row 5, counted from 1", good, with(nan)),
      solve("the initial guess is NaN or infinite in row 5, counted from 1", good, with(infinity)),
      solve("the residual of the initial guess is not finite", good, std::vector<double>(5, 1.7e308)),
      solve("the right-hand side is NaN or infinite in row 2", {1, 1, 1, nan, 1, 1, 1, 1, 1, 1},
            std::vector<double>(10), 2),
      solve("b is said to be device memory", good, good, 1, MemoryKind::device),
      on_good_matrix(Status::bad_input, "b and x share memory",
                     [](Solver<double>& solver) {
                       std::vector<double> v(5, 1.0);
                       solver.solve(v, std::span(v));
                     }),
      {Status::bad_input, "setup() has not run",
       [] {
         std::vector<double> b(5, 1.0);
         std::vector<double> x(5, 0.0);
         Solver<double>().solve(b, std::span(x));
       }},
  });
}

MalformedCall near_nullspace(const char* message, const std::vector<double>& candidates, int block_size = 1) {
  return {Status::bad_input, message, [=] {
            const Matrix A;
            Solver<double>(Options().set("amg.block_size", block_size)).setup(A.view(), candidates);
          }};
}

/// They would take away, or write over, what the solve works with.
TEST(MalformedCalls, OfASolverFromItsOwnCallbacksAreRefused) {
  const Matrix A;
  const std::vector<double> b(5, 1.0);
  std::vector<double> other(5, 1.0);
  Solver<double> solver(on_host());
  solver.setup(A.view());
  const std::vector<std::function<void()>> calls = {
      [&] { solver.setup(A.view()); }, [&] { solver.update_values(A.view()); },
      [&] { solver.solve(b, std::span(other)); }, [&] { solver.precondition(b, std::span(other)); },
      [&] { solver.level_matrix(0, LevelMatrix::A); }};
  const auto expect_all_refused = [&] {
    std::vector<MalformedCall> table;
    for (const auto& call : calls) {
      table.push_back({Status::bad_input, "the solver is at work", call});
    }
    expect_refusals(table);
  };
  int asked = 0;
  SolveSettings<double> settings;
  settings.product = [&](const double* x, double* y, int, void*) {
    expect_all_refused();
    for (std::size_t i = 0; i < 5; ++i) {
      y[i] = 2.0 * x[i] - (i > 0 ? x[i - 1] : 0.0) - (i < 4 ? x[i + 1] : 0.0);
    }
  };
  solver.on_iteration([&](int, double) {
    expect_all_refused();
    ++asked;
    return true;
  });
  std::vector<double> x(5, 0.0);
  EXPECT_EQ(solver.solve(b, std::span(x), settings).status, Status::converged);
  EXPECT_NEAR(x[2], 4.5, 1e-6);
  EXPECT_GT(asked, 0);
  solver.on_iteration({});
  solver.stop_when([&] {
    expect_all_refused();
    return false;
  });
  solver.setup(A.view());
  solver.stop_when({});
  std::ranges::fill(x, 0.0);
  EXPECT_EQ(solver.solve(b, std::span(x)).status, Status::converged);
}

TEST(MalformedCalls, OfCallbacksThatThrowNameThem) {
  const auto fail = [] { throw std::runtime_error("no licence"); };
  SolveSettings<double> settings;
  settings.product = [&](const double*, double*, int, void*) { fail(); };
  const std::vector<double> b(5, 1.0);
  std::vector<double> x(5, 0.0);
  expect_refusals({
      on_good_matrix(Status::bad_input, "the product of a solve has thrown, which it must not: no licence",
                     [&](Solver<double>& solver) { solver.solve(b, std::span(x), settings); }),
      on_good_matrix(Status::bad_input, "the function of on_iteration() has thrown, which it must not: no licence",
                     [&](Solver<double>& solver) {
                       solver.on_iteration([&](int, double) {
                         fail();
                         return true;
                       });
                       solver.solve(b, std::span(x));
                     }),
      on_good_matrix(Status::bad_input, "the function of stop_when() has thrown, which it must not: no licence",
                     [&](Solver<double>& solver) {
                       solver.stop_when([&] {
                         fail();
                         return false;
                       });
                       solver.setup(Matrix().view());
                     }),
  });
}

TEST(MalformedCalls, OfNearNullspacesAreRefused) {
  expect_refusals({
      near_nullspace("4 values, which is no multiple of the 5 rows", std::vector<double>(4, 1.0)),
      near_nullspace("6 values, which is no multiple of the 5 rows", std::vector<double>(6, 1.0)),
      near_nullspace("near-nullspace vector 1", std::vector<double>(5, 0.0)),
      near_nullspace("near-nullspace vector 1", {1, 1, nan, 1, 1}),
      near_nullspace("near-nullspace vector 1", {1, 1, 1, 1, infinity}),
      near_nullspace("near-nullspace vector 2", {1, 1, 1, 1, 1, 1, 1, 1, 1, nan}),
      near_nullspace("near-nullspace vector 2", {1, 0, 1, 0, 1, 0, 1, 0, 1, 0}),
      near_nullspace("near-nullspace vector 1", {nan, 1, 1, 1, 1, 1, 1, 1, 1, 1}),
      near_nullspace("'amg.block_size' is 2, and the matrix has 5 rows", {}, 2),
      near_nullspace("'amg.block_size' is 2147483647, and the matrix has 5 rows", {}, 2147483647),
  });
}

MalformedCall update(Status status, const char* message, const std::function<void(Matrix&)>& spoil,
                     const Options& options = {}) {
  return on_good_matrix(
      status, message,
      [spoil](Solver<double>& solver) {
        Matrix A;
        spoil(A);
        solver.update_values(A.view());
      },
      options);
}

TEST(MalformedCalls, OfNewValuesAreRefused) {
  for (const char* reuse : {"none", "pattern", "hierarchy"}) {
    const Options options = Options().set("solver.reuse", reuse).set("solver.method", "cg");
    expect_refusals({
        update(
            Status::bad_input, "6 x 6",
            [](Matrix& A) {
              A.rows = A.cols = 6;
              A.row_offsets.push_back(13);
            },
            options),
        update(
            Status::bad_input, "with 14 entries",
            [](Matrix& A) {
              A.row_offsets.back() = 14;
              A.col_indices.push_back(4);
              A.values.push_back(0);
            },
            options),
        update(
            Status::bad_input, "3 row offsets for a matrix of 5 x 5", [](Matrix& A) { A.row_offsets.resize(3); },
            options),
        update(
            Status::bad_input, "row 3: column 9 is outside 1 to 5", [](Matrix& A) { A.col_indices[7] = 8; }, options),
        update(
            Status::bad_input, "row 3, column 3 is NaN", [](Matrix& A) { A.values[6] = nan; }, options),
        update(
            Status::bad_input, "not symmetric", [](Matrix& A) { A.values[1] = 5; }, options),
        update(
            Status::breakdown, "row 1", [](Matrix& A) { A.values[0] = -2; }, options),
    });
  }
  const auto moved = [](Matrix& A) { A.col_indices[7] = 4; };
  for (const char* reuse : {"pattern", "hierarchy"}) {
    expect_refusals({update(Status::bad_input, "entries at other places than before", moved,
                            Options().set("solver.reuse", reuse).set("solver.method", "cg"))});
  }
  expect_refusals({
      {Status::bad_input, "setup() has not run", [] { Solver<double>().update_values(Matrix().view()); }},
      {Status::bad_input, "near-nullspace is kept",
       [] {
         const Matrix A;
         Solver<double> solver(Options().set("solver.reuse", "none"));
         solver.setup(A.view(), std::vector<double>(5, 2.0));
         solver.update_values(A.view());
       }},
  });
}

TEST(MalformedCalls, OfASolverThatWasMovedFromAreRefused) {
  Solver<double> moved(on_host());
  const Solver<double> alive = std::move(moved);
  Options options = on_host();
  const Options taken = std::move(options);
  std::vector<double> x(5, 0.0);
  const std::vector<double> b(5, 1.0);
  const Matrix A;
  std::vector<MalformedCall> table;
  for (const std::function<void()>& call : std::vector<std::function<void()>>{
           [&] { moved.setup(A.view()); }, [&] { moved.update_values(A.view()); }, [&] { moved.solve(b, x); },
           [&] { moved.precondition(b, x); }, [&] { moved.share(); }, [&] { moved.hierarchy(); },
           [&] { moved.level_matrix(0, LevelMatrix::A); }, [&] { moved.stop_when({}); },
           [&] { moved.on_iteration({}); }, [&] { moved.report(); }, [&] { moved.report_json(); }}) {
    table.push_back({Status::bad_input, "the solver was moved from", call});
  }
  table.push_back({Status::bad_input, "the options were moved from", [&] { Solver<double> none(options); }});
  expect_refusals(table);
  EXPECT_THROW(options.get("amg.cycle"), std::invalid_argument);
  EXPECT_THROW(options.set("amg.cycle", "W"), std::invalid_argument);
  EXPECT_THROW(Options copy(options), std::invalid_argument);
  options = taken;
  EXPECT_EQ(options.get("solver.backend"), "host");
}

TEST(MalformedCalls, OfOptionsAreRefused) {
  struct Case {
    const char* key;
    const char* value;
    const char* message;
  };
  for (const auto& [key, value, message] : std::vector<Case>{
           {"", "1", "unknown key ''"},
           {"solver", "cg", "'solver' has no value of its own"},
           {"solver.", "1", "unknown key 'solver.'"},
           {"solver.toleranse", "1e-8", "did you mean 'solver.tolerance'?"},
           {"tolerance", "1e-8", "did you mean 'solver.tolerance'?"},
           {"toleranse", "1e-8", "unknown key 'toleranse'; did you mean 'solver.tolerance'?"},
           {"max_iter", "9", "did you mean 'solver.max_iterations'?"},
           {"type", "jacobi", "did you mean 'amg.smoother.type'?"},
           {"problem.matrix", "A.mtx", "unknown key 'problem.matrix'"},
           {"output.report", "r.json", "unknown key 'output.report'"},
           {"solver.tolerance", "", "'solver.tolerance' has no value"},
           {"solver.tolerance", "nan", "it must be a number >= 0 and < 1, or auto"},
           {"solver.tolerance", " 1e-8", "' 1e-8'"},
           {"solver.max_iterations", "3000000000", "at most 2147483647"},
           {"solver.max_iterations", "1e-1", "it must be an integer >= 0"},
           {"solver.threads", "-1", "it must be an integer >= 0"},
           {"amg.smoother.type", "Jacobi", "l1_jacobi"},
           {"amg.cycle", "v", "auto, V, W, F or K"},
           {"spgemm.bins", "1,2,3", "a list of 3 integers"},
           {"amg.aggregation_passes", "[1,,2]", "[1, , 2]"},
       }) {
    Options options;
    try {
      options.set(key, value);
      ADD_FAILURE() << key << "=" << value;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(message)) << key << "=" << value;
    }
  }
  const auto construct = [](const char* message, const Options& options) {
    return MalformedCall{Status::bad_configuration, message, [options] { Solver<double> solver(options); }};
  };
  expect_refusals({
      construct("both 0", Options().set("amg.pre_sweeps", 0).set("amg.post_sweeps", 0)),
      construct("so they must be equal", Options().set("solver.method", "cg").set("amg.pre_sweeps", 2)),
      construct("'amg.cycle' is F", Options().set("solver.method", "cg").set("amg.cycle", "F")),
      construct("must ascend", Options().set("spgemm.bins", "[3,2,1]")),
      construct("'spgemm.drop_zeros'", Options().set("solver.reuse", "pattern").set("spgemm.drop_zeros", true)),
      construct("'solver.threads'", Options().set("solver.threads", 100000)),
      construct("'spgemm.algorithm'", Options().set("solver.backend", "host").set("spgemm.algorithm", "cusparse")),
  });
}

}  // namespace
}  // namespace amgsolve
