#include "bench/eigen_products.hpp"

#include <Eigen/SparseCore>
#include <vector>

#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve::bench {
namespace {

template <class T>
using EigenMatrix = Eigen::SparseMatrix<T, Eigen::RowMajor, Index>;

/// Where Eigen finds A, but for the row offsets, which it has in 32 bits.
template <class T>
struct Parts {
  explicit Parts(const CsrMatrix<T, Host>& A)
      : of(&A), row_offsets(A.row_offsets.data(), A.row_offsets.data() + A.row_offsets.size()) {}

  Eigen::Map<const EigenMatrix<T>> map() const {
    return {of->rows,         of->cols, static_cast<Index>(of->nnz()), row_offsets.data(), of->col_indices.data(),
            of->values.data()};
  }

  const CsrMatrix<T, Host>* of;
  std::vector<Index> row_offsets;
};

/// Rows by rows, in a vector of which Eigen knows that it is one where `Columns` is 1.
template <int Columns, class T>
std::function<void()> product(const Context<Host>& ctx, const CsrMatrix<T, Host>& A, MultiVectorView<const T, Host> X,
                              MultiVectorView<T, Host> Y) {
  using Vectors = Eigen::Matrix<T, Eigen::Dynamic, Columns, Columns == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
  return [&ctx, a = Parts<T>(A), X, Y] {
    const auto eigen = a.map();
    const Eigen::Map<const Vectors> x(X.data, X.rows, X.columns);
    Eigen::Map<Vectors> y(Y.data, Y.rows, Y.columns);
    parallel_ranges(ctx, Y.rows, [&](std::int64_t begin, std::int64_t end) {
      y.middleRows(begin, end - begin).noalias() = eigen.middleRows(begin, end - begin) * x;
    });
  };
}

}  // namespace

template <class T>
std::function<void()> eigen_spgemm(const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B) {
  return [a = EigenMatrix<T>(Parts<T>(A).map()), b = EigenMatrix<T>(Parts<T>(B).map())] {
    const EigenMatrix<T> C = a * b;
  };
}

template <class T>
std::function<void()> eigen_spmm(const Context<Host>& ctx, const CsrMatrix<T, Host>& A,
                                 MultiVectorView<const T, Host> X, MultiVectorView<T, Host> Y) {
  return X.columns == 1 ? product<1, T>(ctx, A, X, Y) : product<Eigen::Dynamic, T>(ctx, A, X, Y);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                  \
  template std::function<void()> eigen_spgemm(const CsrMatrix<T, S>&, const CsrMatrix<T, S>&);                      \
  template std::function<void()> eigen_spmm(const Context<S>&, const CsrMatrix<T, S>&, MultiVectorView<const T, S>, \
                                            MultiVectorView<T, S>);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve::bench
