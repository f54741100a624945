#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/copy.hpp"
#include "core/hash.hpp"
#include "core/instantiate.hpp"
#include "core/map_list.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/matrix_checks.hpp"
#include "spmv/shapes.hpp"
#include "spmv/statistics.hpp"

/// The bodies of what statistics.hpp and matrix_checks.hpp find row by row, written once for both memory spaces:
/// parallel_for, transform_reduce and find_first are those of the context. On a device a thread looks through a row.
namespace amgsolve {
namespace detail {

inline Index row_or_none(std::int64_t row, Index rows) { return row < rows ? static_cast<Index>(row) : Index{-1}; }

/// The first entry of a row with is_wanted(row, entry); no entry where the row is A.rows.
template <class T, MemorySpace S, class Predicate>
EntryPosition find_entry_of_row(Context<S>& ctx, const CsrMatrix<T, S>& A, std::int64_t row,
                                const Predicate& is_wanted) {
  if (row == A.rows) {
    return {};
  }
  const auto bound = [&](std::int64_t i) { return element(ctx, A.row_offsets.span(), static_cast<std::size_t>(i)); };
  const Offset begin = bound(row);
  const Offset entry =
      begin + find_first(ctx, bound(row + 1) - begin, [row, begin, is_wanted] AMGSOLVE_HOST_DEVICE(std::int64_t k) {
        return is_wanted(row, begin + k);
      });
  return {static_cast<Index>(row), element(ctx, A.col_indices.span(), static_cast<std::size_t>(entry))};
}

/// The first entry in row order with is_wanted(row, entry).
template <class T, MemorySpace S, class Predicate>
EntryPosition find_first_entry(Context<S>& ctx, const CsrMatrix<T, S>& A, const Predicate& is_wanted) {
  const Offset* const offsets = A.row_offsets.data();
  const std::int64_t row = find_first(ctx, A.rows, [offsets, is_wanted] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    Offset entry = offsets[i];
    while (entry < offsets[i + 1] && !is_wanted(i, entry)) {
      ++entry;
    }
    return entry < offsets[i + 1];
  });
  return find_entry_of_row(ctx, A, row, is_wanted);
}

struct LengthSums {
  Offset shortest;
  Offset longest;
  Offset empty;
  double squares;  ///< of the differences to the mean
};

template <class T>
struct MagnitudeRange {
  T smallest;
  T largest;
};

}  // namespace detail

template <class T, MemorySpace S>
RowStatistics row_statistics(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  using detail::LengthSums;
  if (A.rows == 0) {
    return {};
  }
  const Offset* const offsets = A.row_offsets.data();
  const double mean = static_cast<double>(A.nnz()) / A.rows;
  const LengthSums sums = transform_reduce(
      ctx, A.rows, LengthSums{A.nnz(), 0, 0, 0.0},
      [offsets, mean] AMGSOLVE_HOST_DEVICE(std::int64_t row) {
        const Offset length = offsets[row + 1] - offsets[row];
        const double difference = static_cast<double>(length) - mean;
        return LengthSums{length, length, length == 0, difference * difference};
      },
      [] AMGSOLVE_HOST_DEVICE(const LengthSums& a, const LengthSums& b) {
        return LengthSums{a.shortest < b.shortest ? a.shortest : b.shortest,
                          a.longest < b.longest ? b.longest : a.longest, a.empty + b.empty, a.squares + b.squares};
      });
  return {static_cast<Index>(sums.shortest), static_cast<Index>(sums.longest), mean, std::sqrt(sums.squares / A.rows),
          sums.empty};
}

template <class T, MemorySpace S>
void extract_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<T, S>> diagonal) {
  expect_square(shape_of(A));
  extract_diagonal<T>(ctx, A, 0, diagonal);
}

