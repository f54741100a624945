#pragma once

#include <vector>

namespace amgsolve {

inline constexpr int highest_optimal_degree = 6;

/// The polynomial p with p(0) = 1 of that degree that a V-cycle gains the most from, by the bound of Lottes (Optimal
/// polynomial smoothers for multigrid V-cycles, 2022: Chebyshev's of the fourth kind with optimised weights), as steps
/// x += τ D⁻¹ (b − A x), which have the roots 1 / τ. Large roots first: partial products then stay below 1 on
/// [0, upper], so that no rounding errors grow.
/// @param degree  1 to highest_optimal_degree; throws std::invalid_argument for another one
/// @param upper   at least ρ(D⁻¹A)
std::vector<double> optimal_steps(int degree, double upper);

}  // namespace amgsolve
