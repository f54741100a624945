#include "dist/local_matrix.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <utility>

#include "core/algorithms.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "dist/local_matrix_steps.hpp"
#include "dist/rank_ranges.hpp"
#include "spmv/conversions.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {
namespace {

/// Up to so many numbers are told by a flag each, which a device does in a quarter of the steps that sorting takes.
/// With the places that flags may have they take up to 5 bytes a number, which many ranks of a host have not.
template <MemorySpace S>
constexpr std::int64_t most_flags = std::int64_t{1} << (std::same_as<S, Cuda> ? 28 : 20);

/// Of more numbers than so many the range that a list has is found first: what borders need is a small part of them,
/// and the pass over the list and the wait take no longer than flags of so many.
template <MemorySpace S>
constexpr std::int64_t most_unlimited = std::int64_t{1} << (std::same_as<S, Cuda> ? 23 : 20);

/// What is looked for in a list, each number once and in order, and where ranges of them lie: `bounds`, of which the
/// last has none behind it, and the first of so many ranges. Synchronises, where there are many a second and where they
/// are sorted a third time.
template <class Number, MemorySpace S>
GhostRows<S> each_foreign(Context<S>& ctx, Span<const Number, S> list, detail::Foreign foreign,
                          std::vector<std::int64_t> bounds, std::size_t ranges) {
  std::int64_t numbers = foreign.bound + 1;
  if (numbers > most_unlimited<S>) {
    const detail::NumberRange range = detail::range_of_foreign<Number, S>(ctx, list, foreign);
    numbers = std::max(range.most - range.least + 1, std::int64_t{0});
    foreign.origin = numbers > 0 ? range.least : 0;
  }
  for (std::int64_t& bound : bounds) {
    bound = std::clamp(bound - foreign.origin, std::int64_t{0}, numbers);
  }
  bounds.push_back(numbers);
  WorkspaceScope<S> scope(ctx.workspace());
  const FoundRanges<S> there(ctx, std::move(bounds), ranges);
  RankPlaces found;
  const auto room_for_found = [&] {
    found = there.download(ctx);
    Buffer<std::int64_t, S> rows(ctx, static_cast<std::size_t>(found.places.back()));
    found.places.pop_back();
    return rows;
  };
  Buffer<std::int64_t, S> rows;
  if (numbers > most_flags<S>) {
    Buffer<std::uint64_t, S> sorted = detail::list_foreign<Number, S>(ctx, list, foreign);
    sort_pairs(ctx, sorted.span(), {}, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(numbers))));
    const auto places = scope.template take<Offset>(sorted.size() + 1);
    detail::place_once<S>(ctx, std::as_const(sorted).span(), places);
    detail::find_ranges<S>(ctx, std::as_const(sorted).span(), places, there.bounds(), there.places(), there.first());
    rows = room_for_found();
    detail::list_once<S>(ctx, std::as_const(sorted).span(), places, rows.span());
  } else {
    const auto flags = scope.template take<std::uint8_t>(static_cast<std::size_t>(numbers));
    const auto flagged = scope.template take<Index>(std::min(flags.size(), list.size()));
    const auto count = scope.template take<Offset>(1);
    set_zero(ctx, flags);
    detail::flag_foreign<Number, S>(ctx, list, foreign, flags);
    select_flagged(ctx, flags, flagged, count);
    detail::find_ranges<S>(ctx, Span<const Index, S>(flagged), count, there.bounds(), there.places(), there.first());
    rows = room_for_found();
    widen(ctx, flagged.subspan(0, rows.size()), rows.span());
  }
  if (foreign.origin > 0) {
    detail::shift_offsets<S>(ctx, std::as_const(rows).span(), -foreign.origin, rows.span());
    for (std::int64_t& first : found.first_rows) {
      first += first < 0 ? 0 : foreign.origin;
    }
  }
  return {std::move(rows), std::move(found)};
}

/// What is looked for of other ranks' rows.
template <class Number, MemorySpace S>
GhostRows<S> each_ghost(Context<S>& ctx, Span<const Number, S> list, const Partition& rows, bool keeps_outside) {
  ScopedTimer timer(ctx, "ghosts");
  const int rank = ctx.communicator().rank();
  return each_foreign<Number, S>(ctx, list, {rows.first(rank), rows.end(rank), rows.rows(), keeps_outside},
                                 bounds_of(rows), static_cast<std::size_t>(rows.ranks()));
}

