#pragma once

#include <cmath>
#include <limits>

namespace amgsolve::reference {

/// Bound on the rounding error of a sum of `terms` products computed in T, in any order: γ_n Σ|x_i y_i| with
/// γ_n = n ε / (1 − n ε) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., §3.1; ε instead of the unit
/// roundoff leaves a factor of two for the rounding of the inputs). Zero terms give zero: the result must be exact.
/// @param magnitude  Σ|x_i y_i|
template <class T>
double summation_bound(double terms, double magnitude) {
  const double relative = terms * static_cast<double>(std::numeric_limits<T>::epsilon());
  return relative / (1.0 - relative) * magnitude;
}

}  // namespace amgsolve::reference
