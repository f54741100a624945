#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "core/host_device.hpp"
#include "spmv/alike_table.hpp"
#include "spmv/pattern_matrix.hpp"
#include "spmv/spmv_steps.hpp"

/// The body of store() by patterns, written once for both memory spaces but for the way in which slices that are alike
/// are found: parallel_for is that of the context.
namespace amgsolve {

/// Where more slices than these differ, each has values of its own: they would not stay in cache anyway.
inline constexpr std::size_t most_different_slices = 1 << 14;

namespace detail {

/// Slices by what seldom is the same for slices that differ.
struct KeysOfSlices {
  const std::uint64_t* keys;

  AMGSOLVE_HOST_DEVICE std::uint64_t key(Index slice) const { return keys[slice]; }
  AMGSOLVE_HOST_DEVICE bool are_alike(Index a, Index b) const { return keys[a] == keys[b]; }
};

template <MemorySpace S>
AlikeTable<KeysOfSlices> empty_table(Context<S>& ctx, WorkspaceScope<S>& scope, Span<const std::uint64_t, S> keys) {
  const auto slots = static_cast<Index>(std::bit_ceil(2 * std::min(keys.size(), most_different_slices)));
  return empty_table(ctx, KeysOfSlices{keys.data()}, slots, static_cast<Index>(most_different_slices),
                     scope.template take<Index>(AlikeTable<KeysOfSlices>::words(slots)));
}

/// firsts_s = the lowest slice that slice s equals, in patterns and values; s where too many differ. Whether any may
/// equal another one.
template <class T>
bool find_first_alike(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const RowPatterns<Host>& patterns,
                      Span<Index, Host> firsts);
template <class T>
bool find_first_alike(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const RowPatterns<Cuda>& patterns,
                      Span<Index, Cuda> firsts);

}  // namespace detail

template <class T, MemorySpace S>
PatternMatrix<T, S> store(Context<S>& ctx, const CsrMatrix<T, S>& A, RowPatterns<S>&& patterns) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto slices = static_cast<std::size_t>(slice_count(A.rows));
  const auto widths = scope.template take<Index>(slices);
  const auto first_alike = scope.template take<Index>(slices);
  detail::find_slice_widths(ctx, A.row_offsets.span(), widths);
  const bool may_share = detail::find_first_alike<T>(ctx, A, patterns, first_alike);
  const Index* const first_of = first_alike.data();
  Index* const width = widths.data();
  parallel_for(ctx, static_cast<std::int64_t>(slices),
               [first_of, width] AMGSOLVE_HOST_DEVICE(std::int64_t s) { width[s] = first_of[s] == s ? width[s] : 0; });
  PatternMatrix<T, S> B(ctx, A, widths, {});
  Offset* const begins = B.slice_offsets.data();
  parallel_for(ctx, static_cast<std::int64_t>(slices), [first_of, begins] AMGSOLVE_HOST_DEVICE(std::int64_t s) {
    if (first_of[s] != s) {
      begins[s] = begins[first_of[s]];
    }
  });
  const CsrRef<T> from = ref_of(A);
  T* const values = B.values.data();
  parallel_for(ctx, static_cast<std::int64_t>(slices) * slice_rows,
               [from, first_of, width, begins, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
                 const std::int64_t s = i / slice_rows;
                 if (first_of[s] == s) {
                   const RowEntries room{begins[s] * slice_rows + i % slice_rows, slice_rows, width[s]};
                   detail::store_row(from, i, room, nullptr, values);
                 }
               });
  B.may_share = may_share;
  B.patterns = std::move(patterns);
  return B;
}

}  // namespace amgsolve
