#include "spmv/conversions.hpp"

#include "core/algorithms.hpp"
#include "core/borrow.hpp"
#include "core/instantiate.hpp"
#include "spmv/spmv_steps.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
CsrMatrix<T, S> borrow(const CsrMatrix<T, S>& A) {
  CsrMatrix<T, S> view;
  view.rows = A.rows;
  view.cols = A.cols;
  view.row_offsets = borrow(A.row_offsets.span());
  view.col_indices = borrow(A.col_indices.span());
  view.values = borrow(A.values.span());
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

template <class T, MemorySpace S>
EllMatrix<T, S> csr_to_ell(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto widths = scope.template take<Index>(static_cast<std::size_t>(slice_count(A.rows)));
  detail::find_slice_widths(ctx, A.row_offsets, widths);
  EllMatrix<T, S> B(ctx, A.rows, A.cols, reduce_max(ctx, widths, 0), A.nnz());
  detail::store_entries(ctx, ref_of(A), ref_of(B), B.col_indices.span(), B.values.span());
  return B;
}

template <class T, MemorySpace S>
SellMatrix<T, S> csr_to_sell(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto widths = scope.template take<Index>(static_cast<std::size_t>(slice_count(A.rows)));
  detail::find_slice_widths(ctx, A.row_offsets, widths);
  SellMatrix<T, S> B(ctx, A.rows, A.cols, reduce_sum(ctx, widths), A.nnz());
  widen(ctx, widths, B.slice_offsets.span().subspan(1, widths.size()));
  accumulate_counts(ctx, B.slice_offsets);
  detail::store_entries(ctx, ref_of(A), ref_of(B), B.col_indices.span(), B.values.span());
  return B;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                              \
  template EllMatrix<T, S> csr_to_ell(Context<S>&, const CsrMatrix<T, S>&);     \
  template SellMatrix<T, S> csr_to_sell(Context<S>&, const CsrMatrix<T, S>&);   \
  template CsrMatrix<T, S> borrow(const CsrMatrix<T, S>&);                      \
  template CsrMatrix<T, S> borrow_pattern(Context<S>&, const CsrMatrix<T, S>&); \
  template CsrMatrix<T, S> sum_duplicates(Context<S>&, const CsrMatrix<T, S>&);

AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
