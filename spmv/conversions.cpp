#include "spmv/conversions.hpp"

#include "core/instantiate.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
CsrMatrix<T, S> borrow(const CsrMatrix<T, S>& A) {
  CsrMatrix<T, S> view;
  view.rows = A.rows;
  view.cols = A.cols;
  view.row_offsets = Buffer<Offset, S>::borrow(A.row_offsets);
  view.col_indices = Buffer<Index, S>::borrow(A.col_indices);
  view.values = Buffer<T, S>::borrow(A.values);
  return view;
}

template <class T, MemorySpace S>
CsrMatrix<T, S> borrow_pattern(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  CsrMatrix<T, S> result = borrow(A);
  result.values = Buffer<T, S>(ctx, A.col_indices.size());
  return result;
}

template <class T, MemorySpace S>
CsrMatrix<T, S> sum_duplicates(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  return coo_to_csr(ctx, csr_to_coo(ctx, A));
}

#define AMGSOLVE_INSTANTIATE(T, S)                                              \
  template CsrMatrix<T, S> borrow(const CsrMatrix<T, S>&);                      \
  template CsrMatrix<T, S> borrow_pattern(Context<S>&, const CsrMatrix<T, S>&); \
  template CsrMatrix<T, S> sum_duplicates(Context<S>&, const CsrMatrix<T, S>&);

AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
