#pragma once

#include <cstdint>
#include <functional>

#include "amg/options.hpp"
#include "core/context.hpp"
#include "dist/layout.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"
#include "spmv/operator.hpp"

/// What the smoothers and the spectral radius need of a matrix's diagonal.
namespace amgsolve {

/// The first row whose diagonal entry d_i is not positive, unless the whole row is zero (as coarse rows are whose
/// candidates were dependent); −1 where there is none. Synchronises.
template <class T, MemorySpace S>
Index find_non_positive_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<const T, S>> d);

/// Whether rows of a coarse A may be rounding errors: there is one without entries outside its node of node_size
/// unknowns, or whose diagonal entry d_i is not positive. Synchronises.
template <class T, MemorySpace S>
bool may_have_rounding_rows(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<const T, S>> d,
                            Index node_size);

/// Makes zero those of these rows of A = R A_f Rᵀ that are rounding errors beside what they are sums of: every
/// |a_ij| ≤ 64 ε Σ_k r_ik² |f_k|, of an r_i and an f that are not zero themselves. A component of the graph that A
/// takes to zero leaves them, with either sign, when it has come down to one node. Returns whether there are any.
/// Synchronises.
/// @param f  how large diagonal entries of the finest level are, as the rows of A_f see them: coarser ones may be much
///           smaller and yet have the errors of these
template <class T, MemorySpace S>
bool clear_rounding_rows(Context<S>& ctx, const CsrMatrix<T, S>& R, std::type_identity_t<Span<const T, S>> f,
                         std::type_identity_t<Span<const T, S>> d, Index node_size, CsrMatrix<T, S>& A);

/// max_i |d_i|; 0 where there are none. Synchronises.
template <class T, MemorySpace S>
double largest_entry(Context<S>& ctx, Span<const T, S> d);

/// The diagonal of a level's matrix. Throws BreakdownError naming row and level where an entry is not positive, but for
/// zero rows, and for levels of a matrix that is not known to be definite that are coarse, or factored. Synchronises.
/// Phase: "diagonal".
/// @param window  of A's columns where A is a strip of a matrix that ranks share. Then collective
/// @param stored  A, which is not read on a device where that is light
template <class T, MemorySpace S>
Buffer<T, S> positive_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, int level,
                               MatrixKind kind = MatrixKind::definite, bool is_factored = false,
                               std::type_identity_t<const Layout<S>*> window = nullptr,
                               const Operator<T, S>& stored = {});

/// That of a coarse matrix.
template <class T, MemorySpace S>
struct CoarseDiagonal {
  Buffer<T, S> entries;
  bool has_null_rows;  ///< of A that rounding had left of zero: finer levels are singular
};

/// The same of a coarse level A = R A_f Rᵀ, after clear_rounding_rows().
/// @param finest     what gives f for that, asked only where it matters
/// @param node_size  unknowns a node of A
/// @param window     as there
template <class T, MemorySpace S>
CoarseDiagonal<T, S> positive_coarse_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& R,
                                              const std::function<MultiVector<T, S>()>& finest, Index node_size,
                                              int level, MatrixKind kind, CsrMatrix<T, S>& A,
                                              std::type_identity_t<const Layout<S>*> window = nullptr);

/// inverse_i = 1 / d_i for d_i > 0; else 0.
template <class T, MemorySpace S>
void invert_diagonal(Context<S>& ctx, Span<const T, S> d, std::type_identity_t<Span<T, S>> inverse);

/// scale_i = 1 / |d_i| and inverse_i = |d_i|; both 1 where one of these is not positive and finite.
template <class T, MemorySpace S>
void equilibrate_rows(Context<S>& ctx, Span<const T, S> d, std::type_identity_t<Span<T, S>> scale,
                      std::type_identity_t<Span<T, S>> inverse);

/// inverse_i = 1 / √|d_i| for d_i ≠ 0; else 0.
template <class T, MemorySpace S>
void invert_roots(Context<S>& ctx, Span<const T, S> d, std::type_identity_t<Span<T, S>> inverse);

/// x_i ← √d_i x_i for d_i > 0; else 0.
template <class T, MemorySpace S>
void scale_by_roots(Context<S>& ctx, std::type_identity_t<Span<const T, S>> d, std::type_identity_t<Span<T, S>> x);

/// max_i 1 / (x_i d_i) over the i with d_i > 0; 0 where there is none. Synchronises.
template <class T, MemorySpace S>
double largest_inverse_product(Context<S>& ctx, Span<const T, S> x, std::type_identity_t<Span<const T, S>> d);

/// inverse_i = 1 / (a_ii + Σ_j |a_ij| over the j outside of row i's block of block_rows consecutive ones) where a_ii is
/// positive, else 0.
template <class T, MemorySpace S>
void invert_hybrid_norms(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_rows,
                         std::type_identity_t<Span<T, S>> inverse);

/// inverse_i = 1 / Σ_j |a_ij|, 0 for a zero row: the scaling of l1-Jacobi (Baker, Falgout, Kolev, Yang 2011).
template <class T>
void invert_l1_norms(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<std::type_identity_t<T>, Host> inverse);
template <class T>
void invert_l1_norms(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<std::type_identity_t<T>, Cuda> inverse);

}  // namespace amgsolve
