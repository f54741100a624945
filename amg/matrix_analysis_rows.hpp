#pragma once

#include <cmath>
#include <limits>

#include "amg/matrix_analysis.hpp"
#include "core/instantiate.hpp"
#include "spmv/csr_ref.hpp"

/// The bodies of count_entries() and lopsided_share(), written once for both memory spaces: transform_reduce is that of
/// the context. A row is the work of one thread.
namespace amgsolve {
namespace detail {

// Constants, since a device calls no function of numeric_limits.
inline constexpr EntryCounts no_entries{0, 0, 0, 0, 0, 0, 0, 0, 0, std::numeric_limits<double>::max(), 0.0};
template <class T>
inline constexpr double epsilon = std::numeric_limits<T>::epsilon();

/// Those of row i.
template <class T>
AMGSOLVE_HOST_DEVICE EntryCounts counts_of_row(const CsrRef<T>& A, Index i) {
  EntryCounts row = no_entries;
  double diagonal = 0.0;
  double sum = 0.0;
  double magnitudes = 0.0;
  const Offset begin = A.row_offsets[i];
  const Offset end = A.row_offsets[i + 1];
  for (Offset k = begin; k < end; ++k) {
    const Index j = A.col_indices[k];
    const auto value = static_cast<double>(A.values[k]);
    const Index distance = i < j ? j - i : i - j;
    row.bandwidth = distance > row.bandwidth ? distance : row.bandwidth;
    sum += value;
    if (i == j) {
      diagonal = value;
      continue;
    }
    magnitudes += std::fabs(value);
    row.unmatched += find_entry(A, j, i) < 0 ? 1 : 0;
    row.positive_couplings += value > 0.0 ? 1 : 0;
    row.negative_couplings += value < 0.0 ? 1 : 0;
  }
  const double own = std::fabs(diagonal);
  const double rounding = 4.0 * static_cast<double>(end - begin) * epsilon<T> * (own + magnitudes);
  row.positive_diagonal = diagonal > 0.0 ? 1 : 0;
  row.negative_diagonal = diagonal < 0.0 ? 1 : 0;
  row.dominant = own >= magnitudes - rounding ? 1 : 0;
  row.zero_sums = std::fabs(sum) <= rounding ? 1 : 0;
  row.uncoupled = magnitudes == 0.0 ? 1 : 0;
  row.smallest = own > 0.0 ? own : row.smallest;
  row.largest = own;
  return row;
}

template <class T, MemorySpace S>
EntryCounts count_entries(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  const CsrRef<T> a = ref_of(A);
  return transform_reduce(
      ctx, A.rows, no_entries,
      [a] AMGSOLVE_HOST_DEVICE(std::int64_t i) { return counts_of_row(a, static_cast<Index>(i)); },
      [] AMGSOLVE_HOST_DEVICE(const EntryCounts& x, const EntryCounts& y) {
        return EntryCounts{x.bandwidth > y.bandwidth ? x.bandwidth : y.bandwidth,
                           x.unmatched + y.unmatched,
                           x.positive_diagonal + y.positive_diagonal,
                           x.negative_diagonal + y.negative_diagonal,
                           x.positive_couplings + y.positive_couplings,
                           x.negative_couplings + y.negative_couplings,
                           x.dominant + y.dominant,
                           x.zero_sums + y.zero_sums,
                           x.uncoupled + y.uncoupled,
                           x.smallest < y.smallest ? x.smallest : y.smallest,
                           x.largest > y.largest ? x.largest : y.largest};
      });
}

/// Entries that have a mirror, and those of which it has another size.
struct MirrorCounts {
  std::int64_t all;
  std::int64_t lopsided;
};

/// Those of row i.
template <class T>
AMGSOLVE_HOST_DEVICE MirrorCounts mirrors_of_row(const CsrRef<T>& A, Index i) {
  constexpr T much_larger = 1e4;
  MirrorCounts row{0, 0};
  for (Offset k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
    const Offset mirror = A.col_indices[k] == i ? -1 : find_entry(A, A.col_indices[k], i);
    const T own = std::fabs(A.values[k]);
    const T other = mirror < 0 ? T{0} : std::fabs(A.values[mirror]);
    if (own > T{0} && other > T{0}) {
      ++row.all;
      row.lopsided += own / much_larger > other || other / much_larger > own ? 1 : 0;
    }
  }
  return row;
}

}  // namespace detail

template <class T, MemorySpace S>
double lopsided_share(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  constexpr std::int64_t most_rows = 4096;
  const std::int64_t rows = A.rows;
  const std::int64_t samples = rows < most_rows ? rows : most_rows;
  const CsrRef<T> a = ref_of(A);
  const detail::MirrorCounts counts = transform_reduce(
      ctx, samples, detail::MirrorCounts{0, 0},
      [a, rows, samples] AMGSOLVE_HOST_DEVICE(std::int64_t k) {
        return detail::mirrors_of_row(a, static_cast<Index>(k * rows / samples));
      },
      [] AMGSOLVE_HOST_DEVICE(const detail::MirrorCounts& x, const detail::MirrorCounts& y) {
        return detail::MirrorCounts{x.all + y.all, x.lopsided + y.lopsided};
      });
  return counts.all > 0 ? static_cast<double>(counts.lopsided) / static_cast<double>(counts.all) : 0.0;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                 \
  template EntryCounts detail::count_entries(Context<S>&, const CsrMatrix<T, S>&); \
  template double lopsided_share(Context<S>&, const CsrMatrix<T, S>&);

}  // namespace amgsolve
