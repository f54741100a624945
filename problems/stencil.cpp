#include "problems/stencil.hpp"

#include <algorithm>
#include <cmath>

#include "problems/multilinear_integral.hpp"

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
  const double ratio = coefficient.high / coefficient.low;
  double root = std::isfinite(ratio) ? std::sqrt(ratio) : std::sqrt(coefficient.high) / std::sqrt(coefficient.low);
  for (double& growth : field.growth) {
    growth = root;
    root = std::sqrt(root);
  }
  return field;
}

/// ∫ ∇φ_a · K ∇φ_b over the unit square or cube, times the denominator.
void set_element(Stencil& stencil, const DiffusionTensor& K) {
  const int corners = 1 << stencil.dimensions;
  for (int a = 0; a < corners; ++a) {
    for (int b = 0; b < corners; ++b) {
      const auto integral = [&](int p, int q) { return multilinear_integral(stencil.dimensions, a, b, p, q); };
      double sum = 0.0;
      for (int d = 0; d < stencil.dimensions; ++d) {
        sum += K.diagonal[static_cast<std::size_t>(d)] * integral(d, d);
      }
      stencil.element[a][b] = sum + K.xy * (integral(0, 1) + integral(1, 0));
    }
  }
  stencil.denominator = multilinear_denominator(stencil.dimensions);
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