/// Throws that a column is outside the matrix.
template <class Number, MemorySpace S>
[[noreturn]] void throw_column_outside(Context<S>& ctx, Span<const Offset, S> row_offsets,
                                       Span<const Number, S> entries, std::int64_t columns) {
  const std::int64_t bad = detail::find_column_outside<Number, S>(ctx, entries, columns);
  std::vector<Offset> offsets(row_offsets.size());
  download(ctx, row_offsets, {offsets.data(), offsets.size()});
  const auto row = std::ranges::upper_bound(offsets, bad) - offsets.begin();
  const std::int64_t column = element(ctx, entries, static_cast<std::size_t>(bad));
  // The largest number there is has none after it but without a sign.
  const std::string counted_from_1 =
      column < 0 ? format_text("{}", column + 1) : format_text("{}", static_cast<std::uint64_t>(column) + 1);
  throw InputError(format_text("row {} of the rank's rows has an entry in column {} of a matrix with {} columns", row,
                               counted_from_1, columns));
}

/// The columns of other ranks that rows have entries in, each once. Throws where one is outside the matrix.
template <class Number, MemorySpace S>
GhostRows<S> foreign_columns(Context<S>& ctx, Span<const Offset, S> row_offsets, Span<const Number, S> entries,
                             const Partition& columns) {
  GhostRows<S> foreign = each_ghost<Number, S>(ctx, entries, columns, true);
  if (std::ssize(foreign.rows.span()) > foreign.of_ranks->places.back()) {
    throw_column_outside<Number, S>(ctx, row_offsets, entries, columns.rows());
  }
  return foreign;
}

/// Fewer entries are looked through again in less time than number_between_borders() launches and waits.
template <MemorySpace S>
constexpr std::size_t fewest_to_guess = std::size_t{1} << (std::same_as<S, Cuda> ? 26 : 16);

/// Of a strip between two borders the first and the last rows have all ghosts. Where that holds of these entries, and
/// they ascend in each row, one pass over them sees it and numbers them; else, and where they are few, false.
/// @param ghosts  becomes what they need
template <class Number, MemorySpace S>
bool number_between_borders(Context<S>& ctx, Span<const Offset, S> row_offsets, Span<const Number, S> entries,
                            const Partition& columns, GhostRows<S>& ghosts, Span<Index, S> numbers) {
  constexpr std::size_t parts = 16;
  if (entries.size() < fewest_to_guess<S>) {
    return false;
  }
  const std::size_t part = entries.size() / parts;
  const auto ghosts_from = [&](std::size_t first) {
    return foreign_rows<Number, S>(ctx, entries.subspan(first, part), columns);
  };
  const GhostRows<S> of_first = ghosts_from(0);
  const GhostRows<S> of_last = ghosts_from(entries.size() - part);
  ghosts = foreign_rows<std::int64_t, S>(ctx, {of_first.rows.span(), of_last.rows.span()}, columns);
  const int rank = ctx.communicator().rank();
  if (columns.rows(rank) + std::ssize(ghosts.rows.span()) > max_index) {
    return false;  // a Layout says so
  }
  return detail::find_ascending_columns<Number>(
      ctx,
      {columns.first(rank), static_cast<Index>(ghosts.of_ranks->places[static_cast<std::size_t>(rank)]),
       static_cast<Index>(columns.rows(rank)), std::as_const(ghosts.rows).data(),
       static_cast<Index>(ghosts.rows.size())},
      row_offsets, entries, numbers);
}

/// See to_local().
/// @param row_offsets  of the entries
/// @param numbers      receives the window's columns of them
/// @param ascend       becomes whether those of each row are known to
template <class Number, MemorySpace S>
std::shared_ptr<const Layout<S>> number_columns(Context<S>& ctx, const Partition& columns,
                                                Span<const Offset, S> row_offsets, Span<const Number, S> entries,
                                                Buffer<Index, S>& numbers, bool& ascend, bool connects) {
  GhostRows<S> ghosts;
  ascend = collectively(ctx.communicator(), [&] {
    numbers = Buffer<Index, S>(ctx, entries.size());
    if (number_between_borders<Number, S>(ctx, row_offsets, entries, columns, ghosts, numbers.span())) {
      return true;
    }
    ghosts = foreign_columns<Number, S>(ctx, row_offsets, entries, columns);
    return false;
  });
  auto layout = std::make_shared<const Layout<S>>(connects ? Layout<S>(ctx, columns, std::move(ghosts))
                                                           : Layout<S>::unconnected(ctx, columns, std::move(ghosts)));
  if (!ascend) {
    detail::find_columns<Number, S>(ctx, layout->window(), entries, numbers.span());
  }
  return layout;
}

}  // namespace

