#pragma once

#include <algorithm>

#include "core/algorithms.hpp"
#include "core/atomic.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "core/list_found.hpp"
#include "core/map_list.hpp"
#include "dist/local_matrix_steps.hpp"
#include "spmv/csr_ref.hpp"

/// The bodies of dist/local_matrix_steps.hpp, written once for both memory spaces: parallel_for, parallel_rows(ctx,
/// rows, body(lanes, row)) and find_first are those of the context.
namespace amgsolve::detail {

template <class Number, MemorySpace S>
NumberRange range_of_foreign(Context<S>& ctx, Span<const Number, S> list, const Foreign& foreign) {
  const Number* const numbers = list.data();
  const NumberRange none{foreign.bound, -1};
  return transform_reduce(
      ctx, static_cast<std::int64_t>(list.size()), none,
      [numbers, foreign, none] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
        const std::int64_t number = foreign(numbers[i]);
        return number < 0 ? none : NumberRange{number, number};
      },
      [] AMGSOLVE_HOST_DEVICE(const NumberRange& a, const NumberRange& b) {
        return NumberRange{a.least < b.least ? a.least : b.least, a.most < b.most ? b.most : a.most};
      });
}

template <class Number, MemorySpace S>
void flag_foreign(Context<S>& ctx, Span<const Number, S> list, const Foreign& foreign, Span<std::uint8_t, S> flags) {
  const ListPieces<S> pieces{static_cast<std::int64_t>(list.size())};
  const Number* const numbers = list.data();
  std::uint8_t* const flag = flags.data();
  parallel_for(
      ctx, pieces.count,
      [numbers, pieces, foreign, flag] AMGSOLVE_HOST_DEVICE(std::int64_t piece) {
        pieces.for_numbers(numbers, piece, [&](Number x, std::int64_t) {
          if (const std::int64_t number = foreign(x); number >= 0) {
            atomic_flag(flag + number);
          }
        });
      },
      pieces.length);
}

template <class Number>
struct ForeignKey {
  Foreign foreign;

  AMGSOLVE_HOST_DEVICE std::int64_t operator()(Number x, std::int64_t) const { return foreign(x); }
};

template <class Number, MemorySpace S>
Buffer<std::uint64_t, S> list_foreign(Context<S>& ctx, Span<const Number, S> list, const Foreign& foreign) {
  return list_found(ctx, list, ForeignKey<Number>{foreign});
}

template <MemorySpace S>
void place_once(Context<S>& ctx, Span<const std::uint64_t, S> sorted, Span<Offset, S> places) {
  const std::uint64_t* const number = sorted.data();
  Offset* const place = places.data();
  parallel_for(
      ctx, static_cast<std::int64_t>(sorted.size()),
      [number, place] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
        place[i + 1] = i == 0 || number[i] != number[i - 1] ? 1 : 0;
      },
      1);
  accumulate_counts(ctx, places);
}

template <MemorySpace S>
void list_once(Context<S>& ctx, Span<const std::uint64_t, S> sorted, Span<const Offset, S> places,
               Span<std::int64_t, S> once) {
  const std::uint64_t* const number = sorted.data();
  const Offset* const place = places.data();
  std::int64_t* const result = once.data();
  parallel_for(
      ctx, static_cast<std::int64_t>(sorted.size()),
      [number, place, result] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
        if (place[i] < place[i + 1]) {
          result[place[i]] = static_cast<std::int64_t>(number[i]);
        }
      },
      1);
}

/// As many numbers as a kernel may well take with it: a device need not wait until they are there.
struct FewNumbers {
  static constexpr std::size_t room = 64;
  std::int64_t values[room];
};

/// results_i = map(x_i) for a list on the host.
template <MemorySpace S, class Map>
void map_few(Context<S>& ctx, Span<const std::int64_t, Host> x, Span<std::int64_t, S> results, const Map& map) {
  for (std::size_t first = 0; first < x.size(); first += FewNumbers::room) {
    const std::size_t some = std::min(x.size() - first, FewNumbers::room);
    FewNumbers numbers{};
    std::copy_n(x.data() + first, some, numbers.values);
    std::int64_t* const result = results.data() + first;
    parallel_for(ctx, static_cast<std::int64_t>(some),
                 [numbers, result, map] AMGSOLVE_HOST_DEVICE(std::int64_t i) { result[i] = map(numbers.values[i]); });
  }
}

