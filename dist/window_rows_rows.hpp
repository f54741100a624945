#pragma once

#include <utility>

#include "core/copy.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "dist/local_matrix_steps.hpp"
#include "dist/window_rows.hpp"

/// The body of dist/window_rows.hpp, written once for both memory spaces: parallel_for is that of the context.
namespace amgsolve {

template <class T, MemorySpace S>
CsrMatrix<T, S> window_rows(Context<S>& ctx, const Layout<S>& rows, LocalMatrix<T, S>& B,
                            const GlobalRows<T, S>& fetched, const std::shared_ptr<const Layout<S>>& columns) {
  const Offset below = offset_at(ctx, fetched.row_offsets, fetched.nnz(), rows.first_own());
  const Offset own = B.A.nnz();
  const Offset above = fetched.nnz() - below;
  CsrMatrix<T, S> result;
  result.rows = rows.columns();
  result.cols = columns->columns();
  result.row_offsets = Buffer<Offset, S>(ctx, static_cast<std::size_t>(result.rows) + 1);
  const auto widened = [&](auto& buffer) {
    return buffer.widened(static_cast<std::size_t>(below), static_cast<std::size_t>(above));
  };
  const bool has_room = !widened(B.A.col_indices).empty() && !widened(B.A.values).empty();
  if (has_room) {
    result.col_indices = Buffer<Index, S>::borrow(widened(B.A.col_indices));
    result.values = Buffer<T, S>::borrow(widened(B.A.values));
  } else {
    result.col_indices = Buffer<Index, S>(ctx, static_cast<std::size_t>(below + own + above));
    result.values = Buffer<T, S>(ctx, static_cast<std::size_t>(below + own + above));
  }

  const Offset* const fetched_offsets = fetched.row_offsets.data();
  const Offset* const own_offsets = std::as_const(B.A.row_offsets).data();
  Offset* const offsets = result.row_offsets.data();
  const Index first_own = rows.first_own();
  const Index own_rows = rows.own_rows();
  parallel_for(
      ctx, std::int64_t{rows.columns()} + 1,
      [=] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
        offsets[i] = i < first_own              ? fetched_offsets[i]
                     : i < first_own + own_rows ? below + own_offsets[i - first_own]
                                                : own + fetched_offsets[i - own_rows];
      },
      1);
  const ColumnMap map{B.layout->window(), columns->window()};
  const WindowColumns to = map.to;
  const std::int64_t* const fetched_columns = fetched.col_indices.data();
  Index* const result_columns = result.col_indices.data();
  parallel_for(ctx, fetched.nnz(), [=] AMGSOLVE_HOST_DEVICE(std::int64_t k) {
    result_columns[k < below ? k : own + k] = to.column_of(fetched_columns[k]);
  });
  // B goes on by the new window on all ranks, whoever has margins, since they exchange rows by it. A window that has
  // all of another's ghosts and no others is the same.
  if (map.from.ghost_count != to.ghost_count) {
    detail::renumber_columns<S>(ctx, map, std::as_const(B.A.col_indices).span(), B.A.col_indices.span());
  }
  B.A.cols = result.cols;
  B.layout = columns;
  const auto copy_values = [&](const Buffer<T, S>& values, Offset begin, Offset end, Offset place) {
    const auto count = static_cast<std::size_t>(end - begin);
    copy(ctx, values.span().subspan(static_cast<std::size_t>(begin), count),
         result.values.span().subspan(static_cast<std::size_t>(place), count));
  };
  copy_values(fetched.values, 0, below, 0);
  copy_values(fetched.values, below, fetched.nnz(), below + own);
  if (!has_room) {
    copy(ctx, std::as_const(B.A.col_indices).span(),
         result.col_indices.span().subspan(static_cast<std::size_t>(below), static_cast<std::size_t>(own)));
    copy_values(B.A.values, 0, own, below);
  }
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                 \
  template CsrMatrix<T, S> window_rows(Context<S>&, const Layout<S>&, LocalMatrix<T, S>&, const GlobalRows<T, S>&, \
                                       const std::shared_ptr<const Layout<S>>&);

}  // namespace amgsolve
