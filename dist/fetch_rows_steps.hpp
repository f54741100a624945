#pragma once

#include "dist/local_matrix.hpp"

/// The loops of dist/fetch_rows.hpp and dist/transpose.hpp, for each memory space.
namespace amgsolve::detail {

/// counts_i = entries of row i.
template <MemorySpace S>
void count_row_entries(Context<S>& ctx, Span<const Offset, S> row_offsets, Span<Offset, S> counts);

/// counts_r += lengths_i for r = rows_i, which are different.
template <MemorySpace S>
void add_lengths(Context<S>& ctx, Span<const Index, S> rows, Span<const Offset, S> lengths, Span<Offset, S> counts);

/// sums_i += entries of row i.
template <MemorySpace S>
void add_row_lengths(Context<S>& ctx, Span<const Offset, S> row_offsets, Span<Offset, S> sums);

/// Entries of rows that lie one after another.
template <class T>
struct Piece {
  Offset entries;         ///< about as many
  const Offset* offsets;  ///< of its rows
  const Index* columns;
  const T* values;
};

/// The piece's row i is written behind what the row rows_i of the whole has, which ends at next_{rows_i}. No two of
/// them are one.
template <class T, MemorySpace S>
void append_rows(Context<S>& ctx, std::type_identity_t<Span<const Index, S>> rows, const Piece<T>& piece,
                 Span<Offset, S> next, CsrMatrix<T, S>& whole);

}  // namespace amgsolve::detail
