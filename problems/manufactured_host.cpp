#include "problems/manufactured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "core/errors.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {
namespace {

/// One factor of u along one direction, and the share of a cell that each unknown stands for there.
struct Factor {
  std::vector<double> value;
  std::vector<double> derivative;
  std::vector<double> share;
  double wave_number = 0.0;
};

Factor make_factor(const GeneratedProblem& problem, int d, int frequency) {
  const auto size = static_cast<std::size_t>(problem.grid.size[static_cast<std::size_t>(d)]);
  Factor factor{std::vector<double>(size, 1.0), std::vector<double>(size, 0.0), std::vector<double>(size, 1.0), 0.0};
  if (d >= problem.grid.dimensions) {
    return factor;
  }
  const double half_waves = problem.boundary == Boundary::periodic ? 2.0 * frequency : frequency;
  const double angle_per_cell = half_waves * std::numbers::pi / static_cast<double>(problem.cells(d));
  factor.wave_number = angle_per_cell / problem.spacing();
  for (std::size_t i = 0; i < size; ++i) {
    const double angle = (static_cast<double>(i) + problem.first_unknown()) * angle_per_cell;
    const bool cosine = problem.boundary == Boundary::neumann;
    factor.value[i] = cosine ? std::cos(angle) : std::sin(angle);
    factor.derivative[i] = factor.wave_number * (cosine ? -std::sin(angle) : std::cos(angle));
  }
  if (problem.boundary == Boundary::neumann && problem.discretization == Discretization::q1) {
    factor.share.front() = 0.5;
    factor.share.back() = 0.5;
  }
  return factor;
}

/// u of one column and what follows from it, evaluated at an unknown in O(1).
class Solution {
 public:
  Solution(const GeneratedProblem& problem, Index column) : K_(problem.diffusion_tensor()), size_(problem.grid.size) {
    for (int d = 0; d < 3; ++d) {
      factors_[static_cast<std::size_t>(d)] = make_factor(problem, d, 1 + (column >> (2 * d)) % 4);
    }
    const double h = problem.spacing();
    const double neighbours_in_a_plane = problem.grid.dimensions == 2 ? 3.0 : 9.0;
    scale_ = problem.coefficient.value * h * h * (problem.has_box_stencil() ? neighbours_in_a_plane : 1.0);
  }

  double value(std::int64_t row) const {
    const auto [x, y, z] = position(row);
    return factors_[0].value[x] * factors_[1].value[y] * factors_[2].value[z];
  }

  double load(std::int64_t row) const {
    const auto [x, y, z] = position(row);
    double eigenvalue = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      eigenvalue += K_.diagonal[d] * factors_[d].wave_number * factors_[d].wave_number;
    }
    const double mixed = factors_[0].derivative[x] * factors_[1].derivative[y] * factors_[2].value[z];
    return scale_ * share(row) * (eigenvalue * value(row) - 2.0 * K_.xy * mixed);
  }

  double share(std::int64_t row) const {
    const auto [x, y, z] = position(row);
    return factors_[0].share[x] * factors_[1].share[y] * factors_[2].share[z];
  }

 private:
  std::array<std::size_t, 3> position(std::int64_t row) const {
    const std::int64_t line = row / size_[0];
    return {static_cast<std::size_t>(row % size_[0]), static_cast<std::size_t>(line % size_[1]),
            static_cast<std::size_t>(line / size_[1])};
  }

  DiffusionTensor K_;
  std::array<std::int64_t, 3> size_;
  std::array<Factor, 3> factors_;
  double scale_ = 0.0;
};

void check_size(const GeneratedProblem& problem, Index rows) {
  const Index unknowns = problem.grid.unknowns();
  if (rows != unknowns) {
    throw std::invalid_argument(fmt::format("the vector has {} rows, the grid {} unknowns", rows, unknowns));
  }
}

