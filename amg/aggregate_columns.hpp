#pragma once

#include <cmath>
#include <limits>

#include "core/host_device.hpp"
#include "core/types.hpp"
#include "spmv/node_of.hpp"

namespace amgsolve {

/// Lanes that share an aggregate of k candidates. Where there are several, columns are long and read many times.
AMGSOLVE_HOST_DEVICE constexpr int aggregate_lanes(std::int64_t k) { return k > 1 ? 32 : 1; }

/// One thread that adds up as `Lanes` of them do: lane l the rows r = l mod Lanes in ascending order, and their sums as
/// a balanced tree.
template <int Lanes>
struct InOneThread {
  AMGSOLVE_HOST_DEVICE static bool is_first() { return true; }

  template <class Visit>
  AMGSOLVE_HOST_DEVICE static void for_each(std::int64_t rows, const Visit& visit) {
    for (std::int64_t r = 0; r < rows; ++r) {
      visit(r);
    }
  }

  template <class T, class Term>
  AMGSOLVE_HOST_DEVICE static T sum(std::int64_t rows, const Term& term) {
    T sums[static_cast<std::size_t>(Lanes)] = {};
    for (std::int64_t first = 0; first < rows; first += Lanes) {
      for (int lane = 0; lane < Lanes && first + lane < rows; ++lane) {
        sums[lane] += term(first + lane);
      }
    }
    for (int half = Lanes / 2; half > 0; half /= 2) {
      for (int lane = 0; lane < half; ++lane) {
        sums[lane] += sums[lane + half];
      }
    }
    return sums[0];
  }
};

/// The candidates of all aggregates, orthonormalised in place one aggregate at a time: host and device call the same
/// function. The rows of an aggregate lie near each other but not side by side: every pass after the first finds them
/// in the cache.
template <class T>
struct AggregateColumns {
  const Offset* offsets;  ///< those of AggregateNodes, as `nodes`
  const Index* nodes;
  Index block_size;
  std::int64_t k;
  T* basis;  ///< rows × k

  /// Modified Gram–Schmidt, applied twice, on columns [first, last) of an aggregate, those before them being through; R
  /// is k × k. Lanes keep to their rows.
  template <class Lanes>
  AMGSOLVE_LANES void orthonormalise(const Lanes& lanes, std::int64_t aggregate, std::int64_t first, std::int64_t last,
                                     T dependent, T* R) const {
    const std::int64_t rows = (offsets[aggregate + 1] - offsets[aggregate]) * block_size;
    const auto row = [&](std::int64_t r) {
      const std::int64_t node = node_of(r, std::int64_t{block_size});
      return basis + (nodes[offsets[aggregate] + node] * block_size + (r - node * block_size)) * k;
    };
    const auto dot = [&](std::int64_t p, std::int64_t q) {
      return lanes.template sum<T>(rows, [&](std::int64_t r) { return row(r)[p] * row(r)[q]; });
    };
    for (std::int64_t q = first; q < last; ++q) {
      const T norm_before = std::sqrt(dot(q, q));
      if (lanes.is_first()) {
        for (std::int64_t p = 0; p < k; ++p) {
          R[p * k + q] = 0;
        }
      }
      for (int pass = 0; pass < 2; ++pass) {
        for (std::int64_t p = 0; p < q; ++p) {
          const T projection = dot(p, q);
          if (lanes.is_first()) {
            R[p * k + q] += projection;
          }
          lanes.for_each(rows, [&](std::int64_t r) { row(r)[q] -= projection * row(r)[p]; });
        }
      }
      const T norm = std::sqrt(dot(q, q));
      const bool independent = norm > dependent * norm_before;
      const T scale = independent ? T{1} / norm : T{0};
      lanes.for_each(rows, [&](std::int64_t r) { row(r)[q] *= scale; });
      if (lanes.is_first()) {
        R[q * k + q] = independent ? norm : T{0};
      }
    }
  }
};

/// A candidate of which no more than this part of its norm is left depends on those before it.
template <class T>
inline T dependent_part() {
  return std::sqrt(std::numeric_limits<T>::epsilon());
}

}  // namespace amgsolve
