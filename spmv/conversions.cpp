#include "spmv/conversions.hpp"

namespace amgsolve {
namespace {

template <class T, MemorySpace S>
Buffer<T, S> borrow_buffer(const Buffer<T, S>& buffer) {
  // A buffer hands out its elements for writing; that a borrowed matrix is only read is the contract of CsrMatrix.
  return Buffer<T, S>::borrow(const_cast<T*>(buffer.data()), buffer.size());
}

}  // namespace

template <class T, MemorySpace S>
CsrMatrix<T, S> borrow(const CsrMatrix<T, S>& A) {
  CsrMatrix<T, S> view;
  view.rows = A.rows;
  view.cols = A.cols;
  view.row_offsets = borrow_buffer(A.row_offsets);
  view.col_indices = borrow_buffer(A.col_indices);
  view.values = borrow_buffer(A.values);
  return view;
}

template <class T, MemorySpace S>
CsrMatrix<T, S> sum_duplicates(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  return coo_to_csr(ctx, csr_to_coo(ctx, A));
}

#define AMGSOLVE_INSTANTIATE(T, S)                         \
  template CsrMatrix<T, S> borrow(const CsrMatrix<T, S>&); \
  template CsrMatrix<T, S> sum_duplicates(Context<S>&, const CsrMatrix<T, S>&);

AMGSOLVE_INSTANTIATE(float, Host)
AMGSOLVE_INSTANTIATE(double, Host)
#if AMGSOLVE_HAVE_CUDA
AMGSOLVE_INSTANTIATE(float, Cuda)
AMGSOLVE_INSTANTIATE(double, Cuda)
#endif
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
