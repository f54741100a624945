#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// The most rows of a block.
inline constexpr Index largest_block = 64;

/// D_B⁻¹ of a matrix's diagonal blocks, of block_size consecutive rows each.
template <class T, MemorySpace S>
struct BlockDiagonal {
  Index block_size = 1;
  Buffer<T, S> inverse;  ///< block by block, each row-major; rows × block_size values
};

/// Inverts the diagonal blocks of A, each by Gauss-Jordan steps that take the diagonal entry of which the largest part
/// is left. Where nothing is left beyond rounding, the block is singular, and the rows and columns not taken are zero
/// in the inverse: a symmetric generalised inverse of a semi-definite block. O(rows · block_size²), with add_l1
/// O(nnz) more; a block is the work of one thread.
/// @param block_size  1 to largest_block; divides the rows of A
/// @param add_l1      add Σ |a_ij| over the entries of row i outside its block to its diagonal entry (Baker, Falgout,
///                    Kolev, Yang 2011), so that steps x += D_B⁻¹ (b − A x) converge for every symmetric positive
///                    definite A
/// @param first       the column of the first row's diagonal entry, where other ranks have the rest of the rows
template <class T, MemorySpace S>
BlockDiagonal<T, S> invert_diagonal_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, bool add_l1,
                                           Index first = 0);

/// The least part of a diagonal entry of A that is left where the other unknowns of its block are eliminated,
/// min_i 1 / (a_ii (D_B⁻¹)_ii): 1 where blocks are diagonal, 0 where one is not positive definite. With D the diagonal
/// of A and λ the smallest eigenvalue of a block of D^(−1/2) A D^(−1/2), λ ≤ min ≤ block_size · λ. Rows that are zero
/// in the inverse do not count. Synchronises.
/// @param first  as that of invert_diagonal_blocks()
template <class T, MemorySpace S>
double least_part_left(Context<S>& ctx, const CsrMatrix<T, S>& A, const BlockDiagonal<T, S>& D, Index first = 0);

/// Y = α D_B⁻¹ X + β Y for multivectors, which must not overlap. β = 0 does not read Y.
template <class T, MemorySpace S>
void apply_blocks(Context<S>& ctx, std::type_identity_t<T> alpha, const BlockDiagonal<T, S>& D,
                  std::type_identity_t<MultiVectorView<const T, S>> X, std::type_identity_t<T> beta,
                  std::type_identity_t<MultiVectorView<T, S>> Y);

}  // namespace amgsolve
