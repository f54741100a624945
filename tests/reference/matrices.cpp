#include "tests/reference/matrices.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>

#include "spmv/conversions.hpp"

namespace amgsolve::reference {
namespace {

using Generator = std::mt19937_64;

// The distributions of <random> differ between standard libraries; test matrices should not.
std::size_t uniform(Generator& generator, std::size_t n) { return static_cast<std::size_t>(generator() % n); }
double uniform_value(Generator& generator) { return std::ldexp(static_cast<double>(generator() >> 11), -52) - 1.0; }

Index random_row_length(Generator& generator, Index cols, Index longest_row) {
  if (uniform(generator, 8) == 0) {
    return 0;
  }
  const Index length =
      uniform(generator, 16) == 0 ? longest_row : std::min(longest_row, static_cast<Index>(1 + uniform(generator, 9)));
  return std::min(length, cols);
}

std::set<Index> random_columns(Generator& generator, Index cols, Index count) {
  std::set<Index> columns;
  while (static_cast<Index>(columns.size()) < count) {
    columns.insert(static_cast<Index>(uniform(generator, static_cast<std::size_t>(cols))));
  }
  return columns;
}

template <class T>
::testing::AssertionResult same_pattern(const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B) {
  if (A.rows != B.rows || A.cols != B.cols || A.nnz() != B.nnz()) {
    return ::testing::AssertionFailure() << A.rows << " x " << A.cols << " with " << A.nnz() << " entries, not "
                                         << B.rows << " x " << B.cols << " with " << B.nnz();
  }
  const auto rows = static_cast<std::size_t>(A.rows);
  for (std::size_t i = 0; i <= rows; ++i) {
    if (A.row_offsets[i] != B.row_offsets[i]) {
      return ::testing::AssertionFailure()
             << "row offset " << i << " is " << A.row_offsets[i] << ", not " << B.row_offsets[i];
    }
  }
  for (std::size_t k = 0; k < A.col_indices.size(); ++k) {
    if (A.col_indices[k] != B.col_indices[k]) {
      return ::testing::AssertionFailure()
             << "column of entry " << k << " is " << A.col_indices[k] << ", not " << B.col_indices[k];
    }
  }
  return ::testing::AssertionSuccess();
}

/// The number by field of unknown i by node.
Index number_by_field(Index i, Index rows, Index b) { return i % b * (rows / b) + i / b; }

}  // namespace

template <class T>
CsrMatrix<T, Host> matrix_from_entries(Context<Host>& ctx, Index rows, Index cols, std::vector<Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.row != b.row ? a.row < b.row : a.col < b.col; });
  CsrMatrix<T, Host> A(ctx, rows, cols, static_cast<Offset>(entries.size()));
  std::fill_n(A.row_offsets.data(), A.row_offsets.size(), Offset{0});
  for (std::size_t k = 0; k < entries.size(); ++k) {
    ++A.row_offsets[static_cast<std::size_t>(entries[k].row) + 1];
    A.col_indices[k] = entries[k].col;
    A.values[k] = static_cast<T>(entries[k].value);
  }
  for (std::size_t i = 1; i < A.row_offsets.size(); ++i) {
    A.row_offsets[i] += A.row_offsets[i - 1];
  }
  return A;
}

template <class T>
CsrMatrix<T, Host> random_matrix(Context<Host>& ctx, Index rows, Index cols, Index longest_row, unsigned seed) {
  Generator generator(seed);
  std::vector<Entry> entries;
  for (Index i = 0; i < rows; ++i) {
    for (const Index j : random_columns(generator, cols, random_row_length(generator, cols, longest_row))) {
      entries.push_back({i, j, uniform_value(generator)});
    }
  }
  return matrix_from_entries<T>(ctx, rows, cols, std::move(entries));
}

template <class T>
CsrMatrix<T, Host> scattered_matrix(Context<Host>& ctx, Index rows, Index cols, Index length, Index period,
                                    Index longest) {
  std::vector<Entry> entries;
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < (period > 0 && i % period == 0 ? longest : length); ++k) {
      // A prime step meets each column once.
      entries.push_back({i, static_cast<Index>((Offset{i} * 31 + Offset{k} * 7919) % cols), 1.0 / (1 + i % 7 + 3 * k)});
    }
  }
  return matrix_from_entries<T>(ctx, rows, cols, std::move(entries));
}

template <class T>
CsrMatrix<T, Host> power_law_matrix(Context<Host>& ctx, Index n) {
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({0, i, 1.0 / (1 + i)});
    for (Index k = 0; i > 0 && k < 1 + i % 5; ++k) {
      entries.push_back({i, (k == 0 && i % 100 == 0) ? 0 : (i / 2 + 17 * k * k) % n, 0.5 + k});
    }
  }
  return matrix_from_entries<T>(ctx, n, n, std::move(entries));
}

template <class T>
CsrMatrix<T, Host> box_with_ties(Context<Host>& ctx, Index n, double rounding) {
  constexpr std::array<double, 3> weights{1.0, 0.6, 0.25};
  std::vector<Entry> entries;
  for (Index row = 0; row < n * n * n; ++row) {
    const std::array<Index, 3> point{row % n, row / n % n, row / n / n};
    entries.push_back({row, row, 3.7});
    for (std::size_t d = 0; d < 3; ++d) {
      const Index step = d == 0 ? 1 : d == 1 ? n : n * n;
      const auto couple = [&](Index column) {
        const bool is_larger = (row * 13 + column * 7) % 11 < 5;
        entries.push_back({row, column, -weights[d] * (is_larger ? 1.0 + rounding : 1.0)});
      };
      if (point[d] > 0) {
        couple(row - step);
      }
      if (point[d] + 1 < n) {
        couple(row + step);
      }
    }
  }
  return matrix_from_entries<T>(ctx, n * n * n, n * n * n, std::move(entries));
}

