#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <amgsolve/amgsolve.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/device.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/src/own_matrix.hpp"

// Solver::share(): solvers on threads of the program that have one hierarchy.
namespace amgsolve {
namespace {

using testing::HasSubstr;

template <class T>
using Matrix = OwnMatrix<T, std::int32_t>;

/// Second differences on 60 × 60 unknowns, changed.
template <class T>
Matrix<T> changed(const std::function<void(std::size_t row, std::int32_t col, T& value)>& change) {
  Matrix<T> A = poisson<T, std::int32_t>(60);
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    for (auto e = static_cast<std::size_t>(A.row_offsets[i]); e < static_cast<std::size_t>(A.row_offsets[i + 1]); ++e) {
      change(i, A.col_indices[e], A.values[e]);
    }
  }
  return A;
}

/// Right-hand sides of several solves, two columns each, and what comes of them.
template <class T>
struct Solves {
  static constexpr std::size_t count = 4;
  static constexpr int columns = 2;

  explicit Solves(std::int64_t rows) {
    for (std::size_t k = 0; k < count; ++k) {
      b.push_back(reference::random_values<T>(static_cast<std::size_t>(rows * columns), static_cast<unsigned>(k + 1)));
    }
  }

  static std::vector<T> solved(Solver<T>& solver, const std::vector<T>& right_hand_side) {
    std::vector<T> x(right_hand_side.size(), T{0});
    SolveSettings<T> settings;
    settings.columns = columns;
    EXPECT_EQ(solver.solve(right_hand_side, x, settings).status, Status::converged);
    return x;
  }

  std::vector<std::vector<T>> one_by_one(Solver<T>& solver) const {
    std::vector<std::vector<T>> x;
    for (const std::vector<T>& right_hand_side : b) {
      x.push_back(solved(solver, right_hand_side));
    }
    return x;
  }

