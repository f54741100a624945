#include "tests/reference/eigen_spgemm.hpp"

#include <Eigen/SparseCore>
#include <algorithm>
#include <cstdint>
#include <vector>

namespace amgsolve::reference {
namespace {

template <class T>
using EigenMatrix = Eigen::SparseMatrix<T, Eigen::RowMajor, std::int64_t>;

template <class T>
EigenMatrix<T> to_eigen(const CsrMatrix<T, Host>& A) {
  const std::vector<std::int64_t> columns(A.col_indices.data(), A.col_indices.data() + A.nnz());
  return Eigen::Map<const EigenMatrix<T>>(A.rows, A.cols, A.nnz(), A.row_offsets.data(), columns.data(),
                                          A.values.data());
}

}  // namespace

template <class T>
CsrMatrix<T, Host> eigen_spgemm(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B) {
  const EigenMatrix<T> product = to_eigen(A) * to_eigen(B);
  CsrMatrix<T, Host> C(ctx, A.rows, B.cols, product.nonZeros());
  std::copy_n(product.outerIndexPtr(), C.row_offsets.size(), C.row_offsets.data());
  std::transform(product.innerIndexPtr(), product.innerIndexPtr() + C.nnz(), C.col_indices.data(),
                 [](std::int64_t col) { return static_cast<Index>(col); });
  std::copy_n(product.valuePtr(), C.nnz(), C.values.data());
  return C;
}

template CsrMatrix<float, Host> eigen_spgemm(Context<Host>&, const CsrMatrix<float, Host>&,
                                             const CsrMatrix<float, Host>&);
template CsrMatrix<double, Host> eigen_spgemm(Context<Host>&, const CsrMatrix<double, Host>&,
                                              const CsrMatrix<double, Host>&);

}  // namespace amgsolve::reference
