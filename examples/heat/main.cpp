// Steps u_t = k(t) Δu on the unit square, u = 0 on its boundary, in time by implicit Euler:
//
//     (I + dt k L) u(t + dt) = u(t),   L the five-point stencil on n × n unknowns.
//
// The matrix changes in every step, its pattern never. u begins as the first eigenvector of L, so that every step
// divides it by 1 + dt k λ, and the program checks that its maximum decays so.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <amgsolve/amgsolve.hpp>

namespace {

/// The columns of each row ascend, as the solver expects them.
class HeatMatrix {
 public:
  explicit HeatMatrix(std::int32_t n) : rows_(n * n) {
    for (std::int32_t y = 0; y < n; ++y) {
      for (std::int32_t x = 0; x < n; ++x) {
        const std::int32_t i = y * n + x;
        add(y > 0, i - n);
        add(x > 0, i - 1);
        add(true, i);
        add(x + 1 < n, i + 1);
        add(y + 1 < n, i + n);
        row_offsets_.push_back(static_cast<std::int32_t>(col_indices_.size()));
      }
    }
    values_.resize(col_indices_.size());
  }

  /// I + c · (4 on the diagonal, −1 beside it).
  void set_values(double c) {
    for (std::int32_t i = 0; i < rows_; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (auto e = static_cast<std::size_t>(row_offsets_[row]); e < static_cast<std::size_t>(row_offsets_[row + 1]);
           ++e) {
        values_[e] = col_indices_[e] == i ? 1 + 4 * c : -c;
      }
    }
  }

  amgsolve::CsrView<double, std::int32_t> view() const { return {rows_, rows_, row_offsets_, col_indices_, values_}; }

 private:
  void add(bool inside, std::int32_t col) {
    if (inside) {
      col_indices_.push_back(col);
    }
  }

  std::int32_t rows_;
  std::vector<std::int32_t> row_offsets_{0};
  std::vector<std::int32_t> col_indices_;
  std::vector<double> values_;
};

double norm(const std::vector<double>& u) {
  double sum = 0.0;
  for (const double value : u) {
    sum += value * value;
  }
  return std::sqrt(sum);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

// The argument is 'solver.reuse': none, pattern or hierarchy.
int main(int argc, char** argv) {
  constexpr std::int32_t n = 127;
  constexpr int steps = 12;
  constexpr std::int32_t centre = n / 2 * n + n / 2;  // where u has its maximum, 1 at the beginning
  const double h = 1.0 / (n + 1);
  const auto sine = [&](std::int32_t i) { return std::sin(std::numbers::pi * h * (i + 1)); };
  const double eigenvalue = 8 / (h * h) * std::pow(std::sin(std::numbers::pi * h / 2), 2);

  std::vector<double> u;
  for (std::int32_t y = 0; y < n; ++y) {
    for (std::int32_t x = 0; x < n; ++x) {
      u.push_back(sine(x) * sine(y));
    }
  }

  try {
    amgsolve::Options options;
    options.set("solver.tolerance", 1e-10).set("solver.reuse", argc > 1 ? argv[1] : "pattern");
    amgsolve::Solver<double> solver(options);

    HeatMatrix A(n);
    double dt = 1e-4;
    double time = 0.0;
    double expected = 1.0;
    double error_bound = 1e-12;  // of rounding, and of each step's residual: the matrix's eigenvalues are above 1
    std::printf("step        dt  iterations  matrix (s)  solve (s)  maximum\n");
    for (int step = 0; step < steps; ++step) {
      const double conductivity = 1 + time;
      A.set_values(dt * conductivity / (h * h));

      const auto start = std::chrono::steady_clock::now();
      if (step == 0) {
        solver.setup(A.view());
      } else {
        solver.update_values(A.view());
      }
      const double matrix_seconds = seconds_since(start);

      const std::vector<double> b = u;
      const auto solve_start = std::chrono::steady_clock::now();
      const amgsolve::Result result = solver.solve(b, u);
      const double solve_seconds = seconds_since(solve_start);
      if (result.status != amgsolve::Status::converged) {
        std::cerr << result.message << '\n';
        return static_cast<int>(result.status);
      }

      std::printf("%4d  %.2e  %10d  %10.4f  %9.4f  %.5f\n", step, dt, result.iterations, matrix_seconds, solve_seconds,
                  u[centre]);
      expected /= 1 + dt * conductivity * eigenvalue;
      error_bound += result.relative_residual * norm(b);
      time += dt;
      dt *= 1.6;
    }

    const double error = std::abs(u[centre] - expected);
    std::printf("after t = %.4f the maximum is %.10f, expected %.10f\n", time, u[centre], expected);
    if (error > error_bound) {
      std::cerr << "an error of " << error << "; at most " << error_bound << " was allowed\n";
      return 1;
    }
  } catch (const amgsolve::Exception& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.status());
  } catch (const std::invalid_argument& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(amgsolve::Status::bad_configuration);
  }
  return 0;
}
