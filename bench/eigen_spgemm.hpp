#pragma once

#include <functional>

#include "spmv/csr_matrix.hpp"

namespace amgsolve::bench {

/// Forms C = A B by Eigen, on one thread, from its own copies of A and B, and frees it. A and B have less than 2³¹
/// entries.
template <class T>
std::function<void()> eigen_spgemm(const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B);

}  // namespace amgsolve::bench
