#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <amgsolve/mpi.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "problems/coordinates.hpp"
#include "problems/generate.hpp"
#include "src/library/distributed_rows.hpp"
#include "tests/dist/public_ranks.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"

namespace amgsolve {
namespace {

using ranks::failure_of;
using ranks::own_rows;
using ranks::poisson;
using ranks::Rows;
using ranks::small_levels;
using ranks::world;

/// Where a solver works and its arrays lie.
struct Place {
  const char* backend;
  MemoryKind memory;
};

/// All that there are on this machine.
std::vector<Place> places() {
  std::vector<Place> all{{"host", MemoryKind::host}};
  if (device_count() > 0) {
    all.push_back({"cuda", MemoryKind::host});
    all.push_back({"cuda", MemoryKind::device});
  }
  return all;
}

/// Values in the memory where they are handed over.
template <class V>
class Placed {
 public:
  Placed(MemoryKind memory, std::vector<V> values) : values_(std::move(values)) {
#if AMGSOLVE_HAVE_CUDA
    if (memory == MemoryKind::device) {
      ctx_ = std::make_unique<Context<Cuda>>(ranks::device());
      on_device_ = upload(*ctx_, Span<const V, Host>(values_.data(), values_.size()));
      ctx_->synchronize();
    }
#else
    (void)memory;
#endif
  }

  V* data() {
#if AMGSOLVE_HAVE_CUDA
    if (ctx_) {
      return on_device_.data();
    }
#endif
    return values_.data();
  }
  ArrayView<V> view() { return {data(), values_.size()}; }
  ArrayView<const V> const_view() { return {data(), values_.size()}; }

  /// A copy on the host.
  const std::vector<V>& values() {
#if AMGSOLVE_HAVE_CUDA
    if (ctx_) {
      download(*ctx_, std::as_const(on_device_).span(), {values_.data(), values_.size()});
    }
#endif
    return values_;
  }

 private:
  std::vector<V> values_;
#if AMGSOLVE_HAVE_CUDA
  std::unique_ptr<Context<Cuda>> ctx_;
  Buffer<V, Cuda> on_device_;
#endif
};

/// A process's rows where a solver is to find them.
template <class T, class Offset, class Column>
struct PlacedRows {
  PlacedRows(const Place& place, const Rows<T>& own)
      : rows(own.rows),
        memory(place.memory),
        row_offsets(memory, std::vector<Offset>(own.row_offsets.begin(), own.row_offsets.end())),
        columns(memory, std::vector<Column>(own.columns.begin(), own.columns.end())),
        values(memory, own.values) {}

  DistributedCsrView<T, Offset, Column> view() {
    return {rows, row_offsets.const_view(), columns.const_view(), values.const_view(), memory};
  }

  std::int64_t rows;
  MemoryKind memory;
  Placed<Offset> row_offsets;
  Placed<Column> columns;
  Placed<T> values;
};

/// A matrix that all processes have, for a solver that works by itself.
template <class T>
struct Whole {
  explicit Whole(const CsrMatrix<double, Host>& A)
      : rows(A.rows),
        row_offsets(A.row_offsets.span().begin(), A.row_offsets.span().end()),
        columns(A.col_indices.span().begin(), A.col_indices.span().end()),
        values(A.values.span().begin(), A.values.span().end()) {}

  CsrView<T, std::int64_t> view() const { return {rows, rows, row_offsets, columns, values}; }

  std::int64_t rows;
  std::vector<std::int64_t> row_offsets;
  std::vector<std::int32_t> columns;
  std::vector<T> values;
};

/// Calls body(row, column, value) for all entries of a Rows or a Whole.
template <class Matrix, class Body>
void for_each_entry(Matrix& matrix, const Body& body) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(matrix.rows); ++i) {
    const auto end = static_cast<std::size_t>(matrix.row_offsets[i + 1]);
    for (auto e = static_cast<std::size_t>(matrix.row_offsets[i]); e < end; ++e) {
      body(static_cast<std::int64_t>(i), matrix.columns[e], matrix.values[e]);
    }
  }
}

template <class T>
class PublicRanks : public testing::Test {};
using Values = testing::Types<float, double>;
TYPED_TEST_SUITE(PublicRanks, Values);

