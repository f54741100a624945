#pragma once

#include <vector>

#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// The matrix whose rows are those of the parts, one part below the other; all have the same columns. Every part is
/// freed once it is copied.
template <class T>
CsrMatrix<T, Cuda> stack_rows(Context<Cuda>& ctx, std::vector<CsrMatrix<T, Cuda>> parts);

}  // namespace amgsolve
