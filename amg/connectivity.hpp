#pragma once

#include "amg/memory_forecast.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// Whether the graph of a matrix grows as a mesh in the plane does, or one in space: by how many rows more are within
/// twice as many steps of some of them, N(r) ~ (2 r + 1)^d, which is exact for boxes of 3^d points. Connectivity::plane
/// for d < 2.4, space else; unknown of a matrix too small to tell. Looks at some thousand rows of any number.
template <class T>
Connectivity connectivity_of(const CsrMatrix<T, Host>& A);

}  // namespace amgsolve
