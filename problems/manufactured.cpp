#include "problems/manufactured.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/format.hpp"
#include "core/mistakes.hpp"
#include "problems/manufactured_mode.hpp"

namespace amgsolve {
namespace {

/// Appends the factors along one direction to the table; returns their wave number.
double append_factors(const GeneratedProblem& problem, int d, int frequency, std::vector<double>& table) {
  const auto size = static_cast<std::size_t>(problem.grid.size[static_cast<std::size_t>(d)]);
  std::vector<double> value(size, 1.0);
  std::vector<double> derivative(size, 0.0);
  std::vector<double> share(size, 1.0);
  double wave_number = 0.0;
  if (d < problem.grid.dimensions) {
    const double half_waves = problem.boundary == Boundary::periodic ? 2.0 * frequency : frequency;
    const double angle_per_cell = half_waves * std::numbers::pi / static_cast<double>(problem.cells(d));
    wave_number = angle_per_cell / problem.spacing();
    const bool cosine = problem.boundary == Boundary::neumann;
    for (std::size_t i = 0; i < size; ++i) {
      const double angle = (static_cast<double>(i) + problem.first_unknown(d)) * angle_per_cell;
      value[i] = cosine ? std::cos(angle) : std::sin(angle);
      derivative[i] = wave_number * (cosine ? -std::sin(angle) : std::cos(angle));
    }
    if (problem.boundary == Boundary::neumann && problem.discretization == Discretization::q1) {
      share.front() = 0.5;
      share.back() = 0.5;
    }
  }
  for (const std::vector<double>& factor : {value, derivative, share}) {
    table.insert(table.end(), factor.begin(), factor.end());
  }
  return wave_number;
}

}  // namespace

TabulatedMode make_manufactured_mode(const GeneratedProblem& problem, Index column) {
  TabulatedMode result;
  ManufacturedMode& mode = result.mode;
  const DiffusionTensor K = problem.diffusion_tensor();
  std::copy(problem.grid.size.begin(), problem.grid.size.end(), mode.size);
  for (int d = 0; d < 3; ++d) {
    const double wave_number = append_factors(problem, d, 1 + (column >> (2 * d)) % 4, result.table);
    mode.wave_number[d] = wave_number;
    mode.eigenvalue += K.diagonal[static_cast<std::size_t>(d)] * wave_number * wave_number;
  }
  mode.K_xy = K.xy;
  mode.components = problem.components();
  if (problem.pde == Pde::elasticity) {
    const auto [lambda, mu] = lame_constants(problem.body);
    mode.eigenvalue *= mu;
    mode.compression = lambda + mu;
  }
  if (problem.pde == Pde::convection_diffusion) {
    mode.velocity = make_velocity_field(problem, problem.peclet);
  }
  const double h = problem.spacing();
  const double neighbours_in_a_plane = problem.grid.dimensions == 2 ? 3.0 : 9.0;
  mode.load_scale = problem.coefficient.value * h * h * (problem.has_box_stencil() ? neighbours_in_a_plane : 1.0);
  mode.cell = std::pow(h, problem.grid.dimensions);
  return result;
}

void validate_manufactured(const GeneratedProblem& problem) {
  Mistakes mistakes;
  if (problem.coefficient.type != CoefficientType::constant) {
    mistakes.add(
        format_text("problem.rhs is manufactured, which needs a constant problem.generate.coefficient.type; it is {}",
                    to_string(problem.coefficient.type)));
  }
  if (problem.pde == Pde::elasticity && problem.boundary != Boundary::dirichlet) {
    mistakes.add(format_text(
        "problem.rhs is manufactured, which with pde elasticity needs problem.generate.boundary dirichlet; it is {}",
        to_string(problem.boundary)));
  } else if (problem.boundary == Boundary::neumann && problem.diffusion_tensor().xy != 0.0) {
    mistakes.add(
        format_text("problem.rhs is manufactured, which with boundary neumann needs a "
                    "problem.generate.anisotropy.angle that is a multiple of 90; it is {}",
                    problem.anisotropy.angle));
  } else if (problem.boundary == Boundary::neumann && problem.has_box_stencil()) {
    mistakes.add(
        format_text("problem.rhs is manufactured, which with boundary neumann needs problem.generate.stencil {} or "
                    "discretization q1; the stencil is {}",
                    problem.grid.dimensions == 2 ? 5 : 7, problem.stencil));
  }
  mistakes.raise();
}

}  // namespace amgsolve
