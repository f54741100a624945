#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "core/copy.hpp"
#include "dist/layout.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/global_rows.hpp"

namespace amgsolve {

/// A rank's rows of a matrix as an ordinary one over a window of its columns.
template <class T, MemorySpace S>
struct LocalMatrix {
  CsrMatrix<T, S> A;                        ///< rows of this rank × layout->columns()
  std::shared_ptr<const Layout<S>> layout;  ///< of the columns
  bool rows_ascend = false;                 ///< each row's columns are known to
};

/// Rows of a matrix that belong to a window, in its order.
template <class T, MemorySpace S>
struct WindowStrip {
  LocalMatrix<T, S> rows;
  OwnRows own;
};

/// The offset of a row, or behind the last one. Those of the first and of what is behind the last are known without
/// waiting for a device.
template <MemorySpace S>
Offset offset_at(Context<S>& ctx, const Buffer<Offset, S>& offsets, Offset nnz, std::int64_t row) {
  const auto i = static_cast<std::size_t>(row);
  return i == 0 ? 0 : i + 1 == offsets.size() ? nnz : element(ctx, offsets.span(), i);
}

/// Some elements of two arrays, one after another, on the host. Synchronises, once.
/// @tparam First, Second  Index or std::int64_t
template <class First, class Second, MemorySpace S>
std::vector<std::int64_t> elements(Context<S>& ctx, Span<const First, S> x,
                                   const std::vector<std::int64_t>& places_in_x, Span<const Second, S> y,
                                   const std::vector<std::int64_t>& places_in_y);

/// The strip over the window of the columns that it has entries in. The order of a row's entries stays; columns that
/// are own rows' are in the window whether there are entries or not. Collective. O(nnz log ghosts).
/// @param columns   whose rows are the matrix's columns
/// @param connects  else the layout is an unconnected one
/// Throws InputError on all ranks where a column is outside the matrix, naming row and column.
template <class T, MemorySpace S>
LocalMatrix<T, S> to_local(Context<S>& ctx, const Partition& columns, RankRows<T, S> rows, bool connects = true);
template <class T, MemorySpace S>
LocalMatrix<T, S> to_local(Context<S>& ctx, const Partition& columns, GlobalRows<T, S> rows, bool connects = true) {
  return to_local(ctx, columns, RankRows<T, S>(std::move(rows)), connects);
}
/// The same of rows whose columns, those of the whole matrix, are known to be of it.
template <class T, MemorySpace S>
LocalMatrix<T, S> to_local(Context<S>& ctx, const Partition& columns, CsrMatrix<T, S> rows);

/// Renumbers the columns of a strip, in place, as those of another window that has all of them.
template <class T, MemorySpace S>
void move_to_window(Context<S>& ctx, LocalMatrix<T, S>& A, std::shared_ptr<const Layout<S>> window);

/// A strip as the square matrix of its window, in which the ghosts' rows have no entries. What goes by rows and columns
/// of the same number works on it as on a whole matrix. Borrows the entries of the strip, which must outlive it.
/// Collective.
template <class T, MemorySpace S>
CsrMatrix<T, S> square_of(Context<S>& ctx, const LocalMatrix<T, S>& strip);

/// The way back, without the entries that the ghosts' rows may have. Synchronises.
/// @param layout  of the strip's columns, whose own rows are the strip's
template <class T, MemorySpace S>
CsrMatrix<T, S> strip_of(Context<S>& ctx, CsrMatrix<T, S> square, const Layout<S>& layout);

/// Some rows of a strip, one after another.
/// @param columns  of the strip
/// @param chosen   rows of it
template <class T, MemorySpace S>
GlobalRows<T, S> gather_rows(Context<S>& ctx, const CsrMatrix<T, S>& A, const WindowColumns& columns,
                             Span<const Index, S> chosen);
template <class T, MemorySpace S>
GlobalRows<T, S> gather_rows(Context<S>& ctx, const LocalMatrix<T, S>& A, Span<const Index, S> chosen) {
  return gather_rows<T, S>(ctx, A.A, A.layout->window(), chosen);
}

/// columns_i = the window's column of row rows_i, which it has; −1 for −1.
template <MemorySpace S>
void columns_of(Context<S>& ctx, const Layout<S>& layout, Span<const Index, S> rows, Span<Index, S> columns);

/// The numbers of a list, each once, ascending. Negative ones are left out. O(list). Synchronises.
/// @param bound  all numbers are less
template <class Number, MemorySpace S>
Buffer<std::int64_t, S> each_number(Context<S>& ctx, Span<const Number, S> list, std::int64_t bound);

/// Those that are rows of other ranks, with their places. O(list). Synchronises.
/// @tparam Number  Index or std::int64_t
template <class Number, MemorySpace S>
GhostRows<S> foreign_rows(Context<S>& ctx, Span<const Number, S> list, const Partition& rows);
/// The same of several lists.
template <class Number, MemorySpace S>
GhostRows<S> foreign_rows(Context<S>& ctx, std::initializer_list<Span<const Number, S>> lists, const Partition& rows);

}  // namespace amgsolve