template <class Number>
struct NumberAtPlace {
  const Number* numbers;

  AMGSOLVE_HOST_DEVICE std::int64_t operator()(std::int64_t place) const { return numbers[place]; }
};

template <class Number, MemorySpace S>
void pick(Context<S>& ctx, Span<const Number, S> numbers, Span<const std::int64_t, Host> places,
          Span<std::int64_t, S> picked) {
  map_few(ctx, places, picked, NumberAtPlace<Number>{numbers.data()});
}

/// Numbers that ascend, each once.
template <class Number>
struct ListedNumbers {
  const Number* numbers;
  std::int64_t most;
  const Offset* count = nullptr;  ///< how many of them there are; null: all

  AMGSOLVE_HOST_DEVICE std::int64_t find(std::int64_t x) const {
    return lower_bound(numbers, 0, count == nullptr ? most : *count, static_cast<Number>(x));
  }
  AMGSOLVE_HOST_DEVICE std::int64_t place(std::int64_t found) const { return found; }
  AMGSOLVE_HOST_DEVICE std::int64_t number(std::int64_t found) const { return numbers[found]; }
};

/// Those of a list that has them more than once.
struct RepeatedNumbers {
  const std::uint64_t* numbers;
  std::int64_t most;
  const Offset* once;

  AMGSOLVE_HOST_DEVICE std::int64_t find(std::int64_t x) const {
    return lower_bound(numbers, 0, most, static_cast<std::uint64_t>(x));
  }
  AMGSOLVE_HOST_DEVICE std::int64_t place(std::int64_t found) const { return once[found]; }
  AMGSOLVE_HOST_DEVICE std::int64_t number(std::int64_t found) const {
    return static_cast<std::int64_t>(numbers[found]);
  }
};

/// A range between two bounds.
template <class Numbers>
struct FindRange {
  Numbers numbers;
  FewNumbers bounds;
  std::int64_t count;  ///< of the bounds
  std::int64_t ranges;
  std::int64_t* places;
  std::int64_t* first;

  AMGSOLVE_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t begin = numbers.find(bounds.values[i]);
    const std::int64_t place = numbers.place(begin);
    places[i] = place;
    if (i + 1 < count && i < ranges) {
      const std::int64_t end = numbers.find(bounds.values[i + 1]);
      const std::int64_t size = numbers.place(end) - place;
      const bool is_consecutive = size > 0 && numbers.number(end - 1) - numbers.number(begin) == size - 1;
      first[i] = is_consecutive ? numbers.number(begin) : -1;
    }
  }
};

template <MemorySpace S, class Numbers>
void find_ranges_of(Context<S>& ctx, const Numbers& numbers, Span<const std::int64_t, Host> bounds,
                    Span<std::int64_t, S> places, Span<std::int64_t, S> first) {
  // The last bound of some is the first one of the next.
  for (std::size_t begin = 0; begin + 1 < bounds.size(); begin += FewNumbers::room - 1) {
    const std::size_t some = std::min(bounds.size() - begin, FewNumbers::room);
    FindRange<Numbers> find{.numbers = numbers,
                            .bounds = {},
                            .count = static_cast<std::int64_t>(some),
                            .ranges = std::ssize(first) - static_cast<std::int64_t>(begin),
                            .places = places.data() + begin,
                            .first = first.data() + begin};
    std::copy_n(bounds.data() + begin, some, find.bounds.values);
    parallel_for(ctx, static_cast<std::int64_t>(some), find);
  }
}

template <MemorySpace S>
void find_ranges(Context<S>& ctx, Span<const std::int64_t, S> ascending, Span<const std::int64_t, Host> bounds,
                 Span<std::int64_t, S> places, Span<std::int64_t, S> first) {
  find_ranges_of(ctx, ListedNumbers<std::int64_t>{ascending.data(), static_cast<std::int64_t>(ascending.size())},
                 bounds, places, first);
}