/// values_ij = evaluate(solution of column j, i).
template <class T, class Evaluate>
void evaluate_columns(Context<Host>& ctx, const GeneratedProblem& problem, FatView<T, Host> values,
                      Evaluate&& evaluate) {
  validate_manufactured(problem);
  check_size(problem, values.rows);
  for (Index j = 0; j < values.columns; ++j) {
    const Solution solution(problem, j);
    parallel_for(ctx, values.rows,
                 [&](std::int64_t i) { values.data[i * values.columns + j] = static_cast<T>(evaluate(solution, i)); });
  }
}

}  // namespace

void validate_manufactured(const GeneratedProblem& problem) {
  problem.validate();
  if (problem.coefficient.type != CoefficientType::constant) {
    throw ConfigurationError(
        fmt::format("problem.rhs is manufactured, which needs a constant problem.generate.coefficient.type; it is {}",
                    to_string(problem.coefficient.type)));
  }
  if (problem.boundary != Boundary::neumann) {
    return;
  }
  if (problem.diffusion_tensor().xy != 0.0) {
    throw ConfigurationError(fmt::format(
        "problem.rhs is manufactured, which with boundary neumann needs a problem.generate.anisotropy.angle "
        "that is a multiple of 90; it is {}",
        problem.anisotropy.angle));
  }
  if (problem.has_box_stencil()) {
    throw ConfigurationError(
        fmt::format("problem.rhs is manufactured, which with boundary neumann needs problem.generate.stencil {} or "
                    "discretization q1; the stencil is {}",
                    problem.grid.dimensions == 2 ? 5 : 7, problem.stencil));
  }
}

template <class T>
void manufactured_solution(Context<Host>& ctx, const GeneratedProblem& problem, FatView<T, Host> u) {
  evaluate_columns(ctx, problem, u, [](const Solution& solution, std::int64_t i) { return solution.value(i); });
}

template <class T>
void manufactured_right_hand_side(Context<Host>& ctx, const GeneratedProblem& problem, FatView<T, Host> b) {
  evaluate_columns(ctx, problem, b, [](const Solution& solution, std::int64_t i) { return solution.load(i); });
}

template <class T>
std::vector<DiscretizationError> discretization_error(Context<Host>& ctx, const GeneratedProblem& problem,
                                                      FatView<const T, Host> x) {
  validate_manufactured(problem);
  check_size(problem, x.rows);
  const double cell = std::pow(problem.spacing(), problem.grid.dimensions);
  std::vector<DiscretizationError> errors(static_cast<std::size_t>(x.columns));
  for (Index j = 0; j < x.columns; ++j) {
    const Solution solution(problem, j);
    const auto error = [&](std::int64_t i) {
      return static_cast<double>(x.data[i * x.columns + j]) - solution.value(i);
    };
    const auto integrate = [&](auto&& integrand) {
      return parallel_reduce(
          ctx, x.rows, 0.0,
          [&](std::int64_t begin, std::int64_t end) {
            double sum = 0.0;
            for (std::int64_t i = begin; i < end; ++i) {
              sum += cell * solution.share(i) * integrand(i);
            }
            return sum;
          },
          [](double a, double b) { return a + b; });
    };
    double mean = 0.0;
    if (problem.is_singular()) {
      mean = integrate(error) / integrate([](std::int64_t) { return 1.0; });
    }
    DiscretizationError& result = errors[static_cast<std::size_t>(j)];
    result.l2 = std::sqrt(integrate([&](std::int64_t i) { return (error(i) - mean) * (error(i) - mean); }));
    result.max = parallel_reduce(
        ctx, x.rows, 0.0,
        [&](std::int64_t begin, std::int64_t end) {
          double largest = 0.0;
          for (std::int64_t i = begin; i < end; ++i) {
            largest = std::max(largest, std::abs(error(i) - mean));
          }
          return largest;
        },
        [](double a, double b) { return std::max(a, b); });
  }
  return errors;
}

#define AMGSOLVE_INSTANTIATE(T)                                                                           \
  template void manufactured_solution(Context<Host>&, const GeneratedProblem&, FatView<T, Host>);         \
  template void manufactured_right_hand_side(Context<Host>&, const GeneratedProblem&, FatView<T, Host>);  \
  template std::vector<DiscretizationError> discretization_error(Context<Host>&, const GeneratedProblem&, \
                                                                 FatView<const T, Host>);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
