#include "bench/random_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/algorithms.hpp"
#include "core/hash.hpp"
#include "core/parallel_host.hpp"
#include "spmv/conversions.hpp"
#include "spmv/random.hpp"

namespace amgsolve::bench {
namespace {

/// Uniform in [0, 1).
double random_fraction(std::uint64_t seed, std::uint64_t position) {
  return 0.5 * (random_uniform(seed, position) + 1.0);
}

/// Uniform in [0, n).
Index random_index(Index n, std::uint64_t seed, std::uint64_t position) {
  return static_cast<Index>(hash64(hash64(seed) + position) % static_cast<std::uint64_t>(n));
}

/// Entries of the row of rank r = 1, 2, …
double row_entries(Index longest_row, double exponent, Index rank) {
  return std::max(1.0, longest_row * std::pow(rank, -exponent));
}

/// The exponent for which rows of all ranks have that many entries together.
double find_exponent(Index rows, Offset entries, Index longest_row) {
  double low = 0.0;
  double high = 4.0;
  for (int step = 0; step < 25; ++step) {
    const double middle = 0.5 * (low + high);
    double sum = 0.0;
    for (Index rank = 1; rank <= rows; ++rank) {
      sum += row_entries(longest_row, middle, rank);
    }
    (sum > static_cast<double>(entries) ? low : high) = middle;
  }
  return high;
}

}  // namespace

template <class T>
CsrMatrix<T, Host> random_sparse_matrix(Context<Host>& ctx, Index rows, Index cols, double density,
                                        std::uint64_t seed) {
  const auto entries = static_cast<Offset>(density * rows * cols);
  CooMatrix<T, Host> A(ctx, rows, cols, entries);
  parallel_for(ctx, entries, [&](std::int64_t k) {
    const auto position = static_cast<std::uint64_t>(k);
    A.row_indices.data()[k] = random_index(rows, 3 * seed, position);
    A.col_indices.data()[k] = random_index(cols, 3 * seed + 1, position);
    A.values.data()[k] = static_cast<T>(random_uniform(3 * seed + 2, position));
  });
  return coo_to_csr(ctx, A);
}

template <class T>
CsrMatrix<T, Host> scale_free_matrix(Context<Host>& ctx, Index rows, Offset entries, Index longest_row) {
  constexpr double column_exponent = 0.6;
  const double exponent = find_exponent(rows, entries, longest_row);
  std::vector<Index> row_of_rank(static_cast<std::size_t>(rows));
  std::iota(row_of_rank.begin(), row_of_rank.end(), 0);
  std::ranges::sort(row_of_rank, {}, [](Index row) { return hash64(static_cast<std::uint64_t>(row)); });

  Buffer<Offset, Host> offsets(ctx, static_cast<std::size_t>(rows) + 1);
  parallel_for(ctx, rows, [&](std::int64_t r) {
    const double expected = row_entries(longest_row, exponent, static_cast<Index>(r) + 1);
    offsets.data()[r + 1] =
        static_cast<Offset>(expected + random_fraction(1, static_cast<std::uint64_t>(r)));  // rounded at random
  });
  CooMatrix<T, Host> A(ctx, rows, rows, counts_to_offsets(ctx, offsets));
  parallel_for(ctx, rows, [&](std::int64_t r) {
    const Index row = row_of_rank[static_cast<std::size_t>(r)];
    const Index nearby = std::max(100, static_cast<Index>(offsets.data()[r + 1] - offsets.data()[r]));
    for (Offset k = offsets.data()[r]; k < offsets.data()[r + 1]; ++k) {
      const auto position = static_cast<std::uint64_t>(k);
      // The probability of rank x·rows or less is x^(1 − exponent).
      const double x = std::pow(random_fraction(2, position), 1.0 / (1.0 - column_exponent));
      const Index far = row_of_rank[static_cast<std::size_t>(x * rows)];
      const Index near = std::clamp(row - nearby + random_index(2 * nearby + 1, 3, position), 0, rows - 1);
      A.row_indices.data()[k] = row;
      A.col_indices.data()[k] = random_index(2, 4, position) == 0 ? near : far;
      A.values.data()[k] = static_cast<T>(random_uniform(5, position));
    }
  });
  return coo_to_csr(ctx, A);
}

template CsrMatrix<float, Host> random_sparse_matrix(Context<Host>&, Index, Index, double, std::uint64_t);
template CsrMatrix<double, Host> random_sparse_matrix(Context<Host>&, Index, Index, double, std::uint64_t);
template CsrMatrix<float, Host> scale_free_matrix(Context<Host>&, Index, Offset, Index);
template CsrMatrix<double, Host> scale_free_matrix(Context<Host>&, Index, Offset, Index);

}  // namespace amgsolve::bench
