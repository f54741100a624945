#pragma once

#include "spgemm/spgemm.hpp"

namespace amgsolve {

/// What every product begins with: throws std::invalid_argument naming both sizes where A.cols ≠ B.rows, and naming
/// the algorithms of the memory space where the one asked for is none of them.
template <class T, MemorySpace S>
void check_product(const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B, SpgemmAlgorithm algorithm);

}  // namespace amgsolve
