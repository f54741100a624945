#pragma once

#include "spmv/blas1.hpp"
#include "spmv/operator.hpp"

/// What solving −A x = −b takes, where A has a negative diagonal.
namespace amgsolve {

/// Y = −A X from Y = A X.
template <class T, MemorySpace S>
FormProduct<T, S> negative(const FormProduct<T, S>& product) {
  return [product](Context<S>& ctx, MultiVectorView<const T, S> X, MultiVectorView<T, S> Y) {
    product(ctx, X, Y);
    axpby<T>(ctx, T{-1}, Y, T{0}, Y);
  };
}

/// −B.
template <class T, MemorySpace S>
MultiVector<T, S> negative(Context<S>& ctx, MultiVectorView<const T, S> B) {
  MultiVector<T, S> result(ctx, B.rows, B.columns);
  axpby<T>(ctx, T{-1}, B, T{0}, result);
  return result;
}

}  // namespace amgsolve
