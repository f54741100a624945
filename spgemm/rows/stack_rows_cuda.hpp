#pragma once

#include <vector>

#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// The matrix whose rows are those of the parts, one part below the other, with `cols` columns each. Every part is
/// freed once it is copied. Times "concatenation" where there are several.
template <class T>
CsrMatrix<T, Cuda> stack_rows(Context<Cuda>& ctx, Index cols, std::vector<CsrMatrix<T, Cuda>> parts);

}  // namespace amgsolve