/// Whose constants are no near-nullspace.
TEST(PublicRanksMessages, TellOfASlowSolveWhatOneProcessTells) {
  Context<Host> ctx(1);
  auto A = generate_matrix<double>(ctx, reference::poisson(reference::grid({18, 17, 60}), Discretization::fd));
  const auto sign = [](Index i) { return (static_cast<std::uint32_t>(i) * 2654435761U >> 20U) % 2 == 0 ? 1.0 : -1.0; };
  for (Index i = 0; i < A.rows; ++i) {
    for (Offset k = A.row_offsets.data()[i]; k < A.row_offsets.data()[i + 1]; ++k) {
      A.values.data()[k] *= sign(i) * sign(A.col_indices.data()[k]);
    }
  }
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  std::vector<double> x(b.size());
  const auto options = small_levels("host")
                           .set("solver.tolerance", 1e-15)
                           .set("solver.max_iterations", 110)
                           .set("amg.smoother.type", "jacobi")
                           .set("amg.smoother.damping", 0.02);
  const Whole<double> whole(A);
  Solver<double> alone(options);
  alone.setup(whole.view());
  const Result expected = alone.solve(b, x);
  ASSERT_GE(expected.iterations, 100);
  EXPECT_THAT(expected.message, testing::HasSubstr("constants"));
  const Partition partition(world(), ranks::own_rows(world(), ranks::Cut::even, A.rows));
  Solver<double> solver(options, mpi(MPI_COMM_WORLD));
  const Rows<double> rows = own_rows<double>(A, partition);
  solver.setup(rows.view());
  const std::vector<double> own_b = ranks::rows_of(b, partition, world().rank(), 1);
  std::vector<double> own_x(own_b.size());
  EXPECT_EQ(solver.solve(own_b, own_x).message, expected.message);
}

