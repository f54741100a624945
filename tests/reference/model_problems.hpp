#pragma once

#include <initializer_list>

#include "problems/generated_problem.hpp"

namespace amgsolve::reference {

/// A grid of the sizes given, 2 or 3.
inline StructuredGrid grid(std::initializer_list<std::int64_t> sizes) {
  StructuredGrid result;
  result.dimensions = static_cast<int>(sizes.size());
  std::size_t d = 0;
  for (const std::int64_t size : sizes) {
    result.size[d++] = size;
  }
  return result;
}

/// A Poisson problem with Dirichlet boundaries.
inline GeneratedProblem poisson(const StructuredGrid& grid, Discretization discretization) {
  GeneratedProblem problem;
  problem.grid = grid;
  problem.discretization = discretization;
  return problem;
}

}  // namespace amgsolve::reference