template <class First, class Second, MemorySpace S>
std::vector<std::int64_t> elements(Context<S>& ctx, Span<const First, S> x,
                                   const std::vector<std::int64_t>& places_in_x, Span<const Second, S> y,
                                   const std::vector<std::int64_t>& places_in_y) {
  std::vector<std::int64_t> result(places_in_x.size() + places_in_y.size());
  WorkspaceScope<S> scope(ctx.workspace());
  const auto picked = scope.template take<std::int64_t>(result.size());
  detail::pick<First, S>(ctx, x, {places_in_x.data(), places_in_x.size()}, picked.subspan(0, places_in_x.size()));
  detail::pick<Second, S>(ctx, y, {places_in_y.data(), places_in_y.size()},
                          picked.subspan(places_in_x.size(), places_in_y.size()));
  download<std::int64_t>(ctx, picked, {result.data(), result.size()});
  return result;
}

template <class Number, MemorySpace S>
Buffer<std::int64_t, S> each_number(Context<S>& ctx, Span<const Number, S> list, std::int64_t bound) {
  return each_foreign<Number, S>(ctx, list, {0, 0, bound, false}, {0}, 0).rows;
}

template <class Number, MemorySpace S>
GhostRows<S> foreign_rows(Context<S>& ctx, Span<const Number, S> list, const Partition& rows) {
  return each_ghost<Number, S>(ctx, list, rows, false);
}

template <class Number, MemorySpace S>
GhostRows<S> foreign_rows(Context<S>& ctx, std::initializer_list<Span<const Number, S>> lists, const Partition& rows) {
  std::size_t size = 0;
  for (const Span<const Number, S>& list : lists) {
    size += list.size();
  }
  Buffer<Number, S> all(ctx, size);
  size = 0;
  for (const Span<const Number, S>& list : lists) {
    copy(ctx, list, all.span().subspan(size, list.size()));
    size += list.size();
  }
  return foreign_rows<Number, S>(ctx, std::as_const(all).span(), rows);
}

template <MemorySpace S>
void columns_of(Context<S>& ctx, const Layout<S>& layout, Span<const Index, S> rows, Span<Index, S> columns) {
  detail::find_columns<Index, S>(ctx, layout.window(), rows, columns);
}

template <class T, MemorySpace S>
LocalMatrix<T, S> to_local(Context<S>& ctx, const Partition& columns, RankRows<T, S> rows, bool connects) {
  LocalMatrix<T, S> local;
  CsrMatrix<T, S>& A = local.A;
  local.layout = std::visit(
      [&]<class Number>(const Buffer<Number, S>& entries) {
        return number_columns<Number, S>(ctx, columns, rows.row_offsets.span(), entries.span(), A.col_indices,
                                         local.rows_ascend, connects);
      },
      std::as_const(rows.col_indices));
  A.rows = rows.rows();
  A.cols = local.layout->columns();
  A.row_offsets = std::move(rows.row_offsets);
  A.values = std::move(rows.values);
  return local;
}

template <class T, MemorySpace S>
LocalMatrix<T, S> to_local(Context<S>& ctx, const Partition& columns, CsrMatrix<T, S> rows) {
  GhostRows<S> ghosts;
  collectively(ctx.communicator(),
               [&] { ghosts = foreign_rows<Index, S>(ctx, std::as_const(rows.col_indices).span(), columns); });
  LocalMatrix<T, S> local{std::move(rows), std::make_shared<const Layout<S>>(ctx, columns, std::move(ghosts))};
  local.A.cols = local.layout->columns();
  columns_of<S>(ctx, *local.layout, std::as_const(local.A.col_indices).span(), local.A.col_indices.span());
  return local;
}

template <class T, MemorySpace S>
void move_to_window(Context<S>& ctx, LocalMatrix<T, S>& A, std::shared_ptr<const Layout<S>> window) {
  detail::renumber_columns<S>(ctx, {A.layout->window(), window->window()}, std::as_const(A.A.col_indices).span(),
                              A.A.col_indices.span());
  A.A.cols = window->columns();
  A.layout = std::move(window);
}

template <class T, MemorySpace S>
CsrMatrix<T, S> square_of(Context<S>& ctx, const LocalMatrix<T, S>& strip) {
  CsrMatrix<T, S> square;
  collectively(ctx.communicator(), [&] {
    square = borrow(strip.A);
    square.rows = strip.layout->columns();
    square.row_offsets = Buffer<Offset, S>(ctx, static_cast<std::size_t>(square.rows) + 1);
    detail::fill_square_offsets<S>(ctx, strip.layout->window(), strip.A.row_offsets.span(), square.row_offsets.span());
  });
  return square;
}