  /// Each on a thread of its own, the first by the solver itself, each of them twice.
  std::vector<std::vector<T>> at_the_same_time(Solver<T>& solver) const {
    std::vector<std::vector<T>> x(count);
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < count; ++k) {
      threads.emplace_back([&, k] {
        std::optional<Solver<T>> other;
        if (k > 0) {
          other = solver.share(k == 1 ? 2 : 1);
        }
        for (int repetition = 0; repetition < 2; ++repetition) {
          x[k] = solved(k == 0 ? solver : *other, b[k]);
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    return x;
  }

  std::vector<std::vector<T>> b;
};

template <class T>
void expect_the_same_bits(const Options& options, const Matrix<T>& A) {
  Solver<T> solver(options);
  solver.setup(A.view());
  const Solves<T> solves(A.rows);
  const auto alone = solves.one_by_one(solver);
  EXPECT_EQ(solves.at_the_same_time(solver), alone);
}

template <class T>
class SharedHierarchy : public testing::Test {};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(SharedHierarchy, Values);

TYPED_TEST(SharedHierarchy, GivesTheBitsOfSolvesOneByOne) {
  using T = TypeParam;
  const Matrix<T> A = poisson<T, std::int32_t>(60);
  for (const char* setting : {"amg.precision=same", "amg.precision=mixed", "amg.smoother.type=gauss_seidel",
                              "amg.cycle=K", "amg.smoother.type=block_chebyshev", "solver.method=minres"}) {
    SCOPED_TRACE(setting);
    const std::string text = setting;
    Options options = small_options().set("solver.tolerance", 1e-4);
    options.set(text.substr(0, text.find('=')), text.substr(text.find('=') + 1).c_str());
    expect_the_same_bits(options, A);
  }
}

TEST(SharedHierarchyOf, MatricesThatAreNegatedNotSymmetricOrSingular) {
  using T = double;
  expect_the_same_bits<T>(small_options(), changed<T>([](std::size_t, std::int32_t, T& value) { value = -value; }));
  expect_the_same_bits<T>(small_options(), changed<T>([](std::size_t i, std::int32_t j, T& value) {
                            value *= static_cast<std::size_t>(j) > i ? 0.75 : 1.0;
                          }));
  Matrix<T> neumann = poisson<T, std::int32_t>(60);
  for (std::size_t i = 0; i < static_cast<std::size_t>(neumann.rows); ++i) {
    const auto begin = static_cast<std::size_t>(neumann.row_offsets[i]);
    const auto end = static_cast<std::size_t>(neumann.row_offsets[i + 1]);
    std::size_t diagonal = begin;
    T sum = 0.0;
    for (std::size_t e = begin; e < end; ++e) {
      diagonal = static_cast<std::size_t>(neumann.col_indices[e]) == i ? e : diagonal;
      sum += neumann.values[e];
    }
    neumann.values[diagonal] -= sum;
  }
  expect_the_same_bits<T>(small_options(), neumann);
}

TEST(SharedHierarchyOf, PreconditioningAtTheSameTime) {
  const Matrix<double> A = poisson<double, std::int32_t>(60);
  Solver<double> solver(small_options());
  solver.setup(A.view());
  const std::vector<double> r = reference::random_values<double>(static_cast<std::size_t>(A.rows), 1);
  std::vector<double> alone(r.size());
  solver.precondition(r, alone);
  std::vector<std::vector<double>> z(3, std::vector<double>(r.size()));
  std::vector<std::thread> threads;
  for (std::vector<double>& of_thread : z) {
    threads.emplace_back([&, mine = solver.share(1)]() mutable { mine.precondition(r, of_thread); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_THAT(z, testing::Each(alone));
}

TEST(SharedHierarchyOf, StaysAsItIsWhileOthersHaveIt) {
  const Matrix<double> A = poisson<double, std::int32_t>(20);
  const std::vector<double> b(400, 1.0);
  std::vector<double> x(400, 0.0);
  Solver<double> solver(small_options().set("solver.reuse", "pattern"));
  EXPECT_EQ(status_thrown_by([&] { solver.share(); }), Status::bad_input) << "no setup";
  solver.setup(A.view());
  {
    Solver<double> first = solver.share();
    const Solver<double> second = first.share(1);
    EXPECT_EQ(first.hierarchy().levels.size(), solver.hierarchy().levels.size());
    EXPECT_EQ(status_thrown_by([&] { solver.setup(A.view()); }), Status::bad_input);
    EXPECT_EQ(status_thrown_by([&] { first.update_values(A.view()); }), Status::bad_input);
    try {
      solver.update_values(A.view());
      ADD_FAILURE() << "values were taken";
    } catch (const Exception& error) {
      EXPECT_THAT(error.what(), HasSubstr("2 solvers still share the hierarchy"));
    }
    EXPECT_EQ(solver.solve(b, x).status, Status::converged) << "it works on as before";
    EXPECT_THAT(first.report_json(), HasSubstr(R"("rows": 400)"));
    EXPECT_EQ(status_thrown_by([&] { solver.share(-1); }), Status::bad_configuration);
  }
  solver.update_values(A.view());
}

TEST(SharedHierarchyOf, OutlivesTheSolverThatSetItUp) {
  const Matrix<double> A = poisson<double, std::int32_t>(40);
  const Matrix<double> B = poisson<double, std::int32_t>(20);
  const Solves<double> solves(A.rows);
  std::optional<Solver<double>> solver(small_options());
  solver->setup(A.view());
  const auto expected = solves.one_by_one(*solver);
  Solver<double> other = solver->share();
  solver.reset();
  EXPECT_EQ(solves.one_by_one(other), expected);
  other.setup(B.view());  // from now on like any other
  other.update_values(B.view());
  const std::vector<double> b(400, 1.0);
  std::vector<double> x(400, 0.0);
  EXPECT_EQ(other.solve(b, x).status, Status::converged);
}

TEST(CudaSharedHierarchy, GivesTheBitsOfSolvesOneByOne) {
  if (device_count() == 0) {
    GTEST_SKIP() << device_problem();
  }
  for (const char* precision : {"same", "mixed"}) {
    expect_the_same_bits<double>(
        Options().set("solver.backend", "cuda").set("amg.coarse_size", 50).set("amg.precision", precision),
        poisson<double, std::int32_t>(60));
  }
}

}  // namespace
}  // namespace amgsolve
