#pragma once

#include "amg/density_steps.hpp"
#include "core/copy.hpp"
#include "core/list_found.hpp"
#include "core/search.hpp"

/// The bodies of the steps of estimate_density() that are written once for both memory spaces: parallel_for is that of
/// the context.
namespace amgsolve {

template <MemorySpace S>
void mark_sample(Context<S>& ctx, const RowStrata& choice, Span<std::uint8_t, S> is_chosen) {
  set_zero(ctx, is_chosen);
  std::uint8_t* const flag = is_chosen.data();
  parallel_for(ctx, choice.count,
               [choice, flag] AMGSOLVE_HOST_DEVICE(std::int64_t k) { flag[choice.row(k)] = std::uint8_t{1}; });
}

struct EntryOfSample {
  RowStrata choice;
  const std::uint8_t* is_chosen;
  std::int64_t nnz;

  AMGSOLVE_HOST_DEVICE std::int64_t operator()(Index column, std::int64_t k) const {
    return is_chosen[column] != 0 ? choice.stratum(column) * nnz + k : -1;
  }
};

template <class T, MemorySpace S>
Buffer<std::uint64_t, S> list_sample(Context<S>& ctx, const CsrMatrix<T, S>& P, const RowStrata& choice,
                                     Span<const std::uint8_t, S> is_chosen) {
  return detail::list_found<Index>(ctx, P.col_indices.span(), EntryOfSample{choice, is_chosen.data(), P.nnz()});
}

template <class T, MemorySpace S>
void fill_sample(Context<S>& ctx, const CsrMatrix<T, S>& P, Span<const std::uint64_t, S> found,
                 Span<Offset, S> row_offsets, Span<Index, S> rows) {
  const Offset nnz = P.nnz();
  const auto count = static_cast<std::int64_t>(found.size());
  const std::uint64_t* const keys = found.data();
  Offset* const begin = row_offsets.data();
  parallel_for(ctx, static_cast<std::int64_t>(row_offsets.size()),
               [keys, count, nnz, begin] AMGSOLVE_HOST_DEVICE(std::int64_t stratum) {
                 begin[stratum] = lower_bound(keys, 0, count, static_cast<std::uint64_t>(stratum * nnz));
               });
  const Offset* const offsets = P.row_offsets.data();
  const std::int64_t rows_of_P = P.rows;
  const double mean_rows = static_cast<double>(rows_of_P) / static_cast<double>(nnz);  // an entry
  Index* const row = rows.data();
  parallel_for(ctx, count, [keys, nnz, offsets, rows_of_P, mean_rows, row] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const auto k = static_cast<Offset>(keys[i]) % nnz;
    const auto near = static_cast<std::int64_t>(mean_rows * static_cast<double>(k));
    row[i] = static_cast<Index>(lower_bound_near(offsets, 0, rows_of_P + 1, k + 1, near) - 1);
  });
}

#define AMGSOLVE_INSTANTIATE_DENSITY_ROWS(S) \
  template void mark_sample(Context<S>&, const RowStrata&, Span<std::uint8_t, S>);

}  // namespace amgsolve
