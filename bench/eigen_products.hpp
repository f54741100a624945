#pragma once

#include <functional>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

/// Products by Eigen. Matrices have less than 2³¹ entries.
namespace amgsolve::bench {

/// Forms C = A B on one thread, from its own copies of A and B, and frees it.
template <class T>
std::function<void()> eigen_spgemm(const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B);

/// Forms Y = A X on all threads, each of which has some of the rows, as Eigen shares them where OpenMP is left to it.
template <class T>
std::function<void()> eigen_spmm(const Context<Host>& ctx, const CsrMatrix<T, Host>& A,
                                 MultiVectorView<const T, Host> X, MultiVectorView<T, Host> Y);

}  // namespace amgsolve::bench
