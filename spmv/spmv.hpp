#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/ell_matrix.hpp"
#include "spmv/fat_vector.hpp"

/// Products of a sparse matrix and a (fat) vector, and the fused kernels that a multigrid cycle wants. A is n × m; X
/// has m rows, Y n rows, both k columns. Inputs and output must not overlap. Every function throws
/// std::invalid_argument naming both sizes where they do not match, books its minimum bytes and flops in ctx.profile(),
/// and sums each row in the order of its entries, so results do not depend on the number of threads.
///
/// The value type is deduced from the matrix; the other arguments convert from vectors and buffers.
namespace amgsolve {

/// Y = α A X + β Y. β = 0 does not read Y. Cost: 2 nnz k flops.
template <class T>
void spmv(Context<Host>& ctx, std::type_identity_t<T> alpha, const CsrMatrix<T, Host>& A,
          FatView<const std::type_identity_t<T>, Host> X, std::type_identity_t<T> beta,
          FatView<std::type_identity_t<T>, Host> Y);

/// The same for a matrix in ELL format.
template <class T>
void spmv(Context<Host>& ctx, std::type_identity_t<T> alpha, const EllMatrix<T, Host>& A,
          FatView<const std::type_identity_t<T>, Host> X, std::type_identity_t<T> beta,
          FatView<std::type_identity_t<T>, Host> Y);

/// R = B − A X in one pass.
template <class T>
void residual(Context<Host>& ctx, const CsrMatrix<T, Host>& A, FatView<const std::type_identity_t<T>, Host> B,
              FatView<const std::type_identity_t<T>, Host> X, FatView<std::type_identity_t<T>, Host> R);

/// One damped Jacobi sweep, x_out = x + d ∘ (b − A x), with d_i the damping times the inverse diagonal (or the inverse
/// of the l1 row sum). x and x_out are different vectors.
template <class T>
void jacobi_sweep(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const std::type_identity_t<T>, Host> d,
                  FatView<const std::type_identity_t<T>, Host> B, FatView<const std::type_identity_t<T>, Host> X,
                  FatView<std::type_identity_t<T>, Host> X_out);

/// One step of the Chebyshev iteration on D⁻¹A: p = a D⁻¹(b − A x) + c p, x_out = x + p. c = 0 does not read p.
template <class T>
void chebyshev_step(Context<Host>& ctx, const CsrMatrix<T, Host>& A,
                    Span<const std::type_identity_t<T>, Host> inverse_diagonal, std::type_identity_t<T> a,
                    std::type_identity_t<T> c, FatView<const std::type_identity_t<T>, Host> B,
                    FatView<const std::type_identity_t<T>, Host> X, FatView<std::type_identity_t<T>, Host> P,
                    FatView<std::type_identity_t<T>, Host> X_out);

}  // namespace amgsolve
