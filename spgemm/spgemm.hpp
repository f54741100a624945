#pragma once

#include "core/context.hpp"
#include "spgemm/options.hpp"
#include "spmv/csr_matrix.hpp"

/// Sparse matrix × sparse matrix.
namespace amgsolve {

/// C = A B. Rows of C are sorted with unique columns; every c_ij is summed in the order of A's row, so the bits depend
/// neither on threads nor on the algorithm, unless that says otherwise (SpgemmAlgorithm::sums_in_order); the sign of a
/// zero may. Entries that cancel to zero are kept unless options.drop_zeros. Throws std::invalid_argument naming both
/// sizes where A.cols ≠ B.rows, or the algorithms there are where the memory space has not the one asked for.
/// Cost: 2 Σ_i Σ_{k ∈ A_i} nnz(B_k) flops.
template <class T, MemorySpace S>
CsrMatrix<T, S> multiply(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                         const SpgemmOptions& options = {});

}  // namespace amgsolve
