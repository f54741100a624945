#include "spmv/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "core/errors.hpp"
#include "core/parallel_host.hpp"
#include "spmv/random.hpp"
#include "spmv/spmv.hpp"

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

template <class T>
void expect_square(const CsrMatrix<T, Host>& A) {
  if (A.rows != A.cols) {
    throw std::invalid_argument(fmt::format("a square matrix is needed, not one of {} x {}", A.rows, A.cols));
  }
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

double add(double a, double b) { return a + b; }

template <class T>
double squared_frobenius_norm(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  const T* values = A.values.data();
  return parallel_reduce(
      ctx, A.nnz(), 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        std::array<double, 16> sums{};
        for (std::int64_t k = begin; k < end; ++k) {
          sums[static_cast<std::size_t>(k) % sums.size()] +=
              static_cast<double>(values[k]) * static_cast<double>(values[k]);
        }
        double sum = 0.0;
        for (const double part : sums) {
          sum += part;
        }
        return sum;
      },
      add);
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
  expect_square(A);
  if (diagonal.size() != static_cast<std::size_t>(A.rows)) {
    throw std::invalid_argument(
        fmt::format("a diagonal of {} entries for a matrix of {} rows", diagonal.size(), A.rows));
  }
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    const auto row = static_cast<Index>(i);
    diagonal.data()[i] = value_at(A, row, row);
  });
}

template <class T>
void check_structure(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  if (A.rows < 0 || A.cols < 0 || A.row_offsets.size() != static_cast<std::size_t>(A.rows) + 1) {
    throw InputError(fmt::format("{} row offsets for a matrix of {} x {}", A.row_offsets.size(), A.rows, A.cols));
  }
  if (A.values.size() != A.col_indices.size()) {
    throw InputError(fmt::format("{} column indices but {} values", A.col_indices.size(), A.values.size()));
  }
  const Offset* offsets = A.row_offsets.data();
  const Index* columns = A.col_indices.data();
  if (offsets[0] != 0) {
    throw InputError(fmt::format("row 0: begins at entry {} and not at 0", offsets[0]));
  }
  const std::int64_t decreasing =
      find_first(ctx, A.rows, [&](std::int64_t row) { return offsets[row + 1] < offsets[row]; });
  if (decreasing < A.rows) {
    throw InputError(fmt::format("row {}: ends at entry {}, before its first entry {}", decreasing,
                                 offsets[decreasing + 1], offsets[decreasing]));
  }
  if (offsets[A.rows] != A.nnz()) {
    throw InputError(
        fmt::format("row {}: ends at entry {}, but the matrix has {} entries", A.rows - 1, offsets[A.rows], A.nnz()));
  }
  const auto is_wrong = [&](Index row, Offset entry) {
    return columns[entry] < 0 || columns[entry] >= A.cols ||
           (entry > offsets[row] && columns[entry] <= columns[entry - 1]);
  };
  const EntryPosition wrong = find_first_entry(ctx, A, is_wrong);
  if (wrong.row < 0) {
    return;
  }
  if (wrong.col < 0 || wrong.col >= A.cols) {
    throw InputError(fmt::format("row {}: column {} is outside 0 to {}", wrong.row, wrong.col, A.cols - 1));
  }
  throw InputError(fmt::format("row {}: column {} is repeated or out of order", wrong.row, wrong.col));
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
  expect_square(A);
  return find_first_entry(ctx, A, [&](Index row, Offset entry) {
    const T value = A.values.data()[entry];
    const T mirror = value_at(A, A.col_indices.data()[entry], row);
    return std::abs(value - mirror) > tolerance * std::max(std::abs(value), std::abs(mirror));
  });
}

template <class T>
double symmetry_defect(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  expect_square(A);
  const double norm = std::sqrt(squared_frobenius_norm(ctx, A));
  if (norm == 0.0) {
    return 0.0;
  }
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto n = static_cast<std::size_t>(A.rows);
  const FatView<T, Host> xy(scope.take<T>(2 * n).data(), A.rows, 2);
  const FatView<T, Host> product(scope.take<T>(2 * n).data(), A.rows, 2);
  fill_random<T>(ctx, 0, xy);
  spmv(ctx, T{1}, A, xy, T{0}, product);
  const double difference = parallel_reduce(
      ctx, A.rows, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        double sum = 0.0;
        for (std::int64_t i = begin; i < end; ++i) {
          const auto x = static_cast<double>(xy.data[2 * i]);
          const auto y = static_cast<double>(xy.data[2 * i + 1]);
          sum += x * static_cast<double>(product.data[2 * i + 1]) - y * static_cast<double>(product.data[2 * i]);
        }
        return sum;
      },
      add);
  constexpr double variance = 1.0 / 3.0;  // of numbers uniform in [−1, 1)
  return std::abs(difference) / (variance * norm);
}

#define AMGSOLVE_INSTANTIATE(T)                                                             \
  template RowStatistics row_statistics(Context<Host>&, const CsrMatrix<T, Host>&);         \
  template void extract_diagonal(Context<Host>&, const CsrMatrix<T, Host>&, Span<T, Host>); \
  template void check_structure(Context<Host>&, const CsrMatrix<T, Host>&);                 \
  template EntryPosition find_non_finite(Context<Host>&, const CsrMatrix<T, Host>&);        \
  template Index find_zero_row(Context<Host>&, const CsrMatrix<T, Host>&);                  \
  template EntryPosition find_asymmetry(Context<Host>&, const CsrMatrix<T, Host>&, T);      \
  template double symmetry_defect(Context<Host>&, const CsrMatrix<T, Host>&);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
