#include "spmv/conversions.hpp"

#include <utility>

#include "core/copy.hpp"
#include "core/instantiate.hpp"

namespace amgsolve {
namespace {

template <class V, MemorySpace S>
Buffer<V, S> copied(Context<S>& ctx, const Buffer<V, S>& from) {
  Buffer<V, S> to(ctx, from.size());
  copy<V>(ctx, from.span(), to.span());
  return to;
}

}  // namespace

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

template <class U, class T, MemorySpace S>
CsrMatrix<U, S> convert_values(Context<S>& ctx, CsrMatrix<T, S>&& A, double factor) {
  CsrMatrix<U, S> B;
  B.values = Buffer<U, S>(ctx, A.values.size());
  detail::convert_list<U, T>(ctx, std::as_const(A).values.span(), factor, B.values.span());
  B.rows = A.rows;
  B.cols = A.cols;
  B.row_offsets = std::move(A.row_offsets);
  B.col_indices = std::move(A.col_indices);
  A = {};
  return B;
}

template <class U, class T, MemorySpace S>
CsrMatrix<U, S> convert_values(Context<S>& ctx, const CsrMatrix<T, S>& A, double factor) {
  CsrMatrix<U, S> B = convert_values<U>(ctx, borrow(A), factor);
  B.row_offsets = copied(ctx, A.row_offsets);
  B.col_indices = copied(ctx, A.col_indices);
  return B;
}

template <class U, class T, MemorySpace S>
PatternMatrix<U, S> convert_values(Context<S>& ctx, const PatternMatrix<T, S>& A, double factor) {
  PatternMatrix<U, S> B;
  B.rows = A.rows;
  B.cols = A.cols;
  B.entries = A.entries;
  B.slice_offsets = copied(ctx, A.slice_offsets);
  B.patterns = {copied(ctx, A.patterns.of_row), copied(ctx, A.patterns.starts), copied(ctx, A.patterns.shifts)};
  B.values = Buffer<U, S>(ctx, A.values.size());
  detail::convert_list<U, T>(ctx, A.values.span(), factor, B.values.span());
  B.may_share = A.may_share;
  return B;
}

#define AMGSOLVE_INSTANTIATE_CONVERSION(U, T, S)                                           \
  template CsrMatrix<U, S> convert_values<U>(Context<S>&, CsrMatrix<T, S>&&, double);      \
  template CsrMatrix<U, S> convert_values<U>(Context<S>&, const CsrMatrix<T, S>&, double); \
  template PatternMatrix<U, S> convert_values<U>(Context<S>&, const PatternMatrix<T, S>&, double);
#define AMGSOLVE_INSTANTIATE(T, S)                                              \
  AMGSOLVE_INSTANTIATE_CONVERSION(float, T, S)                                  \
  AMGSOLVE_INSTANTIATE_CONVERSION(double, T, S)                                 \
  template CsrMatrix<T, S> borrow(const CsrMatrix<T, S>&);                      \
  template CsrMatrix<T, S> borrow_pattern(Context<S>&, const CsrMatrix<T, S>&); \
  template CsrMatrix<T, S> sum_duplicates(Context<S>&, const CsrMatrix<T, S>&);

AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
