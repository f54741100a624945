#include "spmv/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "spmv/matrix_checks.hpp"
#include "spmv/shapes.hpp"

namespace amgsolve {
namespace {

/// The first i in [0, n) with is_wanted(i); n where there is none.
template <class Predicate>
std::int64_t find_first(Context<Host>& ctx, std::int64_t n, const Predicate& is_wanted) {
  return parallel_reduce(
      ctx, n, n,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          if (is_wanted(i)) {
            return i;
          }
        }
        return n;
      },
      [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
}

/// The first entry in row order with is_wanted(row, entry).
template <class T, class Predicate>
EntryPosition find_first_entry(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const Predicate& is_wanted) {
  const Offset* offsets = A.row_offsets.data();
  const auto first_in_row = [&](std::int64_t row) {
    Offset entry = offsets[row];
    while (entry < offsets[row + 1] && !is_wanted(static_cast<Index>(row), entry)) {
      ++entry;
    }
    return entry;
  };
  const std::int64_t row = find_first(ctx, A.rows, [&](std::int64_t i) { return first_in_row(i) < offsets[i + 1]; });
  if (row == A.rows) {
    return {};
  }
  return {static_cast<Index>(row), A.col_indices.data()[first_in_row(row)]};
}

/// The position of column j in a row of A with sorted columns; that row's end where it is not stored.
template <class T>
Offset find_column(const CsrMatrix<T, Host>& A, Index row, Index j) {
  const Index* columns = A.col_indices.data();
  const Offset end = A.row_offsets.data()[row + 1];
  const Index* found = std::lower_bound(columns + A.row_offsets.data()[row], columns + end, j);
  return found != columns + end && *found == j ? found - columns : end;
}

/// a_ij of a matrix with sorted columns, 0 where it is not stored.
template <class T>
T value_at(const CsrMatrix<T, Host>& A, Index row, Index j) {
  const Offset entry = find_column(A, row, j);
  return entry < A.row_offsets.data()[row + 1] ? A.values.data()[entry] : T{0};
}

}  // namespace

template <class T>
RowStatistics row_statistics(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  if (A.rows == 0) {
    return {};
  }
  const Offset* offsets = A.row_offsets.data();
  const double mean = static_cast<double>(A.nnz()) / A.rows;
  struct Sums {
    Offset shortest;
    Offset longest;
    Offset empty;
    double squares;
  };
  const Sums sums = parallel_reduce(
      ctx, A.rows, Sums{A.nnz(), 0, 0, 0.0},
      [&](std::int64_t begin, std::int64_t end) {
        Sums block{A.nnz(), 0, 0, 0.0};
        for (std::int64_t row = begin; row < end; ++row) {
          const Offset length = offsets[row + 1] - offsets[row];
          const double difference = static_cast<double>(length) - mean;
          block.shortest = std::min(block.shortest, length);
          block.longest = std::max(block.longest, length);
          block.empty += length == 0;
          block.squares += difference * difference;
        }
        return block;
      },
      [](const Sums& a, const Sums& b) {
        return Sums{std::min(a.shortest, b.shortest), std::max(a.longest, b.longest), a.empty + b.empty,
                    a.squares + b.squares};
      });
  return {static_cast<Index>(sums.shortest), static_cast<Index>(sums.longest), mean, std::sqrt(sums.squares / A.rows),
          sums.empty};
}

template <class T>
void extract_diagonal(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<T, Host> diagonal) {
  expect_square(shape_of(A));
  expect_length("the diagonal", diagonal.size(), A.rows);
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    const auto row = static_cast<Index>(i);
    diagonal.data()[i] = value_at(A, row, row);
  });
}

template <class T>
EntryPosition find_non_finite(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  const T* values = A.values.data();
  return find_first_entry(ctx, A, [=](Index, Offset entry) { return !std::isfinite(values[entry]); });
}

template <class T>
Index find_zero_row(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  const Offset* offsets = A.row_offsets.data();
  const T* values = A.values.data();
  const std::int64_t row = find_first(ctx, A.rows, [&](std::int64_t i) {
    return std::all_of(values + offsets[i], values + offsets[i + 1], [](T value) { return value == T{0}; });
  });
  return row < A.rows ? static_cast<Index>(row) : Index{-1};
}

template <class T>
EntryPosition find_asymmetry(Context<Host>& ctx, const CsrMatrix<T, Host>& A, T tolerance) {
  expect_square(shape_of(A));
  return find_first_entry(ctx, A, [&](Index row, Offset entry) {
    const T value = A.values.data()[entry];
    const T mirror = value_at(A, A.col_indices.data()[entry], row);
    return std::abs(value - mirror) > tolerance * std::max(std::abs(value), std::abs(mirror));
  });
}

namespace detail {

template <class T>
Index find_decreasing_row(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  const Offset* offsets = A.row_offsets.data();
  const std::int64_t row = find_first(ctx, A.rows, [&](std::int64_t i) { return offsets[i + 1] < offsets[i]; });
  return row < A.rows ? static_cast<Index>(row) : Index{-1};
}

template <class T>
EntryPosition find_wrong_column(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  const Offset* offsets = A.row_offsets.data();
  const Index* columns = A.col_indices.data();
  return find_first_entry(ctx, A, [&](Index row, Offset entry) {
    return columns[entry] < 0 || columns[entry] >= A.cols ||
           (entry > offsets[row] && columns[entry] <= columns[entry - 1]);
  });
}

}  // namespace detail

#define AMGSOLVE_INSTANTIATE(T, S)                                                 \
  template RowStatistics row_statistics(Context<S>&, const CsrMatrix<T, S>&);      \
  template void extract_diagonal(Context<S>&, const CsrMatrix<T, S>&, Span<T, S>); \
  template EntryPosition find_non_finite(Context<S>&, const CsrMatrix<T, S>&);     \
  template Index find_zero_row(Context<S>&, const CsrMatrix<T, S>&);               \
  template EntryPosition find_asymmetry(Context<S>&, const CsrMatrix<T, S>&, T);   \
  template Index detail::find_decreasing_row(Context<S>&, const CsrMatrix<T, S>&); \
  template EntryPosition detail::find_wrong_column(Context<S>&, const CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