template <MemorySpace S>
void find_ranges(Context<S>& ctx, Span<const Index, S> ascending, Span<const Offset, S> count,
                 Span<const std::int64_t, Host> bounds, Span<std::int64_t, S> places, Span<std::int64_t, S> first) {
  find_ranges_of(ctx, ListedNumbers<Index>{ascending.data(), 0, count.data()}, bounds, places, first);
}

template <MemorySpace S>
void find_ranges(Context<S>& ctx, Span<const std::uint64_t, S> sorted, Span<const Offset, S> once,
                 Span<const std::int64_t, Host> bounds, Span<std::int64_t, S> places, Span<std::int64_t, S> first) {
  find_ranges_of(ctx, RepeatedNumbers{sorted.data(), static_cast<std::int64_t>(sorted.size()), once.data()}, bounds,
                 places, first);
}

template <class Number>
struct ColumnOfRow {
  WindowColumns window;

  AMGSOLVE_HOST_DEVICE Index operator()(Number row) const { return row < 0 ? Index{-1} : window.column_of(row); }
};

template <class Number, MemorySpace S>
void find_columns(Context<S>& ctx, const WindowColumns& window, Span<const Number, S> rows, Span<Index, S> columns) {
  map_list(ctx, rows, columns, ColumnOfRow<Number>{window});
}

template <class Number>
struct RowOfColumn {
  WindowColumns window;

  AMGSOLVE_HOST_DEVICE Number operator()(Index column) const { return static_cast<Number>(window.row_of(column)); }
};

template <class Number, MemorySpace S>
void find_rows(Context<S>& ctx, const WindowColumns& window, Span<const Index, S> columns, Span<Number, S> rows) {
  map_list(ctx, columns, rows, RowOfColumn<Number>{window});
}

template <MemorySpace S>
void rows_of_window(Context<S>& ctx, const WindowColumns& window, Span<Index, S> rows) {
  Index* const row = rows.data();
  parallel_for(ctx, static_cast<std::int64_t>(rows.size()), [window, row] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    row[i] = static_cast<Index>(window.row_of(static_cast<Index>(i)));
  });
}

template <MemorySpace S>
void renumber_columns(Context<S>& ctx, const ColumnMap& map, Span<const Index, S> columns, Span<Index, S> renumbered) {
  map_list(ctx, columns, renumbered, map);
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
void count_row_entries(Context<S>& ctx, Span<const Offset, S> row_offsets, Span<const Index, S> chosen,
                       Span<Offset, S> counts) {
  const Offset* const offsets = row_offsets.data();
  const Index* const rows = chosen.data();
  Offset* const count = counts.data();
  parallel_for(ctx, static_cast<std::int64_t>(chosen.size()),
               [offsets, rows, count] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
                 count[i] = offsets[rows[i] + 1] - offsets[rows[i]];
               });
}

template <class T>
struct CopyRow {
  CsrRef<T> a;
  WindowColumns window;
  const Index* chosen;
  const Offset* begins;
  std::int64_t* columns;
  T* values;

  template <class Lanes>
  AMGSOLVE_LANES void operator()(const Lanes& lanes, std::int64_t i) const {
    const Offset begin = a.row_offsets[chosen[i]];
    const Offset length = a.row_offsets[chosen[i] + 1] - begin;
    for (Offset k = lanes.thread_rank(); k < length; k += lanes.num_threads()) {
      columns[begins[i] + k] = window.row_of(a.col_indices[begin + k]);
      values[begins[i] + k] = a.values[begin + k];
    }
  }
};

template <class T, MemorySpace S>
void copy_rows(Context<S>& ctx, const CsrMatrix<T, S>& A, const WindowColumns& window, Span<const Index, S> chosen,
               Span<const Offset, S> begins, GlobalRows<T, S>& result) {
  parallel_rows(
      ctx, static_cast<std::int64_t>(chosen.size()),
      CopyRow<T>{ref_of(A), window, chosen.data(), begins.data(), result.col_indices.data(), result.values.data()});
}

