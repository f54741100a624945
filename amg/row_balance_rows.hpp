#pragma once

#include "amg/row_balance.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "spmv/conversions.hpp"
#include "spmv/csr_ref.hpp"

/// The bodies of row_balance.hpp, written once for both memory spaces: transform_reduce and parallel_for are those of
/// the context. A row is the work of one thread.
namespace amgsolve {
namespace detail {

/// Of Jacobi steps.
inline constexpr double balance_damping = 0.8;
/// By what a step may change a scale at most.
inline constexpr double most_balance_change = 4.0;
/// Of what a row can add to the imbalance, which is summed in whole numbers, in any order to the same.
inline constexpr double balance_units = 0x1p20;

template <class T>
struct BalanceRow {
  CsrRef<T> At;
  const T* Aw;
  const T* w;
  const T* y;
  Index first_own;
  T* next;

  AMGSOLVE_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    const auto own = static_cast<Index>(first_own + i);
    const auto before = static_cast<double>(y[own]);
    const auto weight = static_cast<double>(w[own]);
    if (weight == 0.0) {
      next[i] = T{1};
      return 0;
    }
    double column_sum = 0.0;
    double magnitude = 0.0;
    double diagonal = 0.0;
    for (Offset k = At.row_offsets[i]; k < At.row_offsets[i + 1]; ++k) {
      const Index j = At.col_indices[k];
      const auto value = static_cast<double>(At.values[k]);
      const double product = value * static_cast<double>(y[j]) * static_cast<double>(w[j]) / weight;
      column_sum += product;
      magnitude += product < 0.0 ? -product : product;
      diagonal += j == own ? value : 0.0;
    }
    const double row_sum = static_cast<double>(Aw[i]) / weight;
    const double imbalance = column_sum - row_sum * before;
    const double pivot = diagonal - row_sum;
    const double after = pivot > 0.0 ? before - balance_damping * imbalance / pivot : before;
    const double least = before / most_balance_change;
    const double most = before * most_balance_change;
    next[i] = static_cast<T>(after > least ? (after < most ? after : most) : least);
    const double size = imbalance < 0.0 ? -imbalance : imbalance;
    return static_cast<std::int64_t>(balance_units * (size < magnitude ? size / magnitude : size > 0.0 ? 1.0 : 0.0));
  }
};

template <class T, MemorySpace S>
std::int64_t balance_rows(Context<S>& ctx, const CsrMatrix<T, S>& At, Span<const T, S> Aw, Span<const T, S> w,
                          Span<const T, S> y, Index first_own, Span<T, S> next) {
  const BalanceRow<T> row{ref_of(At), Aw.data(), w.data(), y.data(), first_own, next.data()};
  ctx.profile().add({.bytes = static_cast<std::int64_t>(At.bytes()), .flops = 4 * At.nnz()});
  return transform_reduce(ctx, std::int64_t{At.rows}, std::int64_t{0}, row,
                          [] AMGSOLVE_HOST_DEVICE(std::int64_t a, std::int64_t b) { return a + b; });
}

}  // namespace detail

template <class T, MemorySpace S>
void scale_columns_of(Context<S>& ctx, std::type_identity_t<Span<const T, S>> x, CsrMatrix<T, S>& A) {
  const Index* const cols = std::as_const(A).col_indices.data();
  const T* const scales = x.data();
  T* const values = A.values.data();
  parallel_for(ctx, A.nnz(),
               [cols, scales, values] AMGSOLVE_HOST_DEVICE(std::int64_t k) { values[k] *= scales[cols[k]]; });
  ctx.profile().add({.bytes = static_cast<std::int64_t>(A.bytes()), .flops = A.nnz()});
}

template <class T, MemorySpace S>
CsrMatrix<T, S> scaled_rows(Context<S>& ctx, std::type_identity_t<Span<const T, S>> y, const CsrMatrix<T, S>& A) {
  CsrMatrix<T, S> result = borrow_pattern(ctx, A);
  const CsrRef<T> rows = ref_of(A);
  const T* const scales = y.data();
  T* const values = result.values.data();
  parallel_for(ctx, A.rows, [rows, scales, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    for (Offset k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
      values[k] = scales[i] * rows.values[k];
    }
  });
  ctx.profile().add({.bytes = static_cast<std::int64_t>(A.bytes()), .flops = A.nnz()});
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                    \
  template std::int64_t detail::balance_rows(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, Span<const T, S>, \
                                             Span<const T, S>, Index, Span<T, S>);                                    \
  template void scale_columns_of<T>(Context<S>&, Span<const T, S>, CsrMatrix<T, S>&);                                 \
  template CsrMatrix<T, S> scaled_rows<T>(Context<S>&, Span<const T, S>, const CsrMatrix<T, S>&);

}  // namespace amgsolve
