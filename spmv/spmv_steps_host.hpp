#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/algorithms.hpp"
#include "spmv/multiply_row_host.hpp"
#include "spmv/multiply_slice_host.hpp"
#include "spmv/parallel_rows_host.hpp"
#include "spmv/spmv_steps.hpp"

/// The steps of products on the host, for the storages that Operator knows and for those that a test tries.
namespace amgsolve::detail {

// Columns of a multivector worked on at once, as many as there are: their sums stay in registers. A row of 32 values
// that is read 8 at a time comes from memory in parts too small for a processor to see what comes next.
using Tiles = std::integer_sequence<Index, 32, 8, 4, 2, 1>;

// Rows whose results are held back and written together. Vectors often begin at the same place within a page, and a
// processor that sees y_i written and x_i ± 1 read right after takes the low 12 bits of their addresses for the same
// memory and waits wherever short rows are written one by one.
inline constexpr Index most_batch_rows = 64;

/// Rows that products of single columns are formed of together.
template <class Ref>
inline constexpr Index rows_together = Ref::block_rows;
template <class T>
inline constexpr Index rows_together<SellRef<T>> = sorted_rows;

/// Of a storage whose entries lie by blocks of rows a batch is no more than a block, and for single columns the whole
/// of it; batches of rows begin with a block. Sums of wide rows take no more cache than those of 8 columns.
template <class Ref, Index Width>
inline constexpr Index batch_rows = Ref::block_rows == 1 ? most_batch_rows / std::max(Width / 8, Index{1})
                                    : Width == 1         ? rows_together<Ref>
                                                         : std::min(Ref::block_rows, most_batch_rows);

/// Whether the columns are consecutive, as those of neighbouring rows of a stencil are; most others differ in the last.
template <Index Rows>
[[gnu::always_inline]] inline bool are_consecutive(const Index* cols) {
  Index differences = 0;
  if (cols[0] >= 0 && cols[Rows - 1] - cols[0] == Rows - 1) {
    for (Index i = 0; i < Rows; ++i) {
      differences |= cols[i] ^ (cols[0] + i);
    }
    return differences == 0;
  }
  return false;
}

/// Whether none of the columns is padding.
template <Index Rows>
[[gnu::always_inline]] inline bool are_columns(const Index* cols) {
  Index joined = 0;
  for (Index i = 0; i < Rows; ++i) {
    joined |= cols[i];
  }
  return joined >= 0;
}

/// The values of x in so many columns, which are loaded in pairs, and four of them put together at a time: of its own
/// accord g++ loads vectors and takes them apart again, or more columns one by one than there are registers.
template <class T, std::size_t... Lanes>
[[gnu::always_inline]] inline Vector<T, sizeof...(Lanes)> values_of(const T* x, const Index* cols,
                                                                    std::index_sequence<Lanes...>) {
  constexpr std::size_t lanes = sizeof...(Lanes);
  constexpr std::size_t half = lanes / 2;
  if constexpr (lanes > 4) {
    const auto low = values_of(x, cols, std::make_index_sequence<half>());
    const auto high = values_of(x, cols + half, std::make_index_sequence<half>());
    return Vector<T, lanes>{(Lanes < half ? low[Lanes % half] : high[Lanes % half])...};
  } else {
    constexpr std::size_t low = std::endian::native == std::endian::little ? 0 : 1;  // of a pair
    std::uint64_t pairs[half];
    std::memcpy(pairs, cols, sizeof(pairs));
    return Vector<T, lanes>{x[Lanes % 2 == low ? pairs[Lanes / 2] & 0xFFFFFFFF : pairs[Lanes / 2] >> 32]...};
  }
}

/// A x in the rows of a block, all of which are stored. Entry by entry, so that the loop over rows, with consecutive
/// addresses, is the inner one; the sums of a slice stay in registers. An entry that fills a row up adds 0 · 0, which
/// leaves a sum that began with +0 as it is: no branch, and what waits for x is as short as can be.
/// @param entries  of the row that lies first
template <class Ref, class T, class Sum>
[[gnu::always_inline]] inline void multiply_block(const Ref& A, const ListedEntries& entries, const T* x, Sum* result) {
  using Scalar = ScalarOf<Sum>;
  constexpr auto rows = static_cast<std::size_t>(Ref::block_rows);
  constexpr std::size_t lanes = std::min(register_bytes, std::size_t{32}) / sizeof(Scalar);
  LaneSums<Sum, lanes> sums[rows / lanes] = {};
  for (Index e = 0; e < entries.count; ++e) {
    const Index* const cols = A.col_indices + entries.place(e);
    const T* const values = A.values + entries.place(e);
    const auto add = [&](const auto& values_of_x) {
#pragma GCC unroll 16
      for (std::size_t i = 0; i < rows; i += lanes) {
        sums[i / lanes].add(__builtin_convertvector(load_lanes<lanes>(values + i), Vector<Scalar, lanes>) *
                            __builtin_convertvector(values_of_x(i), Vector<Scalar, lanes>));
      }
    };
    if (are_consecutive<Ref::block_rows>(cols)) {
      add([&](std::size_t i) { return load_lanes<lanes>(x + cols[0] + i); });
    } else if (are_columns<Ref::block_rows>(cols)) {
      add([&](std::size_t i) { return values_of(x, cols + i, std::make_index_sequence<lanes>()); });
    } else {
      T known[rows];
#pragma GCC ivdep
      for (std::size_t i = 0; i < rows; ++i) {
        const T value_of_x = x[cols[i] < 0 ? 0 : cols[i]];
        known[i] = cols[i] < 0 ? T{0} : value_of_x;
      }
      add([&](std::size_t i) { return load_lanes<lanes>(known + i); });
    }
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < rows; i += lanes) {
    sums[i / lanes].store_to(result + i);
  }
}

/// A x in the `count` rows of a window, of which slice after slice is formed as they lie there.
/// @param sums  room for whole slices
template <class T, class Sum>
[[gnu::always_inline]] inline void multiply_window(const SellRef<T>& A, Index first, Index count, const T* x,
                                                   Sum* sums) {
  Sum in_order_of_places[std::size_t{sorted_rows}];
  Sum* const formed = A.places == nullptr ? sums : in_order_of_places;
  for (Index i = 0; i < count; i += slice_rows) {
    multiply_block(A, ListedEntries{room_in_slice(A.slice_offsets, first + i), A.col_indices}, x, formed + i);
  }
  if (A.places != nullptr) {
    for (Index i = 0; i < count; ++i) {
      sums[i] = formed[A.places[first + i]];
    }
  }
}

/// Width columns of `count` rows of A X from row `first` on, which are no more than a batch; X has k columns. A
/// function of its own: what becomes of the sums would take the registers that the loop over entries needs, which then
/// took half as long again.
/// @param sums  room for a whole batch
template <Index Width, class Ref, class T, class Columns, class Sum>
[[gnu::noinline]] void multiply_batch(const Ref A, Index first, Index count, const T* X, Columns k, Index j,
                                      Sum* sums) {
  if constexpr (Width == 1 && Ref::block_rows > 1) {
    if (k == 1) {
      if constexpr (std::same_as<Ref, SellRef<T>>) {
        return multiply_window(A, first, count, X, sums);
      } else if (count == Ref::block_rows) {
        return multiply_block(A, A.row(first), X, sums);
      }
    }
  }
  for (Index i = 0; i < count; ++i) {
    multiply_row<Width>(A, first + i, X, k, j, sums + i * Width);
  }
}

/// A loop of these is vectorised where they are inlined, which the compiler leaves after so many instances.
template <class Epilogue>
[[gnu::always_inline]] inline void finish(const Epilogue& epilogue, Offset row, Offset position,
                                          const typename Epilogue::Sum& sum) {
  epilogue.store(position, epilogue.load(row, position), sum);
}

/// Rows of A X, from one where a batch may begin: batch by batch, and, where the number of columns is none of the known
/// ones, tile by tile of columns.
template <class Ref, class T, class Epilogue>
void multiply_between(const Ref& A, Index first, Index last, MultiVectorView<const T, Host> X, const Epilogue& given) {
  const Epilogue epilogue = given;  // a local one, which no write can change
  const auto take = [&]<Index Width>(std::integral_constant<Index, Width>, Index begin, Index end, auto k, Index j) {
    typename Epilogue::Sum sums[static_cast<std::size_t>(batch_rows<Ref, Width> * Width)];
    for (Index batch = begin, rows = 0; batch < end; batch += rows) {
      rows = std::min(batch_rows<Ref, Width>, end - batch);
      multiply_batch<Width>(A, batch, rows, X.data, k, j, sums);
      const Offset position = Offset{batch} * k + j;
      if (k == Width) {
#pragma GCC ivdep
        for (Index i = 0; i < rows * Width; ++i) {
          finish(epilogue, batch + i / Width, position + i, sums[i]);
        }
        continue;
      }
      for (Index i = 0; i < rows; ++i) {
#pragma GCC ivdep
        for (Index c = 0; c < Width; ++c) {
          finish(epilogue, batch + i, position + Offset{i} * k + c, sums[i * Width + c]);
        }
      }
    }
  };
  const auto take_all = [&]<Index Width>(std::integral_constant<Index, Width> width) {
    take(width, first, last, width, 0);
  };
  const auto known = [&]<Index... Widths>(std::integer_sequence<Index, Widths...>) {
    return ((X.columns == Widths && (take_all(std::integral_constant<Index, Widths>()), true)) || ...);
  };
  if (known(Tiles())) {
    return;
  }
  constexpr Index rows_of_tiles =
      std::max(rows_together<Ref>, most_batch_rows);  // which stay in cache from tile to tile
  for (Index begin = first, end = first; begin < last; begin = end) {
    end = begin + std::min(rows_of_tiles, last - begin);
    Index j = 0;
    const auto tiles = [&]<Index Width>(std::integral_constant<Index, Width> width) {
      for (; X.columns - j >= Width; j += Width) {
        take(width, begin, end, X.columns, j);
      }
    };
    [&]<Index... Widths>(std::integer_sequence<Index, Widths...>) {
      (tiles(std::integral_constant<Index, Widths>()), ...);
    }
    (Tiles());
  }
}

template <class Ref, class T, class Epilogue>
void multiply_rows(Context<Host>& ctx, const Ref& A, MultiVectorView<const T, Host> X, int, const Epilogue& epilogue) {
  const auto multiply = [&](Index first, Index last) { multiply_between(A, first, last, X, epilogue); };
  if constexpr (std::same_as<Ref, CsrRef<T>>) {
    parallel_rows(ctx, A.rows, A.row_offsets, multiply, X.columns);
  } else {
    const std::int64_t row_length = A.rows == 0 ? 0 : A.row(A.rows / 2).count;
    parallel_fixed_blocks(
        ctx, A.rows, rows_together<Ref>,
        [&](std::int64_t, std::int64_t begin, std::int64_t end) {
          multiply(static_cast<Index>(begin), static_cast<Index>(end));
        },
        (row_length + 1) * X.columns);
  }
}

template <class Ref, class T>
void store_entries(Context<Host>& ctx, const CsrRef<T>& A, const Ref& B, Span<Index, Host> col_indices,
                   Span<T, Host> values) {
  Index* const columns = col_indices.empty() ? nullptr : col_indices.data();
  const auto store_rows = [&](Offset first, Offset last) {
    for (Offset i = first; i < last; ++i) {
      store_row(A, i, B.room(i), columns, values.data());
    }
  };
  parallel_rows(ctx, A.rows, A.row_offsets, store_rows);
  store_rows(A.rows, B.rooms());
}

template <class T, class Ref>
CsrMatrix<T, Host> collect_entries(Context<Host>& ctx, const Ref& A, Index cols, Offset nnz) {
  const auto for_entries = [&A](std::int64_t row, const auto& body) {
    const auto entries = A.row(row);
    for (Index e = 0; e < entries.count; ++e) {
      const Index column = entries.column(e);
      if (!Ref::has_padding || column != padding) {
        body(entries.place(e), column);
      }
    }
  };
  CsrMatrix<T, Host> B(ctx, A.rows, cols, nnz);
  Offset* const offsets = B.row_offsets.data();
  parallel_for(ctx, A.rows, [&](std::int64_t row) {
    Offset count = 0;
    for_entries(row, [&](Offset, Index) { ++count; });
    offsets[row + 1] = count;
  });
  counts_to_offsets(ctx, B.row_offsets.span());
  parallel_for(ctx, A.rows, [&](std::int64_t row) {
    Offset target = offsets[row];
    for_entries(row, [&](Offset place, Index column) {
      B.col_indices.data()[target] = column;
      B.values.data()[target] = A.values[place];
      ++target;
    });
  });
  return B;
}

}  // namespace amgsolve::detail
