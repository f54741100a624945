#pragma once

#include "core/copy.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "dist/window_rows.hpp"

/// The body of dist/window_rows.hpp, written once for both memory spaces: parallel_for is that of the context.
namespace amgsolve {

template <class T, MemorySpace S>
CsrMatrix<T, S> window_rows(Context<S>& ctx, const Layout<S>& rows, const LocalMatrix<T, S>& B,
                            const GlobalRows<T, S>& fetched, const Layout<S>& columns) {
  CsrMatrix<T, S> result(ctx, rows.columns(), columns.columns(), B.A.nnz() + fetched.nnz());
  const Offset below = element(ctx, fetched.row_offsets.span(), static_cast<std::size_t>(rows.first_own()));
  const Offset own = B.A.nnz();
  const Offset* const fetched_offsets = fetched.row_offsets.data();
  const Offset* const own_offsets = B.A.row_offsets.data();
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
  const WindowColumns from = B.layout->window();
  const WindowColumns to = columns.window();
  const std::int64_t* const fetched_columns = fetched.col_indices.data();
  const Index* const own_columns = B.A.col_indices.data();
  Index* const result_columns = result.col_indices.data();
  parallel_for(
      ctx, own + fetched.nnz(),
      [=] AMGSOLVE_HOST_DEVICE(std::int64_t k) {
        result_columns[k] = k < below         ? to.column_of(fetched_columns[k])
                            : k < below + own ? to.column_of(from.row_of(own_columns[k - below]))
                                              : to.column_of(fetched_columns[k - own]);
      },
      1);
  const auto copy_values = [&](const Buffer<T, S>& values, Offset begin, Offset end, Offset place) {
    const auto count = static_cast<std::size_t>(end - begin);
    copy(ctx, values.span().subspan(static_cast<std::size_t>(begin), count),
         result.values.span().subspan(static_cast<std::size_t>(place), count));
  };
  copy_values(fetched.values, 0, below, 0);
  copy_values(B.A.values, 0, own, below);
  copy_values(fetched.values, below, fetched.nnz(), below + own);
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                              \
  template CsrMatrix<T, S> window_rows(Context<S>&, const Layout<S>&, const LocalMatrix<T, S>&, \
                                       const GlobalRows<T, S>&, const Layout<S>&);

}  // namespace amgsolve
