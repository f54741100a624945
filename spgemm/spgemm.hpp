#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

/// Sparse matrix × sparse matrix.
namespace amgsolve {

/// How a product is formed. All sum an entry c_ij in the order of A's row and give the same bits, but for `cusparse`,
/// which may round differently.
enum class SpgemmAlgorithm {
  automatic,   ///< picks from the products to expect; host: dense or hash for each block of rows; device: hash
  dense,       ///< host: Gustavson's row-by-row method (1978) with a dense accumulator of B.cols entries a thread
  hash,        ///< Gustavson's method with a hash table a row, sized for the entries to expect
  esc_global,  ///< device: expansion, sorting and contraction of all products in global memory (Bell, Dalton, Olson
               ///< 2012)
  cusparse     ///< device: the vendor's, for comparison
};

struct SpgemmOptions {
  SpgemmAlgorithm algorithm = SpgemmAlgorithm::automatic;
  /// esc_global: most products expanded at a time, in slices of whole rows; 0 takes what half of the free memory holds.
  Offset slice_products = 0;
};

/// C = A B. Rows of C are sorted with unique columns; every c_ij is summed in the order of A's row, so the bits do not
/// depend on threads or accumulator. Entries that cancel to zero are kept. Throws std::invalid_argument naming both
/// sizes where A.cols ≠ B.rows, or the algorithms there are where the memory space has not the one asked for. Cost:
/// 2 Σ_i Σ_{k ∈ A_i} nnz(B_k) flops.
template <class T>
CsrMatrix<T, Host> multiply(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                            const SpgemmOptions& options = {});
template <class T>
CsrMatrix<T, Cuda> multiply(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                            const SpgemmOptions& options = {});

}  // namespace amgsolve