template <class T, MemorySpace S>
void extract_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, Index first,
                      std::type_identity_t<Span<T, S>> diagonal) {
  if (first < 0 || first > A.cols - A.rows) {
    throw std::invalid_argument("a diagonal that goes beyond the columns of the matrix");
  }
  expect_length("the diagonal", diagonal.size(), A.rows);
  const CsrRef<T> a = ref_of(A);
  T* const d = diagonal.data();
  parallel_for(ctx, A.rows, [a, first, d] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const Offset entry = find_middle_entry(a, i, first + static_cast<Index>(i));
    d[i] = entry < 0 ? T{0} : a.values[entry];
  });
}

namespace detail {

/// Σ hash(first + k, x_k) mod 2⁶⁴, whose order does not matter.
template <class Number, MemorySpace S>
std::uint64_t hash_of(Context<S>& ctx, const Buffer<Number, S>& numbers, std::uint64_t first) {
  constexpr std::uint64_t odd = 0xD6E8FEB86659FD93U;
  const Number* const x = numbers.data();
  return transform_reduce(
      ctx, static_cast<std::int64_t>(numbers.size()), std::uint64_t{0},
      [x, first] AMGSOLVE_HOST_DEVICE(std::int64_t k) {
        return hash64((first + static_cast<std::uint64_t>(k)) * odd + static_cast<std::uint64_t>(x[k]));
      },
      [] AMGSOLVE_HOST_DEVICE(std::uint64_t a, std::uint64_t b) { return a + b; });
}

}  // namespace detail

template <class T, MemorySpace S>
std::uint64_t pattern_hash(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  return detail::hash_of(ctx, A.col_indices, 0) + detail::hash_of(ctx, A.row_offsets, std::uint64_t{1} << 63);
}

template <class T, MemorySpace S>
EntryPosition find_non_finite(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  const CsrRef<T> a = ref_of(A);
  const std::int64_t entry =
      find_first(ctx, A.nnz(), [a] AMGSOLVE_HOST_DEVICE(std::int64_t k) { return !std::isfinite(a.values[k]); });
  if (entry == A.nnz()) {
    return {};
  }
  const auto row =
      find_first(ctx, A.rows, [a, entry] AMGSOLVE_HOST_DEVICE(std::int64_t i) { return a.row_offsets[i + 1] > entry; });
  return {static_cast<Index>(row), element(ctx, A.col_indices.span(), static_cast<std::size_t>(entry))};
}

template <class T, MemorySpace S>
Index find_non_finite_row(Context<S>& ctx, MultiVectorView<const T, S> X) {
  const T* const values = X.data;
  const auto size = static_cast<std::int64_t>(X.size());
  const std::int64_t first =
      find_first(ctx, size, [values] AMGSOLVE_HOST_DEVICE(std::int64_t k) { return !std::isfinite(values[k]); });
  return first < size ? static_cast<Index>(first / X.columns) : -1;
}

template <class T, MemorySpace S>
Index find_zero_row(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  const CsrRef<T> a = ref_of(A);
  const std::int64_t row = find_first(ctx, A.rows, [a] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    Offset entry = a.row_offsets[i];
    while (entry < a.row_offsets[i + 1] && a.values[entry] == T{0}) {
      ++entry;
    }
    return entry == a.row_offsets[i + 1];
  });
  return detail::row_or_none(row, A.rows);
}

template <class T, MemorySpace S>
RowMagnitudes scale_by_rows(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<T, S>> scales) {
  using Range = detail::MagnitudeRange<T>;
  expect_length("scales", scales.size(), A.rows);
  const CsrRef<T> a = ref_of(A);
  T* const to = scales.data();
  const T infinity = std::numeric_limits<T>::infinity();
  const T most = std::numeric_limits<T>::max();
  const Range range = transform_reduce(
      ctx, A.rows, Range{infinity, T{0}},
      [a, to, infinity, most] AMGSOLVE_HOST_DEVICE(std::int64_t row) {
        T magnitude{0};
        detail::for_each_loaded(a.values, a.row_offsets[row], a.row_offsets[row + 1], [&](T value) {
          const T entry = std::fabs(value);
          magnitude = entry <= magnitude ? magnitude : entry <= most ? entry : infinity;
        });
        to[row] = magnitude > T{0} ? T{1} / std::sqrt(magnitude) : T{0};
        return Range{magnitude, magnitude};
      },
      [] AMGSOLVE_HOST_DEVICE(const Range& x, const Range& y) {
        return Range{x.smallest < y.smallest ? x.smallest : y.smallest, x.largest < y.largest ? y.largest : x.largest};
      });
  return {static_cast<double>(range.smallest), static_cast<double>(range.largest)};
}