template <class T>
CsrMatrix<T, Host> random_spd_matrix(Context<Host>& ctx, Index rows, Index entries_per_row, unsigned seed) {
  Generator generator(seed);
  std::vector<std::set<Index>> upper(static_cast<std::size_t>(rows));
  for (Offset pair = 0; rows > 1 && pair < Offset{rows} * entries_per_row / 2; ++pair) {
    const std::set<Index> ends = random_columns(generator, rows, 2);
    upper[static_cast<std::size_t>(*ends.begin())].insert(*ends.rbegin());
  }
  std::vector<Entry> entries;
  std::vector<double> diagonal(static_cast<std::size_t>(rows), 1.0);
  for (Index i = 0; i < rows; ++i) {
    for (const Index j : upper[static_cast<std::size_t>(i)]) {
      const double value = uniform_value(generator);
      entries.push_back({i, j, value});
      entries.push_back({j, i, value});
      diagonal[static_cast<std::size_t>(i)] += std::abs(value);
      diagonal[static_cast<std::size_t>(j)] += std::abs(value);
    }
  }
  for (Index i = 0; i < rows; ++i) {
    entries.push_back({i, i, diagonal[static_cast<std::size_t>(i)]});
  }
  return matrix_from_entries<T>(ctx, rows, rows, std::move(entries));
}

template <class T>
CsrMatrix<T, Host> by_field(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Index b) {
  std::vector<Entry> entries;
  for (Index i = 0; i < A.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(A.row_offsets[row]); k < static_cast<std::size_t>(A.row_offsets[row + 1]);
         ++k) {
      entries.push_back({number_by_field(i, A.rows, b), number_by_field(A.col_indices[k], A.rows, b),
                         static_cast<double>(A.values[k])});
    }
  }
  return matrix_from_entries<T>(ctx, A.rows, A.cols, std::move(entries));
}

template <class T>
std::vector<T> by_field(const std::vector<T>& x, Index columns, Index b) {
  const auto k = static_cast<std::size_t>(columns);
  const auto rows = static_cast<Index>(x.size() / k);
  std::vector<T> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    y[static_cast<std::size_t>(number_by_field(static_cast<Index>(i / k), rows, b)) * k + i % k] = x[i];
  }
  return y;
}

template <class T>
std::vector<T> random_values(std::size_t n, unsigned seed) {
  Generator generator(seed);
  std::vector<T> values(n);
  std::generate(values.begin(), values.end(), [&] { return static_cast<T>(uniform_value(generator)); });
  return values;
}

template <class T>
CsrMatrix<T, Host> with_new_values(Context<Host>& ctx, const CsrMatrix<T, Host>& A, unsigned seed) {
  CsrMatrix<T, Host> B = convert_values<T>(ctx, A);
  const std::vector<T> values = random_values<T>(B.values.size(), seed);
  std::copy(values.begin(), values.end(), B.values.data());
  return B;
}

template <class T>
::testing::AssertionResult identical(const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B) {
  return close(A, B, 0.0);
}

template <class T>
::testing::AssertionResult close(const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B, double bound) {
  const ::testing::AssertionResult pattern = same_pattern(A, B);
  if (!pattern) {
    return pattern;
  }
  for (std::size_t k = 0; k < A.values.size(); ++k) {
    // Negated, so that a NaN fails.
    if (!(std::abs(static_cast<double>(A.values[k]) - static_cast<double>(B.values[k])) <= bound)) {
      return ::testing::AssertionFailure()
             << "value of entry " << k << " is " << A.values[k] << ", not " << B.values[k] << " within " << bound;
    }
  }
  return ::testing::AssertionSuccess();
}

#define AMGSOLVE_INSTANTIATE(T)                                                                        \
  template CsrMatrix<T, Host> matrix_from_entries(Context<Host>&, Index, Index, std::vector<Entry>);   \
  template CsrMatrix<T, Host> random_matrix(Context<Host>&, Index, Index, Index, unsigned);            \
  template CsrMatrix<T, Host> scattered_matrix(Context<Host>&, Index, Index, Index, Index, Index);     \
  template CsrMatrix<T, Host> power_law_matrix(Context<Host>&, Index);                                 \
  template CsrMatrix<T, Host> box_with_ties(Context<Host>&, Index, double);                            \
  template CsrMatrix<T, Host> random_spd_matrix(Context<Host>&, Index, Index, unsigned);               \
  template CsrMatrix<T, Host> by_field(Context<Host>&, const CsrMatrix<T, Host>&, Index);              \
  template std::vector<T> by_field(const std::vector<T>&, Index, Index);                               \
  template std::vector<T> random_values(std::size_t, unsigned);                                        \
  template CsrMatrix<T, Host> with_new_values(Context<Host>&, const CsrMatrix<T, Host>&, unsigned);    \
  template ::testing::AssertionResult identical(const CsrMatrix<T, Host>&, const CsrMatrix<T, Host>&); \
  template ::testing::AssertionResult close(const CsrMatrix<T, Host>&, const CsrMatrix<T, Host>&, double);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve::reference
