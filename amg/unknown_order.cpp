#include "amg/unknown_order.hpp"

#include <stdexcept>
#include <utility>

#include "amg/unknown_order_steps.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "spmv/conversions.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
CsrMatrix<T, S> order_by_node(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size) {
  if (A.rows != A.cols || block_size < 1 || A.rows % block_size != 0) {
    throw std::invalid_argument(
        format_text("order by node: a {} x {} matrix has no nodes of {} unknowns", A.rows, A.cols, block_size));
  }
  CsrMatrix<T, S> ordered = uncounted_matrix<T>(ctx, A.rows, A.cols);
  detail::count_rows_by_node(ctx, A, block_size, row_counts(ordered));
  allocate_entries(ctx, ordered);
  detail::fill_rows_by_node(ctx, A, block_size, ordered);
  sort_rows(ctx, ordered);
  ctx.profile().add({.bytes = static_cast<std::int64_t>(A.bytes() + ordered.bytes()), .flops = 0});
  return ordered;
}

template <class T, MemorySpace S>
MultiVector<T, S> by_node(Context<S>& ctx, MultiVectorView<const T, S> x, Index block_size) {
  MultiVector<T, S> ordered(ctx, x.rows, x.columns);
  order_by_node<T>(ctx, x, block_size, ordered);
  return ordered;
}

template <class T, MemorySpace S>
FormProduct<T, S> by_node(const FormProduct<T, S>& product, Index block_size) {
  return [&product, block_size](Context<S>& ctx, MultiVectorView<const T, S> X, MultiVectorView<T, S> Y) {
    MultiVector<T, S> x_by_field(ctx, X.rows, X.columns);
    MultiVector<T, S> y_by_field(ctx, X.rows, X.columns);
    order_by_field<T>(ctx, X, block_size, x_by_field);
    product(ctx, std::as_const(x_by_field), y_by_field);
    order_by_node<T>(ctx, std::as_const(y_by_field), block_size, Y);
  };
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                     \
  template CsrMatrix<T, S> order_by_node(Context<S>&, const CsrMatrix<T, S>&, Index);  \
  template MultiVector<T, S> by_node(Context<S>&, MultiVectorView<const T, S>, Index); \
  template FormProduct<T, S> by_node(const FormProduct<T, S>&, Index);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
