#include "spmv/operator.hpp"

#include <utility>

#include "core/copy.hpp"
#include "spmv/shapes.hpp"
#include "spmv/spmv.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
Operator<T, S>::Operator(Context<S>&, CsrMatrix<T, S> A, Storage) : A_(std::move(A)) {}

template <class T, MemorySpace S>
void Operator<T, S>::update_values(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  expect_shape("A", shape_of(A), {rows(), cols()});
  expect_length("the values of A", A.values.size(), static_cast<Index>(nnz()));
  copy(ctx, A.values.span(), A_.values.span());
}

template <class T, MemorySpace S>
void Operator<T, S>::apply(Context<S>& ctx, T alpha, FatView<const T, S> X, T beta, FatView<T, S> Y) const {
  spmv<T>(ctx, alpha, A_, X, beta, Y);
}

template <class T, MemorySpace S>
void Operator<T, S>::residual(Context<S>& ctx, FatView<const T, S> B, FatView<const T, S> X, FatView<T, S> R) const {
  amgsolve::residual<T>(ctx, A_, B, X, R);
}

template <class T, MemorySpace S>
void Operator<T, S>::smoothing_step(Context<S>& ctx, Span<const T, S> d, T a, T s, T c, FatView<const T, S> B,
                                    FatView<const T, S> X, FatView<T, S> X_out) const {
  amgsolve::smoothing_step<T>(ctx, A_, d, a, s, c, B, X, X_out);
}

template class Operator<float, Host>;
template class Operator<double, Host>;
#if AMGSOLVE_HAVE_CUDA
template class Operator<float, Cuda>;
template class Operator<double, Cuda>;
#endif

}  // namespace amgsolve
