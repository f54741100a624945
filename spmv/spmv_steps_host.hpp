#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/algorithms.hpp"
#include "spmv/parallel_rows_host.hpp"
#include "spmv/spmv_steps.hpp"

/// The steps of products on the host, for the storages that Operator knows and for those that a test tries.
namespace amgsolve::detail {

// Columns of a multivector worked on at once: their sums stay in registers.
inline constexpr Index tile_columns = 8;

// Rows whose results are held back and written together. Vectors often begin at the same place within a page, and a
// processor that sees y_i written and x_i ± 1 read right after takes the low 12 bits of their addresses for the same
// memory and waits wherever short rows are written one by one.
inline constexpr Index batch_rows = 64;

// How many entries ahead they are asked for, across the ends of rows and past the end of the arrays too: the longer the
// rows, the more it saves.
inline constexpr Offset prefetch_distance = 256;

/// sums_j = Σ_l a_il x_lj for Width columns j of one row from `first` on, in the order of its entries. X has k columns.
template <Index Width, class T, class Sum>
[[gnu::always_inline]] inline void multiply_row(const CsrRef<T>& A, Index i, const T* X, Index k, Index first,
                                                Sum* sums) {
  constexpr Offset cache_line = 64 / sizeof(T);
  Sum row[static_cast<std::size_t>(Width)] = {};
  Offset entry = A.row_offsets[i];
  const Offset end = A.row_offsets[i + 1];
  while (entry < end) {
    __builtin_prefetch(A.values + entry + prefetch_distance);
    __builtin_prefetch(A.col_indices + entry + prefetch_distance);
    const Offset chunk_end = std::min(entry + cache_line, end);
    for (; entry < chunk_end; ++entry) {
      const auto value = static_cast<Sum>(A.values[entry]);
      const T* x = X + Offset{A.col_indices[entry]} * k + first;
      for (Index j = 0; j < Width; ++j) {
        row[j] += value * static_cast<Sum>(x[j]);
      }
    }
  }
  std::copy_n(row, Width, sums);
}

/// The same for a padded storage. The other rows of its block lie between the entries: the first row brings them all
/// into cache.
template <Index Width, class Ref, class T, class Sum>
[[gnu::always_inline]] inline void multiply_row(const Ref& A, Index i, const T* X, Index k, Index first, Sum* sums) {
  Sum row[static_cast<std::size_t>(Width)] = {};
  const auto entries = A.row(i);
  for (Index e = 0; e < entries.count; ++e) {
    const Index column = entries.column(e);
    if (Ref::has_padding && column == padding) {
      break;
    }
    const auto value = static_cast<Sum>(A.values[entries.place(e)]);
    const T* x = X + Offset{column} * k + first;
    for (Index j = 0; j < Width; ++j) {
      row[j] += value * static_cast<Sum>(x[j]);
    }
  }
  std::copy_n(row, Width, sums);
}

/// `count` rows of A X from row `first` on, for a number of columns known at compile time. A function of its own: what
/// becomes of the sums would take the registers that the loop over entries needs, which then took half as long again.
template <Index Columns, class Ref, class T, class Sum>
[[gnu::noinline]] void multiply_batch(const Ref A, Index first, Index count, const T* X, Sum* sums) {
  for (Index i = 0; i < count; ++i) {
    multiply_row<Columns>(A, first + i, X, Columns, 0, sums + i * Columns);
  }
}

/// Rows of A X where the number of columns is known at compile time.
template <Index Columns, class Ref, class T, class Epilogue>
void multiply_fixed(const Ref& A, Index first, Index last, const T* X, const Epilogue& finish) {
  const Epilogue epilogue = finish;  // a local one, which no write can change
  typename Epilogue::Sum sums[static_cast<std::size_t>(batch_rows * Columns)];
  for (Index batch = first; batch < last; batch += batch_rows) {
    const Index rows = std::min(batch_rows, last - batch);
    multiply_batch<Columns>(A, batch, rows, X, sums);
    const Offset position = Offset{batch} * Columns;
#pragma GCC ivdep
    for (Index i = 0; i < rows * Columns; ++i) {
      epilogue(batch + i / Columns, position + i, sums[i]);
    }
  }
}

/// Rows of A X for any number of columns, by tiles: a row is read again for each tile, from cache.
template <class Ref, class T, class Epilogue>
void multiply_tiles(const Ref& A, Index first, Index last, const T* X, Index k, const Epilogue& epilogue) {
  typename Epilogue::Sum sums[static_cast<std::size_t>(tile_columns)];
  for (Index row = first; row < last; ++row) {
    Index j = 0;
    const auto take = [&]<Index Width>(std::integral_constant<Index, Width>) {
      for (; k - j >= Width; j += Width) {
        multiply_row<Width>(A, row, X, k, j, sums);
        for (Index c = 0; c < Width; ++c) {
          epilogue(row, Offset{row} * k + j + c, sums[c]);
        }
      }
    };
    take(std::integral_constant<Index, tile_columns>());
    take(std::integral_constant<Index, 4>());
    take(std::integral_constant<Index, 2>());
    take(std::integral_constant<Index, 1>());
  }
}

/// Rows of A X.
template <class Ref, class T, class Epilogue>
void multiply_between(const Ref& A, Index first, Index last, MultiVectorView<const T, Host> X,
                      const Epilogue& epilogue) {
  switch (X.columns) {
    case 1:
      return multiply_fixed<1>(A, first, last, X.data, epilogue);
    case 2:
      return multiply_fixed<2>(A, first, last, X.data, epilogue);
    case 4:
      return multiply_fixed<4>(A, first, last, X.data, epilogue);
    case 8:
      return multiply_fixed<8>(A, first, last, X.data, epilogue);
    default:
      return multiply_tiles(A, first, last, X.data, X.columns, epilogue);
  }
}

template <class T, class Epilogue>
void multiply(Context<Host>& ctx, const CsrRef<T>& A, MultiVectorView<const T, Host> X, const Epilogue& epilogue) {
  parallel_rows(
      ctx, A.rows, A.row_offsets, [&](Index first, Index last) { multiply_between(A, first, last, X, epilogue); },
      X.columns);
}

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

/// sums_i += a_i x_c for an entry of each of `rows` neighbouring rows, where c is its column. One that fills a row up
/// adds 0 · 0, which leaves a sum that began with +0 as it is: no branch, and what waits for x is as short as can be.
template <class T, class Sum>
[[gnu::always_inline]] inline void add_entries(const Index* cols, const T* values, Index rows, const T* x, Sum* sums) {
#pragma GCC ivdep
  for (Index i = 0; i < rows; ++i) {
    const T value_of_x = x[cols[i] < 0 ? 0 : cols[i]];
    sums[i] += static_cast<Sum>(values[i]) * static_cast<Sum>(cols[i] < 0 ? T{0} : value_of_x);
  }
}

/// Where all rows of a block are there, and values of x lie together where columns do.
template <Index Rows, class T, class Sum>
[[gnu::always_inline]] inline void add_entries(const Index* cols, const T* values, const T* x, Sum* sums) {
  if (are_consecutive<Rows>(cols)) {
    const T* const values_of_x = x + cols[0];
    for (Index i = 0; i < Rows; ++i) {
      sums[i] += static_cast<Sum>(values[i]) * static_cast<Sum>(values_of_x[i]);
    }
  } else {
    add_entries(cols, values, Rows, x, sums);
  }
}

/// A x in the `count` rows of a block. Entry by entry, so that the loop over rows, with consecutive addresses, is the
/// inner one.
template <class Ref, class T, class Sum>
[[gnu::noinline]] void multiply_block(const Ref A, Offset first, Index count, const T* x, Sum* result) {
  Sum sums[static_cast<std::size_t>(Ref::block_rows)] = {};
  const auto entries = A.row(first);
  if (count == Ref::block_rows) {
    for (Index e = 0; e < entries.count; ++e) {
      add_entries<Ref::block_rows>(A.col_indices + entries.place(e), A.values + entries.place(e), x, sums);
    }
  } else {
    for (Index e = 0; e < entries.count; ++e) {
      add_entries(A.col_indices + entries.place(e), A.values + entries.place(e), count, x, sums);
    }
  }
  std::copy_n(sums, count, result);
}

/// Whether all rows of a slice have the pattern of the first: looked at eight at a time.
[[gnu::always_inline]] inline bool are_alike(const std::uint8_t* patterns) {
  std::uint64_t words[slice_rows / 8];
  std::memcpy(words, patterns, sizeof(words));
  const std::uint64_t first = patterns[0] * std::uint64_t{0x0101010101010101};
  std::uint64_t differences = 0;
  for (const std::uint64_t word : words) {
    differences |= word ^ first;
  }
  return differences == 0;
}

/// sums_i += a_i x_i for the entries of neighbouring rows, which have one pattern.
template <class T, class Sum>
[[gnu::always_inline]] inline void add_alike(const T* values, const T* x, Index begin, Index end, Sum* sums) {
  for (Index i = begin; i < end; ++i) {
    sums[i] += static_cast<Sum>(values[i]) * static_cast<Sum>(x[i]);
  }
}

/// result_i = Σ_k a_ik x_{i + shift_k} for the rows i of a slice, which have one pattern. Sums in vectors: those of an
/// array the compiler would load and store again for each entry, which takes twice as long.
template <class T, class Sum>
[[gnu::always_inline]] inline void multiply_alike(const T* values, const Index* shifts, Offset length, const T* x,
                                                  Sum* result) {
  constexpr std::size_t vector_bytes = 64;
  constexpr std::size_t lanes = vector_bytes / sizeof(Sum);
  constexpr std::size_t vectors = slice_rows / lanes;
  typedef Sum Sums __attribute__((vector_size(vector_bytes)));
  typedef T Factors __attribute__((vector_size(lanes * sizeof(T))));
  Sums sums[vectors] = {};
  for (Offset k = 0; k < length; ++k) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
      Factors a;
      Factors b;
      std::memcpy(&a, values + k * slice_rows + v * lanes, sizeof(a));
      std::memcpy(&b, x + shifts[k] + v * lanes, sizeof(b));
      sums[v] += __builtin_convertvector(a, Sums) * __builtin_convertvector(b, Sums);
    }
  }
  std::memcpy(result, sums, sizeof(sums));
}

