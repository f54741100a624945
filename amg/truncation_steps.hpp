#pragma once

#include <cmath>
#include <type_traits>

#include "amg/block_truncation.hpp"
#include "core/context.hpp"
#include "core/host_device.hpp"
#include "spmv/csr_matrix.hpp"

/// The steps of truncate_prolongator(), and what they do with a row.
namespace amgsolve {

/// What truncation leaves of a row of P, whose entries p_ij count as their parts p_ij b_j of P B_c; by one thread,
/// since rows are short.
template <class T>
class TruncatedRow {
 public:
  TruncatedRow() = default;
  AMGSOLVE_HOST_DEVICE TruncatedRow(const Index* cols, const T* values, Offset length, const T* coarse_candidate,
                                    T drop_tolerance) {
    T largest = 0;
    for (Offset k = 0; k < length; ++k) {
      const T part = std::abs(values[k] * coarse_candidate[cols[k]]);
      largest = largest < part ? part : largest;
    }
    least_ = drop_tolerance * largest;
    T whole = 0;
    T kept = 0;
    for (Offset k = 0; k < length; ++k) {
      const T part = values[k] * coarse_candidate[cols[k]];
      whole += part;
      kept += keeps(part) ? part : T{0};
    }
    const bool is_scaled = can_scale(whole, kept, drop_tolerance);
    least_ = is_scaled ? least_ : T{0};
    factor_ = is_scaled ? whole / kept : T{1};
  }

  /// Whether |whole| ≤ most_scaling |kept|, with the same sign; whatever the size where the largest entry alone stays,
  /// which then has the value of a tentative prolongator.
  AMGSOLVE_HOST_DEVICE static bool can_scale(T whole, T kept, T drop_tolerance) {
    const T most = drop_tolerance < T{1} ? static_cast<T>(most_scaling) * kept : whole;
    return kept > T{0} ? whole > T{0} && whole <= most : whole < T{0} && whole >= most;
  }

  AMGSOLVE_HOST_DEVICE bool keeps(T part) const { return std::abs(part) >= least_; }
  AMGSOLVE_HOST_DEVICE T scaled(T value) const { return value * factor_; }

 private:
  T least_;
  T factor_;
};

/// The values of a row of which kept_cols stay, from those of the whole row.
template <class T>
AMGSOLVE_HOST_DEVICE void refill_truncated_row(const Index* cols, const T* values, Offset length,
                                               const T* coarse_candidate, T drop_tolerance, const Index* kept_cols,
                                               Offset kept_length, T* kept_values) {
  T whole = 0;
  T kept = 0;
  Offset next = 0;
  for (Offset k = 0; k < length; ++k) {
    const T part = values[k] * coarse_candidate[cols[k]];
    whole += part;
    if (next < kept_length && kept_cols[next] == cols[k]) {
      kept += part;
      kept_values[next++] = values[k];
    }
  }
  const T factor = TruncatedRow<T>::can_scale(whole, kept, drop_tolerance) ? whole / kept : T{1};
  for (Offset k = 0; k < next; ++k) {
    kept_values[k] *= factor;
  }
}

/// What stays of each row, and counts_i = its entries.
template <class T, MemorySpace S>
void count_truncated(Context<S>& ctx, const CsrMatrix<T, S>& P, Span<const T, S> coarse_candidate,
                     std::type_identity_t<T> drop_tolerance, Span<TruncatedRow<T>, S> rows, Span<Offset, S> counts);

/// Fills the columns and values of the result, whose row offsets are known.
template <class T, MemorySpace S>
void fill_truncated(Context<S>& ctx, const CsrMatrix<T, S>& P,
                    std::type_identity_t<Span<const TruncatedRow<T>, S>> rows,
                    std::type_identity_t<Span<const T, S>> coarse_candidate, CsrMatrix<T, S>& result);

/// Fills the values of the result, whose pattern stands.
template <class T, MemorySpace S>
void refill_truncated(Context<S>& ctx, const CsrMatrix<T, S>& P, Span<const T, S> coarse_candidate,
                      std::type_identity_t<T> drop_tolerance, CsrMatrix<T, S>& result);

/// BlockTruncation::survey() of all nodes; counts_i = the entries that stay in row i.
template <class T, MemorySpace S>
void count_truncated_blocks(Context<S>& ctx, const BlockTruncation<T>& nodes, Span<Offset, S> counts);

/// BlockTruncation::fill() of all nodes, for a result whose row offsets are known.
template <class T, MemorySpace S>
void fill_truncated_blocks(Context<S>& ctx, const BlockTruncation<T>& nodes, CsrMatrix<T, S>& result);

/// BlockTruncation::refill() of all nodes, for a result whose pattern stands.
template <class T, MemorySpace S>
void refill_truncated_blocks(Context<S>& ctx, const BlockTruncation<T>& nodes, CsrMatrix<T, S>& result);

}  // namespace amgsolve
