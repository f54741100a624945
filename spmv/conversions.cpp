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

template CsrMatrix<float, Host> borrow(const CsrMatrix<float, Host>&);
template CsrMatrix<double, Host> borrow(const CsrMatrix<double, Host>&);
#if AMGSOLVE_HAVE_CUDA
template CsrMatrix<float, Cuda> borrow(const CsrMatrix<float, Cuda>&);
template CsrMatrix<double, Cuda> borrow(const CsrMatrix<double, Cuda>&);
#endif

}  // namespace amgsolve
