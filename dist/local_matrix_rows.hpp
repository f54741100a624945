#pragma once

#include <algorithm>

#include "core/algorithms.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "dist/local_matrix_steps.hpp"
#include "spmv/csr_ref.hpp"

/// The bodies of dist/local_matrix_steps.hpp, written once for both memory spaces: parallel_for and find_first are
/// those of the context.
namespace amgsolve::detail {

/// What a thread looks through.
inline constexpr std::int64_t entries_of_a_piece = 64;

/// The entries of each of the `pieces` of a list of n: neighbouring ones on the host, while neighbouring threads of a
/// device have neighbouring ones in turn.
template <MemorySpace S>
struct ListPieces {
  std::int64_t n;
  std::int64_t pieces;

  template <class Body>
  AMGSOLVE_HOST_DEVICE void for_entries(std::int64_t piece, const Body& body) const {
    constexpr bool on_host = std::same_as<S, Host>;
    const std::int64_t step = on_host ? 1 : pieces;
    std::int64_t k = on_host ? piece * entries_of_a_piece : piece;
    for (std::int64_t i = 0; i < entries_of_a_piece && k < n; ++i, k += step) {
      body(k);
    }
  }
};

template <class Number, MemorySpace S>
Buffer<std::uint64_t, S> list_foreign(Context<S>& ctx, Span<const Number, S> list, std::int64_t first,
                                      std::int64_t end) {
  const auto n = static_cast<std::int64_t>(list.size());
  const std::int64_t pieces = (n + entries_of_a_piece - 1) / entries_of_a_piece;
  const Number* const numbers = list.data();
  WorkspaceScope<S> scope(ctx.workspace());
  const auto places = scope.template take<Offset>(static_cast<std::size_t>(pieces) + 1);
  Offset* const place = places.data();
  const ListPieces<S> of{n, pieces};
  parallel_for(
      ctx, pieces,
      [numbers, of, first, end, place] AMGSOLVE_HOST_DEVICE(std::int64_t piece) {
        Offset count = 0;
        of.for_entries(piece, [&](std::int64_t k) {
          count += numbers[k] >= 0 && (numbers[k] < first || numbers[k] >= end) ? 1 : 0;
        });
        place[piece + 1] = count;
      },
      entries_of_a_piece);
  Buffer<std::uint64_t, S> found(ctx, static_cast<std::size_t>(counts_to_offsets(ctx, places)));
  std::uint64_t* const foreign = found.data();
  parallel_for(ctx, pieces, [numbers, of, first, end, place, foreign] AMGSOLVE_HOST_DEVICE(std::int64_t piece) {
    Offset next = place[piece];
    if (next == place[piece + 1]) {
      return;
    }
    of.for_entries(piece, [&](std::int64_t k) {
      if (numbers[k] >= 0 && (numbers[k] < first || numbers[k] >= end)) {
        foreign[next++] = static_cast<std::uint64_t>(numbers[k]);
      }
    });
  });
  return found;
}

template <class Number, MemorySpace S>
void find_columns(Context<S>& ctx, const WindowColumns& window, Span<const Number, S> rows, Span<Index, S> columns) {
  const Number* const row = rows.data();
  Index* const column = columns.data();
  parallel_for(
      ctx, static_cast<std::int64_t>(rows.size()),
      [window, row, column] AMGSOLVE_HOST_DEVICE(std::int64_t k) {
        column[k] = row[k] < 0 ? Index{-1} : window.column_of(row[k]);
      },
      1);
}

template <class Number, MemorySpace S>
void find_rows(Context<S>& ctx, const WindowColumns& window, Span<const Index, S> columns, Span<Number, S> rows) {
  const Index* const column = columns.data();
  Number* const row = rows.data();
  parallel_for(
      ctx, static_cast<std::int64_t>(columns.size()),
      [window, row, column] AMGSOLVE_HOST_DEVICE(std::int64_t k) {
        row[k] = static_cast<Number>(window.row_of(column[k]));
      },
      1);
}

template <MemorySpace S>
void renumber_columns(Context<S>& ctx, const WindowColumns& from, const WindowColumns& to, Span<Index, S> columns) {
  Index* const column = columns.data();
  parallel_for(
      ctx, static_cast<std::int64_t>(columns.size()),
      [from, to, column] AMGSOLVE_HOST_DEVICE(std::int64_t k) { column[k] = to.column_of(from.row_of(column[k])); }, 1);
}

template <MemorySpace S>
void fill_square_offsets(Context<S>& ctx, const WindowColumns& window, Span<const Offset, S> own,
                         Span<Offset, S> square) {
  const Offset* const from = own.data();
  Offset* const to = square.data();
  parallel_for(
      ctx, static_cast<std::int64_t>(square.size()),
      [window, from, to] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
        const std::int64_t row = i - window.first_own;
        to[i] = from[row < 0 ? 0 : row < window.own_rows ? row : window.own_rows];
      },
      1);
}