template <class T, MemorySpace S>
CsrMatrix<T, S> strip_of(Context<S>& ctx, CsrMatrix<T, S> square, const Layout<S>& layout) {
  Buffer<Offset, S> offsets(ctx, static_cast<std::size_t>(layout.own_rows()) + 1);
  const Span<const Offset, S> own =
      std::as_const(square.row_offsets).span().subspan(static_cast<std::size_t>(layout.first_own()), offsets.size());
  const std::int64_t end_of_own = std::int64_t{layout.first_own()} + layout.own_rows();
  const Offset begin = offset_at(ctx, square.row_offsets, square.nnz(), layout.first_own());
  const auto count = static_cast<std::size_t>(offset_at(ctx, square.row_offsets, square.nnz(), end_of_own) - begin);
  detail::shift_offsets<S>(ctx, own, begin, offsets.span());
  square.row_offsets = std::move(offsets);
  square.rows = layout.own_rows();
  square.col_indices.narrow(static_cast<std::size_t>(begin), count);
  square.values.narrow(static_cast<std::size_t>(begin), count);
  return square;
}

template <class T, MemorySpace S>
GlobalRows<T, S> gather_rows(Context<S>& ctx, const CsrMatrix<T, S>& A, const WindowColumns& columns,
                             Span<const Index, S> chosen) {
  GlobalRows<T, S> rows{Buffer<Offset, S>(ctx, chosen.size() + 1), {}, {}};
  detail::count_row_entries<S>(ctx, A.row_offsets.span(), chosen, rows.row_offsets.span().subspan(1, chosen.size()));
  allocate_entries(ctx, rows);
  detail::copy_rows<T, S>(ctx, A, columns, chosen, std::as_const(rows.row_offsets).span(), rows);
  return rows;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                 \
  template LocalMatrix<T, S> to_local(Context<S>&, const Partition&, CsrMatrix<T, S>);             \
  template LocalMatrix<T, S> to_local(Context<S>&, const Partition&, RankRows<T, S>, bool);        \
  template void move_to_window(Context<S>&, LocalMatrix<T, S>&, std::shared_ptr<const Layout<S>>); \
  template CsrMatrix<T, S> square_of(Context<S>&, const LocalMatrix<T, S>&);                       \
  template CsrMatrix<T, S> strip_of(Context<S>&, CsrMatrix<T, S>, const Layout<S>&);               \
  template GlobalRows<T, S> gather_rows(Context<S>&, const CsrMatrix<T, S>&, const WindowColumns&, \
                                        Span<const Index, S>);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

#define AMGSOLVE_INSTANTIATE_FOREIGN(Number, S)                                             \
  template GhostRows<S> foreign_rows(Context<S>&, Span<const Number, S>, const Partition&); \
  template GhostRows<S> foreign_rows(Context<S>&, std::initializer_list<Span<const Number, S>>, const Partition&);
#define AMGSOLVE_INSTANTIATE_ELEMENTS(First, Second, S)                                                            \
  template std::vector<std::int64_t> elements(Context<S>&, Span<const First, S>, const std::vector<std::int64_t>&, \
                                              Span<const Second, S>, const std::vector<std::int64_t>&);
#define AMGSOLVE_INSTANTIATE_COLUMNS(S)                                                          \
  AMGSOLVE_INSTANTIATE_ELEMENTS(Offset, Offset, S)                                               \
  AMGSOLVE_INSTANTIATE_ELEMENTS(Offset, Index, S)                                                \
  template Buffer<std::int64_t, S> each_number(Context<S>&, Span<const Index, S>, std::int64_t); \
  template void columns_of(Context<S>&, const Layout<S>&, Span<const Index, S>, Span<Index, S>);
AMGSOLVE_INSTANTIATE_COLUMNS(Host)
AMGSOLVE_INSTANTIATE_FOREIGN(Index, Host)
AMGSOLVE_INSTANTIATE_FOREIGN(std::int64_t, Host)
#if AMGSOLVE_HAVE_CUDA
AMGSOLVE_INSTANTIATE_COLUMNS(Cuda)
AMGSOLVE_INSTANTIATE_FOREIGN(Index, Cuda)
AMGSOLVE_INSTANTIATE_FOREIGN(std::int64_t, Cuda)
#endif

}  // namespace amgsolve