/// A x in the `count` rows of a slice: together where they have one pattern, else each run of rows that have.
template <class T, class Sum>
[[gnu::noinline]] void multiply_block(const PatternRef<T> A, Offset first, Index count, const T* x, Sum* result) {
  const std::uint8_t* const patterns = A.patterns + first;
  const T* const values = A.values + A.row(first).first;
  const T* const x_of_rows = x + first;
  const auto shifts_of = [&](std::uint8_t pattern) { return A.shifts + A.starts[pattern]; };
  const auto length_of = [&](std::uint8_t pattern) { return A.starts[pattern + 1] - A.starts[pattern]; };
  if constexpr (std::is_floating_point_v<Sum>) {
    if (count == slice_rows && are_alike(patterns)) {
      multiply_alike(values, shifts_of(patterns[0]), length_of(patterns[0]), x_of_rows, result);
      return;
    }
  }
  Sum sums[static_cast<std::size_t>(slice_rows)] = {};
  for (Index begin = 0, end = 0; begin < count; begin = end) {
    const std::uint8_t pattern = patterns[begin];
    while (end < count && patterns[end] == pattern) {
      ++end;
    }
    const Index* const shifts = shifts_of(pattern);
    for (Offset k = 0; k < length_of(pattern); ++k) {
      add_alike(values + k * slice_rows, x_of_rows + shifts[k], begin, end, sums);
    }
  }
  std::copy_n(sums, count, result);
}