TYPED_TEST(PublicRanks, SolveToTheBitsOfOneProcess) {
  using T = TypeParam;
  const CsrMatrix<double, Host> A = poisson();
  const auto n = static_cast<std::size_t>(A.rows);
  const Whole<T> whole(A);
  for (const Place& place : places()) {
    Solver<T> alone(small_levels(place.backend));
    alone.setup(whole.view());
    Solver<T> solver(small_levels(place.backend), mpi(MPI_COMM_WORLD));
    for (const int columns : {1, 3}) {
      SCOPED_TRACE(testing::Message() << place.backend << ", memory " << static_cast<int>(place.memory) << ", "
                                      << columns << " columns");
      const auto k = static_cast<std::size_t>(columns);
      const std::vector<T> b = reference::random_values<T>(n * k, 1);
      std::vector<T> x(n * k);
      const Result expected = alone.solve(b, x, columns);
      ASSERT_EQ(expected.status, Status::converged) << expected.message;
      for (const ranks::Cut cut : ranks::all_cuts()) {
        SCOPED_TRACE(to_string(cut));
        const Partition partition(world(), ranks::own_rows(world(), cut, A.rows));
        const Rows<T> rows = own_rows<T>(A, partition);
        if (columns == 1) {
          solver.setup(PlacedRows<T, std::int64_t, std::int64_t>(place, rows).view());
        } else {
          solver.setup(PlacedRows<T, std::int32_t, std::int32_t>(place, rows).view());
        }
        Placed<T> own_b(place.memory, ranks::rows_of(b, partition, world().rank(), k));
        Placed<T> own_x(place.memory, std::vector<T>(own_b.view().size()));
        const Result result = solver.solve(own_b.const_view(), own_x.view(), columns, place.memory);
        EXPECT_EQ(result.status, expected.status);
        EXPECT_EQ(result.iterations, expected.iterations);
        EXPECT_EQ(result.relative_residual, expected.relative_residual);
        EXPECT_EQ(own_x.values(), ranks::rows_of(x, partition, world().rank(), k));
        const HierarchyStatistics hierarchy = solver.hierarchy();
        ASSERT_EQ(hierarchy.levels.size(), alone.hierarchy().levels.size());
        EXPECT_EQ(hierarchy.levels.front().rows, A.rows);
        EXPECT_EQ(hierarchy.levels.back().rows, alone.hierarchy().levels.back().rows);
        const auto json = nlohmann::json::parse(solver.report_json());
        EXPECT_EQ(json["problem"]["ranks"], world().size());
        if (world().size() == 1) {
          EXPECT_TRUE(json["ranks"].is_null());
          continue;
        }
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
}

TYPED_TEST(PublicRanks, HaveTheVerbsOfOneProcess) {
  using T = TypeParam;
  const CsrMatrix<double, Host> A = poisson();
  Whole<T> whole(A);
  const auto n = static_cast<std::size_t>(A.rows);
  const std::vector<T> b = reference::random_values<T>(n, 1);
  const Partition partition(world(), ranks::own_rows(world(), ranks::Cut::uneven, A.rows));
  const auto own = [&](const std::vector<T>& all) { return ranks::rows_of(all, partition, world().rank()); };
  for (const Place& place : places()) {
    for (const char* reuse : {"none", "pattern"}) {  // with the latter each process has the whole matrix
      SCOPED_TRACE(testing::Message() << place.backend << ", memory " << static_cast<int>(place.memory) << ", "
                                      << reuse);
      Options options = small_levels(place.backend);
      options.set("solver.reuse", reuse);
      Solver<T> alone(options);
      alone.setup(whole.view());
      Solver<T> together(options, mpi(MPI_COMM_WORLD));
      Rows<T> rows = own_rows<T>(A, partition);
      together.setup(PlacedRows<T, std::int64_t, std::int32_t>(place, rows).view());
      Placed<T> own_b(place.memory, own(b));
      const auto expect_alike = [&](const SolveSettings<T>& settings) {
        std::vector<T> x(n);
        const Result expected = alone.solve(b, x, settings);
        Placed<T> own_x(place.memory, std::vector<T>(own_b.view().size()));
        SolveSettings<T> placed = settings;
        placed.memory = place.memory;
        const Result result = together.solve(own_b.const_view(), own_x.view(), placed);
        EXPECT_EQ(result.iterations, expected.iterations);
        EXPECT_EQ(result.status, expected.status) << result.message << expected.message;
        EXPECT_EQ(own_x.values(), own(x));
        return expected;
      };
      std::vector<T> z(n);
      alone.precondition(b, z);
      Placed<T> own_z(place.memory, std::vector<T>(own_b.view().size()));
      together.precondition(own_b.const_view(), own_z.view(), 1, place.memory);
      EXPECT_EQ(own_z.values(), own(z));

      const int iterations = expect_alike({}).iterations;
      SolveSettings<T> settings;
      settings.tolerance = 1e-2;
      EXPECT_LT(expect_alike(settings).iterations, iterations);
      settings = {};
      settings.max_iterations = 2;
      EXPECT_EQ(expect_alike(settings).iterations, 2);

      // New values: D A D.
      const auto scale = [](std::int64_t i) { return static_cast<T>(1.0 + 0.125 * static_cast<double>(i % 5)); };
      Whole<T> scaled = whole;
      const auto scale_entries = [&](auto& matrix, std::int64_t first) {
        for_each_entry(
            matrix, [&](std::int64_t i, std::int64_t column, T& value) { value *= scale(first + i) * scale(column); });
      };
      scale_entries(scaled, 0);
      scale_entries(rows, partition.first(world().rank()));
      alone.update_values(scaled.view());
      together.update_values(PlacedRows<T, std::int32_t, std::int64_t>(place, rows).view());
      expect_alike({});
    }
  }
}

TEST(PublicRanksProducts, FormedByTheProcessesTakeTheMatrixsPlace) {
  const CsrMatrix<double, Host> A = poisson();
  const Whole<double> whole(A);
  const auto n = static_cast<std::size_t>(A.rows);
  const Partition partition(world(), ranks::own_rows(world(), ranks::Cut::gaps, A.rows));
  const std::vector<double> b = reference::random_values<double>(n, 1);
  // y = 2 A x, of all or some rows, of an x that is known whole.
  const auto multiply = [](const auto& matrix, const double* x_of_all, double* y) {
    std::fill_n(y, matrix.rows, 0.0);
    for_each_entry(matrix,
                   [&](std::int64_t i, std::int64_t column, double value) { y[i] += 2.0 * value * x_of_all[column]; });
  };
  for (const char* reuse : {"none", "pattern"}) {
    SCOPED_TRACE(reuse);
    Options options = small_levels();
    options.set("solver.reuse", reuse);
    Solver<double> alone(options);
    alone.setup(whole.view());
    SolveSettings<double> settings;
    settings.product = [&](const double* all, double* y, int, void*) { multiply(whole, all, y); };
    std::vector<double> x(n);
    const Result expected = alone.solve(b, x, settings);
    Solver<double> together(options, mpi(MPI_COMM_WORLD));
    const Rows<double> rows = own_rows<double>(A, partition);
    together.setup(rows.view());
    settings.product = [&](const double* own_x, double* y, int, void*) {
      multiply(rows, world().all_gather_list(std::span(own_x, static_cast<std::size_t>(rows.rows))).data(), y);
    };
    const std::vector<double> own_b = ranks::rows_of(b, partition, world().rank());
    std::vector<double> own_x(own_b.size());
    const Result result = together.solve(own_b, own_x, settings);
    EXPECT_EQ(expected.status, Status::converged);
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_EQ(own_x, ranks::rows_of(x, partition, world().rank()));
  }
}

// Of a singular matrix: all processes leave the same of b out, or nothing.
TEST(PublicRanksProducts, TellAllProcessesWhetherTheyAreSingularToo) {
  Context<Host> ctx(1);
  GeneratedProblem problem = reference::poisson(reference::grid({20, 16}), Discretization::fd);
  problem.boundary = Boundary::neumann;
  const CsrMatrix<double, Host> A = generate_matrix<double>(ctx, problem);
  const Whole<double> whole(A);
  const Partition partition(world(), ranks::own_rows(world(), ranks::Cut::gaps, A.rows));
  std::vector<double> b = reference::random_values<double>(static_cast<std::size_t>(A.rows), 1);
  std::ranges::for_each(b, [](double& value) { value += 1.0; });
  for (const double mass : {0.0, 0.1}) {
    SCOPED_TRACE(mass);
    // y = A x + mass x, of all or some rows, of an x that is known whole.
    const auto multiply = [mass](const auto& matrix, std::int64_t first, const double* x_of_all, double* y) {
      std::transform(x_of_all + first, x_of_all + first + matrix.rows, y, [mass](double x) { return mass * x; });
      for_each_entry(matrix,
                     [&](std::int64_t i, std::int64_t column, double value) { y[i] += value * x_of_all[column]; });
    };
    Solver<double> alone(small_levels());
    alone.setup(whole.view());
    SolveSettings<double> settings;
    settings.product = [&](const double* all, double* y, int, void*) { multiply(whole, 0, all, y); };
    std::vector<double> x(b.size());
    const Result expected = alone.solve(b, x, settings);
    Solver<double> together(small_levels(), mpi(MPI_COMM_WORLD));
    const Rows<double> rows = own_rows<double>(A, partition);
    together.setup(rows.view());
    settings.product = [&](const double* own_x, double* y, int, void*) {
      multiply(rows, partition.first(world().rank()),
               world().all_gather_list(std::span(own_x, static_cast<std::size_t>(rows.rows))).data(), y);
    };
    const std::vector<double> own_b = ranks::rows_of(b, partition, world().rank());
    std::vector<double> own_x(own_b.size());
    const Result result = together.solve(own_b, own_x, settings);
    EXPECT_EQ(expected.status, Status::converged);
    EXPECT_EQ(expected.outside_range > 0.0, mass == 0.0);
    EXPECT_EQ(result.outside_range, expected.outside_range);
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_EQ(own_x, ranks::rows_of(x, partition, world().rank()));
  }
}

TEST(PublicRanksArrays, ColumnsAreReadWhereTheyLie) {
  Context<Host> ctx(1);
  const CsrMatrix<double, Host> A = poisson();
  const Rows<double> rows = own_rows<double>(A, Partition(world(), ranks::own_rows(world(), ranks::Cut::even, A.rows)));
  const RankRows<double, Host> there = rows_in_space<double>(ctx, rows.view());
  EXPECT_EQ((std::get<Buffer<std::int64_t, Host>>(there.col_indices).data()), rows.columns.data());
  EXPECT_NE(there.row_offsets.data(), rows.row_offsets.data());
  EXPECT_NE(there.values.data(), rows.values.data());
}

TEST(PublicRanksBodies, TakeModesFromTheProcessesCoordinatesOrVectors) {
  GeneratedProblem problem;
  problem.pde = Pde::elasticity;
  problem.discretization = Discretization::q1;
  problem.grid = reference::grid({8, 4, 4});
  Context<Host> ctx(1);
  const CsrMatrix<double, Host> A = generate_matrix<double>(ctx, problem);
  const Whole<double> whole(A);
  const std::int64_t nodes = A.rows / 3;
  MultiVector<double, Host> x(ctx, static_cast<Index>(nodes), 3);
  grid_coordinates<double, Host>(ctx, problem, x);
  const std::vector<double> positions(x.data(), x.data() + x.size());
  const std::vector<double> b = reference::random_values<double>(static_cast<std::size_t>(A.rows), 1);
  // A node's rows are on one process.
  const Partition of_nodes(world(), ranks::own_rows(world(), ranks::Cut::even, nodes));
  const Partition partition(world(), 3 * of_nodes.rows(world().rank()));
  const std::vector<double> own_b = ranks::rows_of(b, partition, world().rank());
  for (const bool by_coordinates : {true, false}) {
    SCOPED_TRACE(by_coordinates);
    const std::vector<double> vectors = reference::random_values<double>(static_cast<std::size_t>(A.rows) * 2, 3);
    const std::vector<double> own_vectors = ranks::rows_of(vectors, partition, world().rank(), 2);
    const std::vector<double> own_positions = ranks::rows_of(positions, of_nodes, world().rank(), 3);
    Options options;
    options.set("solver.backend", "host").set("solver.threads", 1).set("amg.coarse_size", 30);
    Solver<double> alone(options);
    Solver<double> together(options, mpi(MPI_COMM_WORLD));
    if (by_coordinates) {
      alone.setup(whole.view(), {}, Coordinates<double>{positions, 3});
      together.setup(own_rows<double>(A, partition).view(), {}, Coordinates<double>{own_positions, 3});
    } else {
      alone.setup(whole.view(), vectors);
      together.setup(own_rows<double>(A, partition).view(), own_vectors);
    }
    std::vector<double> all_x(b.size());
    const Result expected = alone.solve(b, all_x);
    std::vector<double> own_x(own_b.size());
    const Result result = together.solve(own_b, own_x);
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_EQ(own_x, ranks::rows_of(all_x, partition, world().rank()));
  }
}

TEST(PublicRanksReport, CountsWhatWasSentSinceTheSetup) {
  const CsrMatrix<double, Host> A = poisson();
  const Rows<double> rows = own_rows<double>(A, Partition(world(), ranks::own_rows(world(), ranks::Cut::even, A.rows)));
  const std::vector<double> b(static_cast<std::size_t>(rows.rows), 1.0);
  Solver<double> solver(small_levels(), mpi(MPI_COMM_WORLD));
  const auto bytes_sent = [&] {
    solver.setup(rows.view());
    std::vector<double> x(b.size());
    solver.solve(b, x);
    std::vector<std::int64_t> bytes;
    const auto json = nlohmann::json::parse(solver.report_json());
    for (const auto& rank : json["ranks"]) {
      bytes.push_back(rank["bytes_sent"].get<std::int64_t>());
    }
    return bytes;
  };
  const std::vector<std::int64_t> first = bytes_sent();
  EXPECT_EQ(bytes_sent(), first);
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

TEST(PublicRanksInterruption, OfOneProcessEndsACycleOfAll) {
  const CsrMatrix<double, Host> A = poisson();
  const Partition partition(world(), ranks::own_rows(world(), ranks::Cut::even, A.rows));
  const Rows<double> rows = own_rows<double>(A, partition);
  const std::vector<double> r(static_cast<std::size_t>(rows.rows), 1.0);
  std::vector<double> z(r.size());
  for (const char* reuse : {"none", "pattern"}) {  // with the latter each process has the whole matrix
    SCOPED_TRACE(reuse);
    Options options = small_levels();
    options.set("solver.reuse", reuse);
    Solver<double> solver(options, mpi(MPI_COMM_WORLD));
    solver.setup(rows.view());
    bool is_asked = world().rank() + 1 == world().size();
    solver.stop_when([&] { return is_asked; });
    EXPECT_EQ(failure_of([&] { solver.precondition(r, z); }).status, Status::interrupted);
    is_asked = false;
    EXPECT_EQ(failure_of([&] { solver.precondition(r, z); }).status, Status::converged);
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
