#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/ell_matrix.hpp"
#include "spmv/fat_vector.hpp"

/// Products of a sparse matrix and a (fat) vector, and the fused kernels that a multigrid cycle wants. A is n × m; X
/// has m rows, Y n rows, both k columns. Inputs and output must not overlap. Every function throws
/// std::invalid_argument naming both sizes where they do not match, books its minimum bytes and flops in ctx.profile(),
/// and sums each row in an order that depends on the sizes of A and X alone (on the host, that of its entries), so
/// results do not depend on the number of threads.
///
/// The value type is deduced from the matrix; the other arguments convert from vectors and buffers.
namespace amgsolve {

/// Y = α A X + β Y. β = 0 does not read Y. Cost: 2 nnz k flops.
template <class T>
void spmv(Context<Host>& ctx, std::type_identity_t<T> alpha, const CsrMatrix<T, Host>& A,
          FatView<const std::type_identity_t<T>, Host> X, std::type_identity_t<T> beta,
          FatView<std::type_identity_t<T>, Host> Y);
template <class T>
void spmv(Context<Cuda>& ctx, std::type_identity_t<T> alpha, const CsrMatrix<T, Cuda>& A,
          FatView<const std::type_identity_t<T>, Cuda> X, std::type_identity_t<T> beta,
          FatView<std::type_identity_t<T>, Cuda> Y);

/// The same for a matrix in ELL format.
template <class T>
void spmv(Context<Host>& ctx, std::type_identity_t<T> alpha, const EllMatrix<T, Host>& A,
          FatView<const std::type_identity_t<T>, Host> X, std::type_identity_t<T> beta,
          FatView<std::type_identity_t<T>, Host> Y);
template <class T>
void spmv(Context<Cuda>& ctx, std::type_identity_t<T> alpha, const EllMatrix<T, Cuda>& A,
          FatView<const std::type_identity_t<T>, Cuda> X, std::type_identity_t<T> beta,
          FatView<std::type_identity_t<T>, Cuda> Y);

/// R = B − A X in one pass.
template <class T>
void residual(Context<Host>& ctx, const CsrMatrix<T, Host>& A, FatView<const std::type_identity_t<T>, Host> B,
              FatView<const std::type_identity_t<T>, Host> X, FatView<std::type_identity_t<T>, Host> R);
template <class T>
void residual(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, FatView<const std::type_identity_t<T>, Cuda> B,
              FatView<const std::type_identity_t<T>, Cuda> X, FatView<std::type_identity_t<T>, Cuda> R);

/// One step of a polynomial smoother, X_out = a D⁻¹(B − A X) + s X + c X_out with D⁻¹ = diag(d): damped Jacobi is s =
/// 1, c = 0; a Chebyshev step s = 1 + c', c = −c' with the iterate before X in X_out. c = 0 does not read X_out. X and
/// X_out are different vectors.
template <class T>
void smoothing_step(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const std::type_identity_t<T>, Host> d,
                    std::type_identity_t<T> a, std::type_identity_t<T> s, std::type_identity_t<T> c,
                    FatView<const std::type_identity_t<T>, Host> B, FatView<const std::type_identity_t<T>, Host> X,
                    FatView<std::type_identity_t<T>, Host> X_out);
template <class T>
void smoothing_step(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const std::type_identity_t<T>, Cuda> d,
                    std::type_identity_t<T> a, std::type_identity_t<T> s, std::type_identity_t<T> c,
                    FatView<const std::type_identity_t<T>, Cuda> B, FatView<const std::type_identity_t<T>, Cuda> X,
                    FatView<std::type_identity_t<T>, Cuda> X_out);

}  // namespace amgsolve