/// The same for a padded storage, by blocks of rows whose entries lie together.
template <class Ref, class T, class Epilogue>
void multiply(Context<Host>& ctx, const Ref& A, MultiVectorView<const T, Host> X, const Epilogue& finish) {
  std::int64_t row_length = 0;
  if (A.rows > 0) {
    const auto last = A.row(A.rows - 1);
    row_length = last.place(last.count) / A.rows;
  }
  parallel_fixed_blocks(
      ctx, A.rows, Ref::block_rows,
      [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        if (X.columns > 1) {
          multiply_between(A, static_cast<Index>(begin), static_cast<Index>(end), X, finish);
          return;
        }
        const Epilogue epilogue = finish;
        typename Epilogue::Sum sums[static_cast<std::size_t>(Ref::block_rows)];
        multiply_block(A, begin, static_cast<Index>(end - begin), X.data, sums);
#pragma GCC ivdep
        for (std::int64_t i = 0; i < end - begin; ++i) {
          epilogue(begin + i, begin + i, sums[i]);
        }
      },
      (row_length + 1) * X.columns);
}

template <class Ref, class T, class Epilogue>
void multiply_rows(Context<Host>& ctx, const Ref& A, MultiVectorView<const T, Host> X, int, const Epilogue& epilogue) {
  multiply(ctx, A, X, epilogue);
}

template <class Ref, class T>
void store_entries(Context<Host>& ctx, const CsrRef<T>& A, const Ref& B, Span<Index, Host> col_indices,
                   Span<T, Host> values) {
  parallel_rows(ctx, A.rows, A.row_offsets, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const ListedEntries from = A.row(i);
      const RowEntries target = B.row(i);
      for (Index e = 0; e < from.count; ++e) {
        values.data()[target.place(e)] = A.values[from.place(e)];
        if (!col_indices.empty()) {
          col_indices.data()[target.place(e)] = from.column(e);
        }
      }
      for (Index e = from.count; !col_indices.empty() && e < target.count; ++e) {
        values.data()[target.place(e)] = T{0};
        col_indices.data()[target.place(e)] = padding;
      }
    }
  });
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
