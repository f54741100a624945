#pragma once

#include <cstdint>
#include <functional>

#include "problems/generated_problem.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve::reference {

/// The coefficient of the cell (x, y, z).
using CellCoefficient = std::function<double(std::int64_t x, std::int64_t y, std::int64_t z)>;

/// The matrix of a model problem assembled naively into a map: differences neighbour by neighbour, finite elements
/// element by element with Gauss quadrature of 2 points per direction (exact for bi-/trilinear elements).
CsrMatrix<double, Host> assemble(Context<Host>& ctx, const GeneratedProblem& problem,
                                 const CellCoefficient& coefficient);

}  // namespace amgsolve::reference
