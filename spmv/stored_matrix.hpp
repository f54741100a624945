#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "spmv/pattern_matrix.hpp"
#include "spmv/spmv_steps.hpp"
#include "spmv/storage_tuning.hpp"

/// From CSR into any storage and back, for those that Operator knows and for those that a test tries.
namespace amgsolve {

/// Of some rows of A.
template <class T, MemorySpace S>
Span<const Offset, S> row_offsets_of(const CsrMatrix<T, S>& A, const OwnRows& rows) {
  const std::size_t offsets = rows.count == A.rows ? A.row_offsets.size() : static_cast<std::size_t>(rows.count) + 1;
  return A.row_offsets.span().subspan(static_cast<std::size_t>(rows.first), offsets);
}

/// widths_s = the length of the longest row in slice s of some rows of A. Taken from the workspace.
template <class T, MemorySpace S>
Span<Index, S> slice_widths(Context<S>& ctx, WorkspaceScope<S>& scope, const CsrMatrix<T, S>& A, const OwnRows& rows) {
  const auto widths = scope.template take<Index>(static_cast<std::size_t>(slice_count(rows.count)));
  detail::find_slice_widths(ctx, row_offsets_of(A, rows), widths);
  return widths;
}
template <class T, MemorySpace S>
Span<Index, S> slice_widths(Context<S>& ctx, WorkspaceScope<S>& scope, const CsrMatrix<T, S>& A) {
  return slice_widths(ctx, scope, A, all_own(A));
}

/// How rows lie in the slices of a SellMatrix.
template <MemorySpace S>
struct RowsInSlices {
  Span<Index, S> widths;           ///< the longest row of each slice
  Buffer<std::uint8_t, S> places;  ///< see there
};

/// Those of some rows of A: on the host in the order of their lengths where that spares padding. Widths are taken from
/// the workspace. Synchronises.
template <class T, MemorySpace S>
RowsInSlices<S> rows_in_slices(Context<S>& ctx, WorkspaceScope<S>& scope, const CsrMatrix<T, S>& A,
                               const OwnRows& rows) {
  const Span<Index, S> widths = slice_widths(ctx, scope, A, rows);
  if constexpr (std::same_as<S, Host>) {
    if (static_cast<double>(rows.nnz) >= tuning::least_sorted_row * static_cast<double>(rows.count)) {
      const auto sorted = scope.template take<Index>(widths.size());
      Buffer<std::uint8_t, Host> places(ctx, static_cast<std::size_t>(rows.count));
      detail::sort_windows(ctx, row_offsets_of(A, rows), places.span(), sorted);
      if (static_cast<double>(sum_and_max(ctx, sorted).sum) <
          (1.0 - tuning::least_saving_of_windows) * static_cast<double>(sum_and_max(ctx, widths).sum)) {
        return {sorted, std::move(places)};
      }
    }
  }
  return {widths, {}};
}

/// The values of A in place of those of B, of the same pattern. Asynchronous.
template <class T, MemorySpace S, class Stored>
void replace_values(Context<S>& ctx, const CsrMatrix<T, S>& A, Stored& B) {
  detail::store_entries(ctx, ref_of(A), ref_of(B), Span<Index, S>(), B.values.span());
}

/// Slices that were alike need not be any more. Synchronises where they were.
template <class T, MemorySpace S>
void replace_values(Context<S>& ctx, const CsrMatrix<T, S>& A, PatternMatrix<T, S>& B) {
  if (B.may_share) {
    B = store(ctx, A, std::move(B.patterns));
  } else {
    detail::store_entries(ctx, ref_of(A), ref_of(B), Span<Index, S>(), B.values.span());
  }
}

/// A in a storage, the same rows in the same order; A itself where that is CSR, else A stays. Synchronises.
template <class Stored, class T, MemorySpace S>
Stored store(Context<S>& ctx, CsrMatrix<T, S>&& A) {
  if constexpr (std::same_as<Stored, CsrMatrix<T, S>>) {
    return std::move(A);
  } else {
    WorkspaceScope<S> scope(ctx.workspace());
    Stored B = [&] {
      if constexpr (std::same_as<Stored, SellMatrix<T, S>>) {
        RowsInSlices<S> rows = rows_in_slices(ctx, scope, A, all_own(A));
        return Stored(ctx, A, rows.widths, std::move(rows.places));
      } else {
        return Stored(ctx, A, slice_widths(ctx, scope, A));
      }
    }();
    detail::store_entries(ctx, ref_of(A), ref_of(B), B.col_indices.span(), B.values.span());
    return B;
  }
}

/// What store() was given. O(entries with padding).
template <class T, class Stored>
CsrMatrix<T, Host> to_csr(Context<Host>& ctx, const Stored& A) {
  return detail::collect_entries<T>(ctx, ref_of(A), A.cols, A.nnz());
}

template <class T>
CsrMatrix<T, Host> to_csr(Context<Host>&, CsrMatrix<T, Host>&& A) {
  return std::move(A);
}

}  // namespace amgsolve
