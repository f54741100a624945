#pragma once

#include "amg/fixed_unknowns.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "spmv/csr_ref.hpp"

/// The bodies of the steps of without_fixed_columns(), written once for both memory spaces: transform_reduce is that of
/// the context. A row is the work of one thread.
namespace amgsolve {

template <class T, MemorySpace S>
std::int64_t detail::mark_fixed_rows(Context<S>& ctx, const CsrMatrix<T, S>& A, Index first_own,
                                     Span<std::uint8_t, S> fixed) {
  const CsrRef<T> rows = ref_of(A);
  std::uint8_t* const flags = fixed.data();
  return transform_reduce(
      ctx, std::int64_t{A.rows}, std::int64_t{0},
      [rows, flags, first_own] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
        bool has_diagonal = false;
        bool has_others = false;
        for (Offset k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
          const bool is_diagonal = rows.col_indices[k] == first_own + i;
          has_diagonal = has_diagonal || (is_diagonal && rows.values[k] != T{0});
          has_others = has_others || (!is_diagonal && rows.values[k] != T{0});
        }
        flags[i] = has_diagonal && !has_others ? 1 : 0;
        return std::int64_t{flags[i]};
      },
      [] AMGSOLVE_HOST_DEVICE(std::int64_t a, std::int64_t b) { return a + b; });
}

template <class T, MemorySpace S>
std::int64_t detail::clear_fixed_columns(Context<S>& ctx, Span<const std::uint8_t, S> fixed, Index first_own,
                                         CsrMatrix<T, S>& A) {
  const CsrRef<T> rows = ref_of(A);
  T* const values = A.values.data();
  const std::uint8_t* const flags = fixed.data();
  return transform_reduce(
      ctx, std::int64_t{A.rows}, std::int64_t{0},
      [rows, values, flags, first_own] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
        std::int64_t cleared = 0;
        for (Offset k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
          const Index j = rows.col_indices[k];
          if (flags[j] != 0 && j != first_own + i && values[k] != T{0}) {
            values[k] = T{0};
            ++cleared;
          }
        }
        return cleared;
      },
      [] AMGSOLVE_HOST_DEVICE(std::int64_t a, std::int64_t b) { return a + b; });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                  \
  template std::int64_t detail::mark_fixed_rows(Context<S>&, const CsrMatrix<T, S>&, Index, Span<std::uint8_t, S>); \
  template std::int64_t detail::clear_fixed_columns(Context<S>&, Span<const std::uint8_t, S>, Index, CsrMatrix<T, S>&);

}  // namespace amgsolve
