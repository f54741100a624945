#include <algorithm>
#include <cmath>

#include "core/instantiate.hpp"
#include "core/reduce_cuda.cuh"
#include "core/search_cuda.cuh"
#include "spmv/matrix_checks.hpp"
#include "spmv/shapes.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {
namespace {

/// The arrays of a matrix for kernels.
template <class T>
struct Arrays {
  const Offset* row_offsets;
  const Index* col_indices;
  const T* values;

  explicit Arrays(const CsrMatrix<T, Cuda>& A)
      : row_offsets(A.row_offsets.data()), col_indices(A.col_indices.data()), values(A.values.data()) {}

  /// a_ij of a matrix with sorted columns, 0 where it is not stored.
  __device__ T value_at(std::int64_t i, Index j) const {
    const Offset end = row_offsets[i + 1];
    const Offset entry = lower_bound(col_indices, row_offsets[i], end, j);
    return entry < end && col_indices[entry] == j ? values[entry] : T{0};
  }
};

/// Row and column of an entry; none where there are not so many.
template <class T>
EntryPosition position_of(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Offset entry) {
  if (entry == A.nnz()) {
    return {};
  }
  const Offset* row_offsets = A.row_offsets.data();
  const auto row = find_first(ctx, A.rows, [=] __device__(std::int64_t i) { return row_offsets[i + 1] > entry; });
  return {static_cast<Index>(row), element(ctx, A.col_indices.span(), static_cast<std::size_t>(entry))};
}

/// The first entry in row order with is_wanted(row, entry). A thread looks through a row.
template <class T, class Predicate>
EntryPosition find_first_entry(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const Predicate& is_wanted) {
  const Offset* row_offsets = A.row_offsets.data();
  const Offset none = A.nnz();
  return position_of(ctx, A,
                     transform_reduce(
                         ctx, A.rows, none,
                         [=] __device__(std::int64_t row) {
                           for (Offset entry = row_offsets[row]; entry < row_offsets[row + 1]; ++entry) {
                             if (is_wanted(row, entry)) {
                               return entry;
                             }
                           }
                           return none;
                         },
                         [] __device__(Offset a, Offset b) { return b < a ? b : a; }));
}

struct LengthSums {
  Offset shortest;
  Offset longest;
  Offset empty;
  double squares;  ///< of the differences to the mean
};

Index row_or_none(std::int64_t row, Index rows) { return row < rows ? static_cast<Index>(row) : Index{-1}; }

}  // namespace

template <class T>
RowStatistics row_statistics(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  if (A.rows == 0) {
    return {};
  }
  const Offset* row_offsets = A.row_offsets.data();
  const double mean = static_cast<double>(A.nnz()) / A.rows;
  const LengthSums sums = transform_reduce(
      ctx, A.rows, LengthSums{A.nnz(), 0, 0, 0.0},
      [=] __device__(std::int64_t row) {
        const Offset length = row_offsets[row + 1] - row_offsets[row];
        const double difference = static_cast<double>(length) - mean;
        return LengthSums{length, length, length == 0, difference * difference};
      },
      [] __device__(const LengthSums& a, const LengthSums& b) {
        return LengthSums{a.shortest < b.shortest ? a.shortest : b.shortest,
                          a.longest < b.longest ? b.longest : a.longest, a.empty + b.empty, a.squares + b.squares};
      });
  return {static_cast<Index>(sums.shortest), static_cast<Index>(sums.longest), mean, std::sqrt(sums.squares / A.rows),
          sums.empty};
}

template <class T>
void extract_diagonal(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<T, Cuda> diagonal) {
  expect_square(shape_of(A));
  expect_length("the diagonal", diagonal.size(), A.rows);
  const Arrays<T> a(A);
  T* const d = diagonal.data();
  parallel_for(ctx, A.rows, [=] __device__(std::int64_t i) { d[i] = a.value_at(i, static_cast<Index>(i)); });
}

template <class T>
EntryPosition find_non_finite(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  const T* values = A.values.data();
  return position_of(ctx, A,
                     find_first(ctx, A.nnz(), [=] __device__(std::int64_t entry) { return !isfinite(values[entry]); }));
}

template <class T>
Index find_zero_row(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  const Arrays<T> a(A);
  const std::int64_t row = find_first(ctx, A.rows, [=] __device__(std::int64_t i) {
    Offset entry = a.row_offsets[i];
    while (entry < a.row_offsets[i + 1] && a.values[entry] == T{0}) {
      ++entry;
    }
    return entry == a.row_offsets[i + 1];
  });
  return row_or_none(row, A.rows);
}

template <class T>
EntryPosition find_asymmetry(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, T tolerance) {
  expect_square(shape_of(A));
  const Arrays<T> a(A);
  return find_first_entry(ctx, A, [=] __device__(std::int64_t row, Offset entry) {
    const T value = a.values[entry];
    const T mirror = a.value_at(a.col_indices[entry], static_cast<Index>(row));
    return fabs(value - mirror) > tolerance * fmax(fabs(value), fabs(mirror));
  });
}

namespace detail {

template <class T>
Index find_decreasing_row(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  const Offset* row_offsets = A.row_offsets.data();
  const std::int64_t row =
      find_first(ctx, A.rows, [=] __device__(std::int64_t i) { return row_offsets[i + 1] < row_offsets[i]; });
  return row_or_none(row, A.rows);
}

template <class T>
EntryPosition find_wrong_column(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  const Arrays<T> a(A);
  const Index cols = A.cols;
  return find_first_entry(ctx, A, [=] __device__(std::int64_t row, Offset entry) {
    const Index column = a.col_indices[entry];
    return column < 0 || column >= cols || (entry > a.row_offsets[row] && column <= a.col_indices[entry - 1]);
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
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