template <class Number>
struct IsColumnOutside {
  const Number* col_indices;
  std::int64_t columns;

  AMGSOLVE_HOST_DEVICE bool operator()(std::int64_t k) const { return col_indices[k] < 0 || col_indices[k] >= columns; }
};

template <class Number, MemorySpace S>
std::int64_t find_column_outside(Context<S>& ctx, Span<const Number, S> col_indices, std::int64_t columns) {
  return find_first(ctx, static_cast<std::int64_t>(col_indices.size()),
                    IsColumnOutside<Number>{col_indices.data(), columns});
}

#define AMGSOLVE_INSTANTIATE_FOR_NUMBERS(Number, S)                                                      \
  template NumberRange range_of_foreign(Context<S>&, Span<const Number, S>, const Foreign&);             \
  template void flag_foreign(Context<S>&, Span<const Number, S>, const Foreign&, Span<std::uint8_t, S>); \
  template Buffer<std::uint64_t, S> list_foreign(Context<S>&, Span<const Number, S>, const Foreign&);    \
  template void find_columns(Context<S>&, const WindowColumns&, Span<const Number, S>, Span<Index, S>);  \
  template void find_rows(Context<S>&, const WindowColumns&, Span<const Index, S>, Span<Number, S>);     \
  template bool find_ascending_columns(Context<S>&, const WindowColumns&, Span<const Offset, S>,         \
                                       Span<const Number, S>, Span<Index, S>);                           \
  template std::int64_t find_column_outside(Context<S>&, Span<const Number, S>, std::int64_t);           \
  template void pick(Context<S>&, Span<const Number, S>, Span<const std::int64_t, Host>, Span<std::int64_t, S>);
#define AMGSOLVE_INSTANTIATE_STRIPS(T, S)                                                                  \
  template void copy_rows(Context<S>&, const CsrMatrix<T, S>&, const WindowColumns&, Span<const Index, S>, \
                          Span<const Offset, S>, GlobalRows<T, S>&);
#define AMGSOLVE_INSTANTIATE_STRIP_STEPS(S)                                                                           \
  AMGSOLVE_INSTANTIATE_FOR_NUMBERS(Index, S)                                                                          \
  AMGSOLVE_INSTANTIATE_FOR_NUMBERS(std::int64_t, S)                                                                   \
  AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_STRIPS, S)                                                                 \
  template void place_once(Context<S>&, Span<const std::uint64_t, S>, Span<Offset, S>);                               \
  template void list_once(Context<S>&, Span<const std::uint64_t, S>, Span<const Offset, S>, Span<std::int64_t, S>);   \
  template void find_ranges(Context<S>&, Span<const std::int64_t, S>, Span<const std::int64_t, Host>,                 \
                            Span<std::int64_t, S>, Span<std::int64_t, S>);                                            \
  template void find_ranges(Context<S>&, Span<const Index, S>, Span<const Offset, S>, Span<const std::int64_t, Host>, \
                            Span<std::int64_t, S>, Span<std::int64_t, S>);                                            \
  template void find_ranges(Context<S>&, Span<const std::uint64_t, S>, Span<const Offset, S>,                         \
                            Span<const std::int64_t, Host>, Span<std::int64_t, S>, Span<std::int64_t, S>);            \
  template void rows_of_window(Context<S>&, const WindowColumns&, Span<Index, S>);                                    \
  template void renumber_columns(Context<S>&, const ColumnMap&, Span<const Index, S>, Span<Index, S>);                \
  template void fill_square_offsets(Context<S>&, const WindowColumns&, Span<const Offset, S>, Span<Offset, S>);       \
  template void shift_offsets(Context<S>&, Span<const Offset, S>, Offset, Span<Offset, S>);                           \
  template void count_row_entries(Context<S>&, Span<const Offset, S>, Span<const Index, S>, Span<Offset, S>);

}  // namespace amgsolve::detail
