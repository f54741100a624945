// Solves -Δu = 1 on the unit square, u = 0 on its boundary, with the five-point stencil on n × n unknowns.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <vector>

#include <amgsolve/amgsolve.hpp>

namespace {

struct Matrix {
  std::vector<std::int32_t> row_offsets{0};
  std::vector<std::int32_t> col_indices;
  std::vector<double> values;

  void add(std::int32_t col, double value) {
    col_indices.push_back(col);
    values.push_back(value);
  }
};

/// The columns of each row ascend, as the solver expects them.
Matrix five_point_matrix(std::int32_t n) {
  const double h = 1.0 / (n + 1);
  const double off_diagonal = -1.0 / (h * h);
  Matrix A;
  for (std::int32_t y = 0; y < n; ++y) {
    for (std::int32_t x = 0; x < n; ++x) {
      const std::int32_t i = y * n + x;
      if (y > 0) {
        A.add(i - n, off_diagonal);
      }
      if (x > 0) {
        A.add(i - 1, off_diagonal);
      }
      A.add(i, -4 * off_diagonal);
      if (x + 1 < n) {
        A.add(i + 1, off_diagonal);
      }
      if (y + 1 < n) {
        A.add(i + n, off_diagonal);
      }
      A.row_offsets.push_back(static_cast<std::int32_t>(A.col_indices.size()));
    }
  }
  return A;
}

}  // namespace

int main() {
  constexpr std::int32_t n = 255;
  constexpr std::int32_t rows = n * n;
  const Matrix A = five_point_matrix(n);
  const std::vector<double> b(rows, 1.0);
  std::vector<double> u(rows, 0.0);

  try {
    amgsolve::Options options;
    options.set("solver.tolerance", 1e-10);

    amgsolve::Solver<double> solver(options);
    solver.setup(amgsolve::CsrView<double, std::int32_t>{rows, rows, A.row_offsets, A.col_indices, A.values});
    const amgsolve::Result result = solver.solve(b, u);

    std::cout << solver.report() << "u(1/2, 1/2) = " << u[rows / 2] << '\n';
    return static_cast<int>(result.status);
  } catch (const amgsolve::Exception& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.status());
  } catch (const std::exception& error) {  // std::invalid_argument: an option that does not exist
    std::cerr << error.what() << '\n';
    return 2;
  }
}
