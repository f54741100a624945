#include "dist/product.hpp"

#include <utility>

#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/collectively.hpp"
#include "dist/fetch_rows.hpp"
#include "dist/local_matrix_steps.hpp"
#include "dist/window_rows.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {
namespace {

/// Rows of a matrix, put between those below and those above them.
/// @param outer        the rows below, then those above
/// @param below        how many of `outer` are below
template <class T, MemorySpace S>
GlobalRows<T, S> put_between(Context<S>& ctx, const GlobalRows<T, S>& inner, const GlobalRows<T, S>& outer,
                             std::size_t below) {
  const std::size_t count = inner.row_offsets.size() - 1;
  const auto rest = [](auto span, std::size_t first) { return span.subspan(first, span.size() - first); };
  const Offset begin = element(ctx, outer.row_offsets.span(), below);
  const auto nnz = static_cast<std::size_t>(inner.nnz() + outer.nnz());
  GlobalRows<T, S> all{Buffer<Offset, S>(ctx, count + outer.row_offsets.size()), Buffer<std::int64_t, S>(ctx, nnz),
                       Buffer<T, S>(ctx, nnz)};
  const auto offsets = all.row_offsets.span();
  const auto outer_offsets = outer.row_offsets.span();
  detail::shift_offsets<S>(ctx, outer_offsets.subspan(0, below + 1), 0, offsets.subspan(0, below + 1));
  detail::shift_offsets<S>(ctx, inner.row_offsets.span(), -begin, offsets.subspan(below, count + 1));
  detail::shift_offsets<S>(ctx, rest(outer_offsets, below), -inner.nnz(), rest(offsets, below + count));
  const auto place = [&](const auto& of_inner, const auto& of_outer, auto& of_all) {
    const auto first = static_cast<std::size_t>(begin);
    const auto own = static_cast<std::size_t>(inner.nnz());
    copy(ctx, of_outer.span().subspan(0, first), of_all.span().subspan(0, first));
    copy(ctx, of_inner.span(), of_all.span().subspan(first, own));
    copy(ctx, rest(of_outer.span(), first), rest(of_all.span(), first + own));
  };
  place(inner.col_indices, outer.col_indices, all.col_indices);
  place(inner.values, outer.values, all.values);
  return all;
}

}  // namespace

template <class T, MemorySpace S>
LocalMatrix<T, S> multiply(Context<S>& ctx, const LocalMatrix<T, S>& A, const LocalMatrix<T, S>& B,
                           const SpgemmOptions& options) {
  const Communicator& communicator = ctx.communicator();
  const Partition& columns = B.layout->partition();
  const GlobalRows<T, S> fetched = fetch_rows(ctx, *A.layout, B);
  Buffer<std::int64_t, S> ghosts;
  collectively(communicator, [&] {
    Buffer<std::int64_t, S> all(ctx, fetched.col_indices.size() + B.layout->ghosts().size());
    copy(ctx, fetched.col_indices.span(), all.span().subspan(0, fetched.col_indices.size()));
    copy(ctx, B.layout->ghosts(), all.span().subspan(fetched.col_indices.size(), B.layout->ghosts().size()));
    ghosts = foreign_rows<std::int64_t, S>(ctx, std::as_const(all).span(), columns);
  });
  LocalMatrix<T, S> C;
  C.layout = std::make_shared<const Layout<S>>(ctx, columns, std::move(ghosts));
  collectively(communicator, [&] {
    CsrMatrix<T, S> rows;
    {
      ScopedTimer timer(ctx, "window");
      rows = window_rows(ctx, *A.layout, B, fetched, *C.layout);
    }
    C.A = multiply(ctx, A.A, rows, options);
  });
  return C;
}

template <class T, MemorySpace S>
NarrowOperands<T, S> narrow_operands(Context<S>& ctx, const LocalMatrix<T, S>& A, const LocalMatrix<T, S>& B) {
  const Layout<S>& window = *A.layout;
  const GlobalRows<T, S> fetched = fetch_rows(ctx, window, B);
  CsrMatrix<T, S> narrow;
  GlobalRows<T, S> rows;
  collectively(ctx.communicator(), [&] {
    const Buffer<std::int64_t, S> used =
        foreign_rows<Index, S>(ctx, std::as_const(A.A.col_indices).span(), 0, 0, window.columns());
    const auto below = static_cast<std::size_t>(window.first_own());
    const std::size_t own_count = used.size() - window.ghosts().size();
    Buffer<Index, S> own(ctx, own_count);
    detail::find_columns<std::int64_t, S>(ctx, {window.first_own(), 0, window.own_rows(), nullptr, 0},
                                          used.span().subspan(below, own_count), own.span());
    rows = put_between(ctx, gather_rows<T, S>(ctx, B, std::as_const(own).span()), fetched, below);
    narrow = borrow(A.A);
    narrow.cols = static_cast<Index>(used.size());
    narrow.col_indices = Buffer<Index, S>(ctx, A.A.col_indices.size());
    copy(ctx, A.A.col_indices.span(), narrow.col_indices.span());
    detail::renumber_columns<S>(ctx, {0, 0, window.columns(), nullptr, 0}, {0, 0, 0, used.data(), narrow.cols},
                                narrow.col_indices.span());
  });
  return {std::move(narrow), to_local(ctx, B.layout->partition(), std::move(rows))};
}

template <class T, MemorySpace S>
LocalMatrix<T, S> transpose(Context<S>& ctx, const LocalMatrix<T, S>& A, const Partition& rows) {
  CsrMatrix<T, S> strip;
  {
    ScopedTimer timer(ctx, "transpose");
    collectively(ctx.communicator(), [&] { strip = transpose(ctx, A.A); });
  }
  return hand_in_rows(ctx, *A.layout, strip, rows);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                \
  template LocalMatrix<T, S> multiply(Context<S>&, const LocalMatrix<T, S>&, const LocalMatrix<T, S>&,            \
                                      const SpgemmOptions&);                                                      \
  template NarrowOperands<T, S> narrow_operands(Context<S>&, const LocalMatrix<T, S>&, const LocalMatrix<T, S>&); \
  template LocalMatrix<T, S> transpose(Context<S>&, const LocalMatrix<T, S>&, const Partition&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
