// Steps u_t = Δu on the unit cube, u = 0 on its boundary, in time by implicit Euler, on the processes of an MPI
// program:
//
//     (I + dt L) u(t + dt) = u(t),   L the seven-point stencil on n × n × n unknowns.
//
// Each process has some planes of the grid, as even a part as there is; of more processes than planes some have none. u
// begins as the first eigenvector of L, so that every step divides it by 1 + dt λ, and the program checks that.
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

constexpr std::int64_t n = 24;
constexpr int steps = 5;
constexpr double dt = 1e-3;
constexpr double h = 1.0 / (n + 1);

/// The rows of I + dt L that belong to the planes first_plane … last_plane − 1.
struct Rows {
  Rows(std::int64_t first_plane, std::int64_t last_plane) {
    constexpr double c = dt / (h * h);
    for (std::int64_t z = first_plane; z < last_plane; ++z) {
      for (std::int64_t y = 0; y < n; ++y) {
        for (std::int64_t x = 0; x < n; ++x) {
          const std::int64_t i = (z * n + y) * n + x;  // in the whole grid
          add(z > 0, i - n * n, -c);
          add(y > 0, i - n, -c);
          add(x > 0, i - 1, -c);
          add(true, i, 1 + 6 * c);
          add(x + 1 < n, i + 1, -c);
          add(y + 1 < n, i + n, -c);
          add(z + 1 < n, i + n * n, -c);
          row_offsets.push_back(static_cast<std::int64_t>(columns.size()));
        }
      }
    }
  }

  void add(bool inside, std::int64_t column, double value) {
    if (inside) {
      columns.push_back(column);
      values.push_back(value);
    }
  }

  std::int64_t count() const { return static_cast<std::int64_t>(row_offsets.size()) - 1; }

  std::vector<std::int64_t> row_offsets{0};
  std::vector<std::int64_t> columns;
  std::vector<double> values;
};

/// Returns 0 where u decays as it should.
int run() {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::int64_t first_plane = n * rank / size;
  const std::int64_t last_plane = n * (rank + 1) / size;
  const Rows A(first_plane, last_plane);

  const double pi = std::acos(-1.0);
  const auto sine = [&](std::int64_t i) { return std::sin(pi * h * static_cast<double>(i + 1)); };
  std::vector<double> u;
  for (std::int64_t z = first_plane; z < last_plane; ++z) {
    for (std::int64_t y = 0; y < n; ++y) {
      for (std::int64_t x = 0; x < n; ++x) {
        u.push_back(sine(x) * sine(y) * sine(z));
      }
    }
  }
  const std::vector<double> first = u;

  amgsolve::Options options;
  options.set("solver.tolerance", 1e-10).set("solver.backend", "host");
  amgsolve::Solver<double> solver(options, amgsolve::mpi(MPI_COMM_WORLD));
  solver.setup(amgsolve::DistributedCsrView<double>{A.count(), A.row_offsets, A.columns, A.values});

  const double eigenvalue = 12 / (h * h) * std::pow(std::sin(pi * h / 2), 2);
  double decay = 1.0;
  for (int step = 0; step < steps; ++step) {
    const std::vector<double> b = u;
    const amgsolve::Result result = solver.solve(b, u);
    if (result.status != amgsolve::Status::converged) {
      if (rank == 0) {
        std::fprintf(stderr, "%s\n", result.message.c_str());
      }
      return static_cast<int>(result.status);
    }
    decay /= 1 + dt * eigenvalue;
    if (rank == 0) {
      std::printf("step %d: %d iterations, u should be %.6f of what it was\n", step, result.iterations, decay);
    }
  }

  double error = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    error = std::max(error, std::abs(u[i] - decay * first[i]));
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  // Each step's residual is at most 1e-10 of ‖b‖ ≤ n^1.5, and the matrix's eigenvalues are above 1.
  const bool is_right = error <= steps * 1e-10 * std::pow(static_cast<double>(n), 1.5);
  if (rank == 0) {
    std::printf("largest error %.1e: %s\n", error, is_right ? "as it should be" : "too large");
  }
  return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int exit_code = 0;
  try {
    exit_code = run();
  } catch (const amgsolve::Exception& error) {  // the same on all processes
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    exit_code = static_cast<int>(error.status());
  } catch (const std::exception& error) {  // of one process alone, as errors of MPI may be
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return exit_code;
}
