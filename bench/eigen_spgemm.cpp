#include "bench/eigen_spgemm.hpp"

#include <Eigen/SparseCore>
#include <vector>

namespace amgsolve::bench {
namespace {

template <class T>
using EigenMatrix = Eigen::SparseMatrix<T, Eigen::RowMajor, Index>;

template <class T>
EigenMatrix<T> to_eigen(const CsrMatrix<T, Host>& A) {
  const std::vector<Index> row_offsets(A.row_offsets.data(), A.row_offsets.data() + A.row_offsets.size());
  return Eigen::Map<const EigenMatrix<T>>(A.rows, A.cols, static_cast<Index>(A.nnz()), row_offsets.data(),
                                          A.col_indices.data(), A.values.data());
}

}  // namespace

template <class T>
std::function<void()> eigen_spgemm(const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B) {
  return [a = to_eigen(A), b = to_eigen(B)] { const EigenMatrix<T> C = a * b; };
}

template std::function<void()> eigen_spgemm(const CsrMatrix<float, Host>&, const CsrMatrix<float, Host>&);
template std::function<void()> eigen_spgemm(const CsrMatrix<double, Host>&, const CsrMatrix<double, Host>&);

}  // namespace amgsolve::bench
