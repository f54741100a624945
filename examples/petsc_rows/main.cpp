// Hands over a matrix as a program has it that works with PETSc: each process owns the rows from first to last − 1, as
// MatGetOwnershipRange() tells them, and has their entries with the columns of the whole matrix, as MatGetRow() gives
// them. In such a program `OwnedRows` is a Mat:
//
//     MatGetOwnershipRange(A, &first, &last);
//     for (PetscInt row = first; row < last; ++row) {
//       MatGetRow(A, row, &count, &columns, &values);
//       ...append them...
//       MatRestoreRow(A, row, &count, &columns, &values);
//     }
//
// The matrix is that of a chain of masses between springs, whose stiffness varies, each also tied to its place by a
// weak spring. The program compares the solution with the one that it made the right-hand side of.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include <amgsolve/mpi.hpp>

namespace {

constexpr double tie = 0.1;  ///< of a weak spring: no eigenvalue of the matrix is below

/// Stands in for a Mat of type MPIAIJ.
class OwnedRows {
 public:
  explicit OwnedRows(std::int64_t n) : n_(n) {
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    // PETSc's default: the first n mod size processes have one row more.
    const std::int64_t rest = n % size;
    first_ = n / size * rank + std::min<std::int64_t>(rank, rest);
    last_ = first_ + n / size + (rank < rest ? 1 : 0);
  }

  void ownership_range(std::int64_t& first, std::int64_t& last) const {
    first = first_;
    last = last_;
  }

  void row(std::int64_t i, std::vector<std::int64_t>& columns, std::vector<double>& values) const {
    columns.clear();
    values.clear();
    if (i > 0) {
      columns.push_back(i - 1);
      values.push_back(-stiffness(i));
    }
    columns.push_back(i);
    values.push_back(stiffness(i) + stiffness(i + 1) + tie);
    if (i + 1 < n_) {
      columns.push_back(i + 1);
      values.push_back(-stiffness(i + 1));
    }
  }

 private:
  /// Of the spring to the left of mass i.
  static double stiffness(std::int64_t i) { return 2.0 + std::sin(static_cast<double>(i)); }

  std::int64_t n_;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
};

double expected_at(std::int64_t i) { return std::cos(static_cast<double>(i % 100)); }

int run() {
  const OwnedRows A(20000);
  std::int64_t first = 0;
  std::int64_t last = 0;
  A.ownership_range(first, last);

  std::vector<std::int64_t> row_offsets{0};
  std::vector<std::int64_t> global_columns;
  std::vector<double> values;
  std::vector<double> b;
  std::vector<std::int64_t> columns_of_row;
  std::vector<double> values_of_row;
  for (std::int64_t row = first; row < last; ++row) {
    A.row(row, columns_of_row, values_of_row);
    global_columns.insert(global_columns.end(), columns_of_row.begin(), columns_of_row.end());
    values.insert(values.end(), values_of_row.begin(), values_of_row.end());
    row_offsets.push_back(static_cast<std::int64_t>(values.size()));
    double sum = 0.0;
    for (std::size_t e = 0; e < values_of_row.size(); ++e) {
      sum += values_of_row[e] * expected_at(columns_of_row[e]);
    }
    b.push_back(sum);
  }

  amgsolve::Options options;
  options.set("solver.tolerance", 1e-10).set("solver.backend", "host");
  amgsolve::Solver<double> solver(options, amgsolve::mpi(MPI_COMM_WORLD));
  solver.setup(amgsolve::DistributedCsrView<double>{last - first, row_offsets, global_columns, values});
  std::vector<double> x(b.size());
  const amgsolve::Result result = solver.solve(b, x);

  double norm = 0.0;  // of b, squared at first
  double error = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    norm += b[i] * b[i];
    error = std::max(error, std::abs(x[i] - expected_at(first + static_cast<std::int64_t>(i))));
  }
  MPI_Allreduce(MPI_IN_PLACE, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::printf("%s, largest error %.1e\n%s", result.message.c_str(), error, solver.report().c_str());
  }
  const double error_bound = result.relative_residual * std::sqrt(norm) / tie;
  return result.status == amgsolve::Status::converged && error <= error_bound ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int exit_code = 0;
  try {
    exit_code = run();
  } catch (const amgsolve::Exception& error) {  // the same on all processes
    std::fprintf(stderr, "%s\n", error.what());
    exit_code = static_cast<int>(error.status());
  } catch (const std::exception& error) {  // of one process alone, as errors of MPI may be
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return exit_code;
}
