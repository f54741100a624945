#pragma once

#include <cmath>
#include <limits>

#include "core/host_device.hpp"
#include "core/types.hpp"

namespace amgsolve {

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

  /// Calls visit(entries of a row) for the rows of all unknowns of the aggregate.
  template <class Visit>
  AMGSOLVE_HOST_DEVICE void for_each_row(std::int64_t aggregate, Visit&& visit) const {
    for (Offset m = offsets[aggregate]; m < offsets[aggregate + 1]; ++m) {
      T* row = basis + nodes[m] * block_size * k;
      for (Index c = 0; c < block_size; ++c, row += k) {
        visit(row);
      }
    }
  }

  AMGSOLVE_HOST_DEVICE T dot(std::int64_t aggregate, std::int64_t p, std::int64_t q) const {
    T sum = 0;
    for_each_row(aggregate, [&](const T* row) { sum += row[p] * row[q]; });
    return sum;
  }

  /// Modified Gram–Schmidt, applied twice, on the columns of an aggregate; R is k × k.
  AMGSOLVE_HOST_DEVICE void orthonormalise(std::int64_t aggregate, T dependent, T* R) const {
    for (std::int64_t q = 0; q < k; ++q) {
      for (std::int64_t p = 0; p < k; ++p) {
        R[p * k + q] = 0;
      }
      const T norm_before = std::sqrt(dot(aggregate, q, q));
      for (int pass = 0; pass < 2; ++pass) {
        for (std::int64_t p = 0; p < q; ++p) {
          const T projection = dot(aggregate, p, q);
          R[p * k + q] += projection;
          for_each_row(aggregate, [&](T* row) { row[q] -= projection * row[p]; });
        }
      }
      const T norm = std::sqrt(dot(aggregate, q, q));
      const bool independent = norm > dependent * norm_before;
      R[q * k + q] = independent ? norm : T{0};
      const T scale = independent ? T{1} / norm : T{0};
      for_each_row(aggregate, [&](T* row) { row[q] *= scale; });
    }
  }
};

/// A candidate of which no more than this part of its norm is left depends on those before it.
template <class T>
inline T dependent_part() {
  return std::sqrt(std::numeric_limits<T>::epsilon());
}

}  // namespace amgsolve
