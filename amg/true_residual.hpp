#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/fat_vector.hpp"

namespace amgsolve {

/// norm_squared_j = Σ_i (b_ij − Σ_l a_il x_lj)² for every column j, with every product and sum in double whatever T is:
/// the judge of a solve, independent of the recurrence that claims it. Deterministic.
template <class T>
void true_residual_norms(Context<Host>& ctx, const CsrMatrix<T, Host>& A,
                         FatView<const std::type_identity_t<T>, Host> b, FatView<const std::type_identity_t<T>, Host> x,
                         Span<double, Host> norm_squared);
template <class T>
void true_residual_norms(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                         FatView<const std::type_identity_t<T>, Cuda> b, FatView<const std::type_identity_t<T>, Cuda> x,
                         Span<double, Cuda> norm_squared);

}  // namespace amgsolve
