#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/copy.hpp"
#include "core/hash.hpp"
#include "core/instantiate.hpp"
#include "spmv/alike_slices.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/row_sample.hpp"
#include "spmv/sell_matrix.hpp"

/// The body of has_alike_slices(), written once for both memory spaces: parallel_for is that of the context.
namespace amgsolve {
namespace detail {

/// The same for rows of the same values at the same place in a slice, seldom for others.
template <class T>
AMGSOLVE_HOST_DEVICE std::uint64_t key_of_row(const RowEntries& row, const T* values, std::int64_t place) {
  std::uint64_t key = hash64(static_cast<std::uint64_t>(place)) + static_cast<std::uint64_t>(row.count);
  for (Index e = 0; e < row.count; ++e) {
    const auto value = static_cast<double>(values[row.place(e)]);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    key = hash64(key + bits);
  }
  return key;
}

/// keys_s = Σ of the keys of those rows of slice s of the sample that A has, without so many bits of them that the sum
/// over all rows is one of 63 bits.
template <class T, MemorySpace S>
void sum_keys_of_slices(Context<S>& ctx, const CsrMatrix<T, S>& A, std::int64_t first_row, const RowStrata& slices,
                        Span<std::int64_t, S> keys) {
  constexpr int spare_bits = 6;
  static_assert(slice_rows <= 1 << (spare_bits - 1));
  const auto count = static_cast<std::int64_t>(keys.size());
  WorkspaceScope<S> scope(ctx.workspace());
  std::int64_t* const of_rows = scope.template take<std::int64_t>(keys.size() * std::size_t{slice_rows}).data();
  std::int64_t* const of_slices = keys.data();
  const CsrRef<T> a = ref_of(A);
  parallel_for(ctx, count * slice_rows, [=] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const std::int64_t place = i % slice_rows;
    const std::int64_t row = slices.row(i / slice_rows) * slice_rows + place - first_row;
    const bool is_own = row >= 0 && row < a.rows;
    of_rows[i] = is_own ? static_cast<std::int64_t>(key_of_row(a.room(row), a.values, place) >> spare_bits) : 0;
  });
  parallel_for(ctx, count, [=] AMGSOLVE_HOST_DEVICE(std::int64_t s) {
    std::int64_t sum = 0;
    for (Index place = 0; place < slice_rows; ++place) {
      sum += of_rows[s * slice_rows + place];
    }
    of_slices[s] = sum;
  });
}

}  // namespace detail

template <class T, MemorySpace S>
bool has_alike_slices(Context<S>& ctx, const CsrMatrix<T, S>& A, std::int64_t first_row, std::int64_t rows) {
  constexpr std::int64_t most = 256;
  const std::int64_t all = rows / slice_rows;
  const RowStrata slices{all, static_cast<Index>(std::min(all, most))};
  WorkspaceScope<S> scope(ctx.workspace());
  const auto own = scope.template take<std::int64_t>(static_cast<std::size_t>(slices.count));
  detail::sum_keys_of_slices(ctx, A, first_row, slices, own);
  std::vector<std::int64_t> keys(own.size());
  download(ctx, own, {keys.data(), keys.size()});
  ctx.communicator().sum_ranks({keys.data(), keys.size()});
  std::ranges::sort(keys);
  const auto different = std::unique(keys.begin(), keys.end()) - keys.begin();
  return 2 * different <= slices.count;
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template bool has_alike_slices(Context<S>&, const CsrMatrix<T, S>&, std::int64_t, std::int64_t);

}  // namespace amgsolve
