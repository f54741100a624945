#pragma once

#include <cmath>
#include <cstddef>

#include "amg/result.hpp"

namespace amgsolve {

/// Of a solve whose residual has halved in each iteration.
inline SolveResult result_of_length(std::size_t iterations) {
  SolveResult result;
  result.iterations = static_cast<int>(iterations);
  for (std::size_t k = 0; k <= iterations; ++k) {
    result.residual_history.push_back(std::ldexp(1.0, -static_cast<int>(k)));
  }
  result.column_iterations = {result.iterations};
  return result;
}

}  // namespace amgsolve
