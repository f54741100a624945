#pragma once

#include "core/copy.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

/// Matrices and vectors from one memory space to the other; from host to host they are copies.
namespace amgsolve {

/// A copy of A in the context's space. See upload of a span for when A's arrays may change.
template <class T, MemorySpace S>
CsrMatrix<T, S> upload(Context<S>& ctx, const CsrMatrix<T, Host>& A) {
  CsrMatrix<T, S> B(ctx, A.rows, A.cols, A.nnz());
  upload(ctx, A.row_offsets.span(), B.row_offsets.span());
  upload(ctx, A.col_indices.span(), B.col_indices.span());
  upload(ctx, A.values.span(), B.values.span());
  return B;
}

/// A copy of A in host memory, taken from `host`. Synchronises `ctx`.
template <class T, MemorySpace S>
CsrMatrix<T, Host> download(Context<S>& ctx, Context<Host>& host, const CsrMatrix<T, S>& A) {
  CsrMatrix<T, Host> B(host, A.rows, A.cols, A.nnz());
  download(ctx, A.row_offsets.span(), B.row_offsets.span());
  download(ctx, A.col_indices.span(), B.col_indices.span());
  download(ctx, A.values.span(), B.values.span());
  return B;
}

/// The same for vectors.
template <class T, MemorySpace S>
MultiVector<T, S> upload(Context<S>& ctx, const MultiVector<T, Host>& x) {
  MultiVector<T, S> y(ctx, x.rows(), x.columns());
  upload(ctx, x.view().span(), y.view().span());
  return y;
}

template <class T, MemorySpace S>
MultiVector<T, Host> download(Context<S>& ctx, Context<Host>& host, const MultiVector<T, S>& x) {
  MultiVector<T, Host> y(host, x.rows(), x.columns());
  download(ctx, x.view().span(), y.view().span());
  return y;
}

}  // namespace amgsolve
