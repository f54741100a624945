#pragma once

#include <amgsolve/amgsolve.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace amgsolve::fuzz {

/// A matrix in arrays of its own, well-formed or not.
template <class T, class Offset>
struct OwnMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<Offset> row_offsets;
  std::vector<std::int32_t> col_indices;
  std::vector<T> values;

  CsrView<T, Offset> view() const { return {rows, cols, row_offsets, col_indices, values}; }
};

/// The 5-point Laplacian on an n × n grid.
template <class T, class Offset>
OwnMatrix<T, Offset> laplacian(std::int64_t n) {
  OwnMatrix<T, Offset> A{n * n, n * n, {0}, {}, {}};
  for (std::int64_t i = 0; i < A.rows; ++i) {
    const auto entry = [&](bool is_there, std::int64_t column, T value) {
      if (is_there) {
        A.col_indices.push_back(static_cast<std::int32_t>(column));
        A.values.push_back(value);
      }
    };
    entry(i >= n, i - n, T{-1});
    entry(i % n > 0, i - 1, T{-1});
    entry(true, i, T{4});
    entry(i % n < n - 1, i + 1, T{-1});
    entry(i + n < A.rows, i + n, T{-1});
    A.row_offsets.push_back(static_cast<Offset>(A.values.size()));
  }
  return A;
}

/// Throws std::logic_error unless the true residual of the worst column, summed in long double, is the one reported, up
/// to what rounding in double leaves, and x is finite. Of right-hand sides that are zero or near underflow the residual
/// is relative to something else.
template <class T, class Offset>
void check_converged(const OwnMatrix<T, Offset>& A, const std::vector<T>& b, const std::vector<T>& x,
                     std::size_t columns, const Result& result) {
  const auto n = static_cast<std::size_t>(A.rows);
  for (std::size_t j = 0; j < columns; ++j) {
    long double residual_square = 0;
    long double magnitude_square = 0;
    long double b_square = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const long double b_i = b[i * columns + j];
      long double residual = b_i;
      long double magnitude = std::abs(b_i);
      for (auto e = static_cast<std::size_t>(A.row_offsets[i]); e < static_cast<std::size_t>(A.row_offsets[i + 1]);
           ++e) {
        const long double product =
            static_cast<long double>(A.values[e]) * x[static_cast<std::size_t>(A.col_indices[e]) * columns + j];
        residual -= product;
        magnitude += std::abs(product);
      }
      if (!std::isfinite(x[i * columns + j])) {
        throw std::logic_error("converged, but x is NaN or infinite");
      }
      residual_square += residual * residual;
      magnitude_square += magnitude * magnitude;
      b_square += b_i * b_i;
    }
    const long double b_norm = std::sqrt(b_square);
    if (b_norm < 1e-280L) {
      continue;
    }
    const long double rounding = static_cast<long double>(n + 4) * std::numeric_limits<double>::epsilon();
    if (std::sqrt(residual_square) / b_norm >
        1.001L * (result.relative_residual + result.outside_range) + rounding * std::sqrt(magnitude_square) / b_norm) {
      throw std::logic_error("the residual is " +
                             std::to_string(static_cast<double>(std::sqrt(residual_square) / b_norm)) +
                             ", not as reported");
    }
  }
}

/// Sets up and solves, then once more with a good system. Returns whether the first converged.
template <class T, class Offset>
bool solves(const Options& options, const OwnMatrix<T, Offset>& A, const std::vector<T>& near_nullspace,
            const std::vector<T>& b, std::vector<T> x, int columns) {
  const auto checked = [](const auto& body) {
    try {
      return body();
    } catch (const Exception& error) {
      if (error.status() == Status::internal_error || error.status() <= Status::not_converged ||
          *error.what() == '\0') {
        throw std::logic_error(std::string("an exception that should not be: ") + error.what());
      }
      return false;
    }
  };
  const auto solve = [](Solver<T>& solver, const auto& matrix, const auto& rhs, auto& solution, int k) {
    const Result result = solver.solve(rhs, solution, k);
    solver.report();
    solver.report_json();
    if (result.status != Status::converged) {
      return false;
    }
    check_converged(matrix, rhs, solution, static_cast<std::size_t>(k), result);
    return true;
  };
  bool has_converged = false;
  checked([&] {
    Solver<T> solver(options);
    has_converged = checked([&] {
      solver.setup(A.view(), near_nullspace);
      const bool first = solve(solver, A, b, x, columns);
      if (near_nullspace.empty() || options.get("solver.reuse") != "none") {
        solver.update_values(A.view());
        solve(solver, A, b, x, columns);
      }
      return first;
    });
    // Whatever failed, the solver serves on.
    return checked([&] {
      const OwnMatrix<T, std::int64_t> good = laplacian<T, std::int64_t>(4);
      std::vector<T> ones(16, T{1});
      std::vector<T> y(16, T{0});
      solver.setup(good.view());
      return solve(solver, good, ones, y, 1);
    });
  });
  return has_converged;
}

}  // namespace amgsolve::fuzz