template <class T, MemorySpace S>
EntryPosition find_asymmetry(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<const T, S>> scales,
                             T tolerance) {
  expect_square(shape_of(A));
  expect_length("scales", scales.size(), A.rows);
  const CsrRef<T> a = ref_of(A);
  const T* const scale = scales.data();
  return detail::find_first_entry(ctx, A, [a, scale, tolerance] AMGSOLVE_HOST_DEVICE(std::int64_t row, Offset entry) {
    const T value = a.values[entry];
    const Index column = a.col_indices[entry];
    const T mirror = entry_or_zero(a, column, static_cast<Index>(row));
    return std::fabs(value - mirror) * scale[row] * scale[column] > tolerance;
  });
}

namespace detail {

template <MemorySpace S>
Index find_decreasing_row(Context<S>& ctx, std::type_identity_t<Span<const Offset, S>> row_offsets) {
  const Offset* const offsets = row_offsets.data();
  const auto rows = static_cast<Index>(row_offsets.size() - 1);
  const std::int64_t row =
      find_first(ctx, rows, [offsets] AMGSOLVE_HOST_DEVICE(std::int64_t i) { return offsets[i + 1] < offsets[i]; });
  return row_or_none(row, rows);
}

template <class T, MemorySpace S>
EntryPosition find_wrong_column(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  const CsrRef<T> a = ref_of(A);
  const Index cols = A.cols;
  // Without a branch an entry, nor a look at its row.
  const std::int64_t wrong_row = find_first(ctx, A.rows, [a, cols] AMGSOLVE_HOST_DEVICE(std::int64_t row) {
    Index before = -1;
    bool is_wrong = false;
    for (Offset k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k) {
      is_wrong |= a.col_indices[k] <= before;
      before = a.col_indices[k];
    }
    return is_wrong || before >= cols;
  });
  return find_entry_of_row(ctx, A, wrong_row, [a, cols] AMGSOLVE_HOST_DEVICE(std::int64_t row, Offset entry) {
    const Index column = a.col_indices[entry];
    return column < 0 || column >= cols || (entry > a.row_offsets[row] && column <= a.col_indices[entry - 1]);
  });
}

}  // namespace detail

#define AMGSOLVE_INSTANTIATE(T, S)                                                                 \
  template RowStatistics row_statistics(Context<S>&, const CsrMatrix<T, S>&);                      \
  template void extract_diagonal(Context<S>&, const CsrMatrix<T, S>&, Span<T, S>);                 \
  template void extract_diagonal(Context<S>&, const CsrMatrix<T, S>&, Index, Span<T, S>);          \
  template std::uint64_t pattern_hash(Context<S>&, const CsrMatrix<T, S>&);                        \
  template EntryPosition find_non_finite(Context<S>&, const CsrMatrix<T, S>&);                     \
  template Index find_non_finite_row(Context<S>&, MultiVectorView<const T, S>);                    \
  template Index find_zero_row(Context<S>&, const CsrMatrix<T, S>&);                               \
  template RowMagnitudes scale_by_rows(Context<S>&, const CsrMatrix<T, S>&, Span<T, S>);           \
  template EntryPosition find_asymmetry(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, T); \
  template EntryPosition detail::find_wrong_column(Context<S>&, const CsrMatrix<T, S>&);

}  // namespace amgsolve
