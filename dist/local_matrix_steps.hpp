#pragma once

#include "dist/local_matrix.hpp"

/// The loops of dist/local_matrix.hpp, for each memory space.
namespace amgsolve::detail {

/// What of a list is looked for: numbers in [0, bound) that are not in [first, end).
struct Foreign {
  std::int64_t first;
  std::int64_t end;
  std::int64_t bound;
  bool keeps_outside;       ///< numbers outside [0, bound) count as `bound`; else they are left out
  std::int64_t origin = 0;  ///< what is looked for counts from there, and is no less

  /// What a number counts as; −1 where it is left out.
  AMGSOLVE_HOST_DEVICE std::int64_t operator()(std::int64_t number) const {
    if (number >= first && number < end) {
      return -1;
    }
    return number >= 0 && number < bound ? number - origin : keeps_outside ? bound - origin : -1;
  }
};

/// From the least to the most of some numbers; none: the other way round.
struct NumberRange {
  std::int64_t least;
  std::int64_t most;
};

/// Of what is looked for in a list. Synchronises.
template <class Number, MemorySpace S>
NumberRange range_of_foreign(Context<S>& ctx, Span<const Number, S> list, const Foreign& foreign);

/// flags_i = 1 for the numbers i of a list that are looked for. The others stay as they are.
template <class Number, MemorySpace S>
void flag_foreign(Context<S>& ctx, Span<const Number, S> list, const Foreign& foreign, Span<std::uint8_t, S> flags);

/// Those numbers, as often as they are there, in any order.
template <class Number, MemorySpace S>
Buffer<std::uint64_t, S> list_foreign(Context<S>& ctx, Span<const Number, S> list, const Foreign& foreign);

/// places_i = how many different ones there are of the first i numbers.
template <MemorySpace S>
void place_once(Context<S>& ctx, Span<const std::uint64_t, S> sorted, Span<Offset, S> places);

/// Each of the numbers once.
/// @param places  by place_once()
template <MemorySpace S>
void list_once(Context<S>& ctx, Span<const std::uint64_t, S> sorted, Span<const Offset, S> places,
               Span<std::int64_t, S> once);

/// picked_i = numbers_p for p = places_i.
template <class Number, MemorySpace S>
void pick(Context<S>& ctx, Span<const Number, S> numbers, Span<const std::int64_t, Host> places,
          Span<std::int64_t, S> picked);

/// For ranges of numbers, of which there are few: places_i = how many of some numbers that ascend are less than
/// bounds_i, and first_i = the first of those between bounds_i and bounds_{i+1} where none is left out between them;
/// else, and where there is none, −1.
/// @param bounds  two at least
/// @param first   of so many ranges, which may be fewer than there are
template <MemorySpace S>
void find_ranges(Context<S>& ctx, Span<const std::int64_t, S> ascending, Span<const std::int64_t, Host> bounds,
                 Span<std::int64_t, S> places, Span<std::int64_t, S> first);
/// The same of the first `count` numbers of a list.
template <MemorySpace S>
void find_ranges(Context<S>& ctx, Span<const Index, S> ascending, Span<const Offset, S> count,
                 Span<const std::int64_t, Host> bounds, Span<std::int64_t, S> places, Span<std::int64_t, S> first);
/// The same of each of some numbers once.
/// @param once  by place_once()
template <MemorySpace S>
void find_ranges(Context<S>& ctx, Span<const std::uint64_t, S> sorted, Span<const Offset, S> once,
                 Span<const std::int64_t, Host> bounds, Span<std::int64_t, S> places, Span<std::int64_t, S> first);

/// columns_i = the column of row rows_i; −1 for −1.
template <class Number, MemorySpace S>
void find_columns(Context<S>& ctx, const WindowColumns& window, Span<const Number, S> rows, Span<Index, S> columns);

/// The same of a matrix's entries, whose columns stand for any rows. Whether the window has all of these, and they
/// ascend in each row of the matrix; else what is written is of no use. Synchronises.
template <class Number>
bool find_ascending_columns(Context<Host>& ctx, const WindowColumns& window, Span<const Offset, Host> row_offsets,
                            Span<const Number, Host> entries, Span<Index, Host> columns);
template <class Number>
bool find_ascending_columns(Context<Cuda>& ctx, const WindowColumns& window, Span<const Offset, Cuda> row_offsets,
                            Span<const Number, Cuda> entries, Span<Index, Cuda> columns);

/// rows_i = the row of column i, which fits.
template <MemorySpace S>
void rows_of_window(Context<S>& ctx, const WindowColumns& window, Span<Index, S> rows);

/// rows_i = the row of column i.
template <class Number, MemorySpace S>
void find_rows(Context<S>& ctx, const WindowColumns& window, Span<const Index, S> columns, Span<Number, S> rows);

/// renumbered_i = what a column becomes in another window. Both may be one array.
template <MemorySpace S>
void renumber_columns(Context<S>& ctx, const ColumnMap& map, Span<const Index, S> columns, Span<Index, S> renumbered);

/// The row offsets of a window's rows, of which the ghosts' have no entries, from those of the own ones.
template <MemorySpace S>
void fill_square_offsets(Context<S>& ctx, const WindowColumns& window, Span<const Offset, S> own,
                         Span<Offset, S> square);

/// to_i = from_i − begin.
template <MemorySpace S>
void shift_offsets(Context<S>& ctx, Span<const Offset, S> from, Offset begin, Span<Offset, S> to);

/// counts_i = entries of the row chosen_i.
template <MemorySpace S>
void count_row_entries(Context<S>& ctx, Span<const Offset, S> row_offsets, Span<const Index, S> chosen,
                       Span<Offset, S> counts);

/// The entries of the rows chosen, with the columns of the whole matrix, where `rows` has room for them.
/// @param begins  where the entries of each go
template <class T, MemorySpace S>
void copy_rows(Context<S>& ctx, const CsrMatrix<T, S>& A, const WindowColumns& window, Span<const Index, S> chosen,
               Span<const Offset, S> begins, GlobalRows<T, S>& rows);

/// The first entry whose column is not in [0, columns), or nnz.
template <class Number, MemorySpace S>
std::int64_t find_column_outside(Context<S>& ctx, Span<const Number, S> col_indices, std::int64_t columns);

}  // namespace amgsolve::detail
