#pragma once

#include "problems/matrix_formats.hpp"

namespace amgsolve::reference {

/// A toy: "diagonal n" and the n entries of a diagonal matrix.
MatrixFormat diagonal_format();

}  // namespace amgsolve::reference