template <MemorySpace S>
void shift_offsets(Context<S>& ctx, Span<const Offset, S> from, Offset begin, Span<Offset, S> to) {
  const Offset* const x = from.data();
  Offset* const y = to.data();
  parallel_for(
      ctx, static_cast<std::int64_t>(to.size()),
      [x, y, begin] AMGSOLVE_HOST_DEVICE(std::int64_t i) { y[i] = x[i] - begin; }, 1);
}

template <MemorySpace S>
void count_entries(Context<S>& ctx, Span<const Offset, S> row_offsets, Span<const Index, S> chosen,
                   Span<Offset, S> counts) {
  const Offset* const offsets = row_offsets.data();
  const Index* const rows = chosen.data();
  Offset* const count = counts.data();
  parallel_for(ctx, static_cast<std::int64_t>(chosen.size()),
               [offsets, rows, count] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
                 count[i] = offsets[rows[i] + 1] - offsets[rows[i]];
               });
}

template <class T, MemorySpace S>
void copy_rows(Context<S>& ctx, const CsrMatrix<T, S>& A, const WindowColumns& window, Span<const Index, S> chosen,
               GlobalRows<T, S>& result) {
  const CsrRef<T> a = ref_of(A);
  const Index* const rows = chosen.data();
  const Offset* const offsets = result.row_offsets.data();
  std::int64_t* const columns = result.col_indices.data();
  T* const values = result.values.data();
  parallel_for(ctx, static_cast<std::int64_t>(chosen.size()),
               [a, window, rows, offsets, columns, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
                 Offset next = offsets[i];
                 for (Offset k = a.row_offsets[rows[i]]; k < a.row_offsets[rows[i] + 1]; ++k, ++next) {
                   columns[next] = window.row_of(a.col_indices[k]);
                   values[next] = a.values[k];
                 }
               });
}

struct IsColumnOutside {
  const std::int64_t* col_indices;
  std::int64_t columns;

  AMGSOLVE_HOST_DEVICE bool operator()(std::int64_t k) const { return col_indices[k] < 0 || col_indices[k] >= columns; }
};

template <MemorySpace S>
std::int64_t find_column_outside(Context<S>& ctx, Span<const std::int64_t, S> col_indices, std::int64_t columns) {
  return find_first(ctx, static_cast<std::int64_t>(col_indices.size()), IsColumnOutside{col_indices.data(), columns});
}

#define AMGSOLVE_INSTANTIATE_FOR_NUMBERS(Number, S)                                                               \
  template Buffer<std::uint64_t, S> list_foreign(Context<S>&, Span<const Number, S>, std::int64_t, std::int64_t); \
  template void find_columns(Context<S>&, const WindowColumns&, Span<const Number, S>, Span<Index, S>);           \
  template void find_rows(Context<S>&, const WindowColumns&, Span<const Index, S>, Span<Number, S>);
#define AMGSOLVE_INSTANTIATE_FOR_VALUES(T, S)                                                              \
  template void copy_rows(Context<S>&, const CsrMatrix<T, S>&, const WindowColumns&, Span<const Index, S>, \
                          GlobalRows<T, S>&);
#define AMGSOLVE_INSTANTIATE_STRIP_STEPS(S)                                                                     \
  AMGSOLVE_INSTANTIATE_FOR_NUMBERS(Index, S)                                                                    \
  AMGSOLVE_INSTANTIATE_FOR_NUMBERS(std::int64_t, S)                                                             \
  AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_FOR_VALUES, S)                                                       \
  template void renumber_columns(Context<S>&, const WindowColumns&, const WindowColumns&, Span<Index, S>);      \
  template void fill_square_offsets(Context<S>&, const WindowColumns&, Span<const Offset, S>, Span<Offset, S>); \
  template void shift_offsets(Context<S>&, Span<const Offset, S>, Offset, Span<Offset, S>);                     \
  template void count_entries(Context<S>&, Span<const Offset, S>, Span<const Index, S>, Span<Offset, S>);       \
  template std::int64_t find_column_outside(Context<S>&, Span<const std::int64_t, S>, std::int64_t);

}  // namespace amgsolve::detail
