#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

/// Sparse matrix × sparse matrix.
namespace amgsolve {

/// How a product is formed. On the host both are Gustavson's row-by-row method (1978) with OpenMP and differ in where
/// a row of C is accumulated; both give the same bits.
enum class SpgemmAlgorithm {
  automatic,  ///< picks per block of rows from the products it has to expect
  dense,      ///< one dense accumulator of B.cols entries a thread
  hash        ///< a hash table a thread, sized for the row with the most products in the block
};

struct SpgemmOptions {
  SpgemmAlgorithm algorithm = SpgemmAlgorithm::automatic;
};

/// C = A B. Rows of C are sorted with unique columns; every c_ij is summed in the order of A's row, so the bits do not
/// depend on threads or accumulator. Entries that cancel to zero are kept. Throws std::invalid_argument naming both
/// sizes where A.cols ≠ B.rows. Cost: 2 Σ_i Σ_{k ∈ A_i} nnz(B_k) flops.
template <class T>
CsrMatrix<T, Host> multiply(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                            const SpgemmOptions& options = {});

}  // namespace amgsolve
