#include "problems/stencil.hpp"

#include <algorithm>
#include <cmath>

namespace amgsolve {
namespace {

CoefficientField make_coefficient_field(const GeneratedProblem& problem) {
  const Coefficient& coefficient = problem.coefficient;
  CoefficientField field;
  field.type = coefficient.type;
  field.dimensions = problem.grid.dimensions;
  if (coefficient.type == CoefficientType::constant) {
    field.low = field.high = coefficient.value;
    return field;
  }
  field.low = coefficient.low;
  field.high = coefficient.high;
  field.block = coefficient.block;
  field.seed = coefficient.seed;
  double root = coefficient.high / coefficient.low;
  for (double& growth : field.growth) {
    root = std::sqrt(root);
    growth = root;
  }
  return field;
}

/// ∫ ∇φ_a · K ∇φ_b over the unit square or cube, times 12 or 72. The integrals are products of those in one dimension,
/// ∫ φ'φ' = ±1, ∫ φ'φ = ±1/2 and ∫ φφ = 1/3 or 1/6, here times 1, 2 and 6.
void set_element(Stencil& stencil, const DiffusionTensor& K) {
  const auto bit = [](int corner, int d) { return (corner >> d) & 1; };
  const auto slope = [&](int corner, int d) { return bit(corner, d) == 1 ? 1 : -1; };
  const int corners = 1 << stencil.dimensions;
  for (int a = 0; a < corners; ++a) {
    for (int b = 0; b < corners; ++b) {
      const auto mass = [&](int d) { return bit(a, d) == bit(b, d) ? 2 : 1; };
      double sum = 0.0;
      for (int d = 0; d < stencil.dimensions; ++d) {
        int integral = 2 * slope(a, d) * slope(b, d);
        for (int other = 0; other < stencil.dimensions; ++other) {
          integral *= other == d ? 1 : mass(other);
        }
        sum += K.diagonal[static_cast<std::size_t>(d)] * integral;
      }
      const int cross = slope(a, 0) * slope(b, 1) + slope(a, 1) * slope(b, 0);
      sum += K.xy * (3 * cross * (stencil.dimensions == 3 ? mass(2) : 1));
      stencil.element[a][b] = sum;
    }
  }
  stencil.denominator = stencil.dimensions == 2 ? 12.0 : 72.0;
}

}  // namespace

Stencil make_stencil(const GeneratedProblem& problem) {
  problem.validate();
  Stencil stencil;
  stencil.boundary = problem.boundary;
  stencil.dimensions = problem.grid.dimensions;
  std::copy(problem.grid.size.begin(), problem.grid.size.end(), stencil.size);
  stencil.coefficient = make_coefficient_field(problem);
  const DiffusionTensor K = problem.diffusion_tensor();
  if (problem.discretization == Discretization::q1) {
    stencil.kind = StencilKind::element;
    set_element(stencil, K);
  } else if (problem.has_box_stencil()) {
    stencil.kind = StencilKind::box;
  } else {
    stencil.kind = StencilKind::star;
    std::copy(K.diagonal.begin(), K.diagonal.end(), stencil.weight);
    if (problem.pde == Pde::convection_diffusion) {
      stencil.velocity = make_velocity_field(problem, problem.peclet * problem.spacing());
      stencil.scheme = problem.scheme;
    }
  }
  return stencil;
}

}  // namespace amgsolve
