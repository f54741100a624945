#pragma once

#include "amg/density_steps.hpp"
#include "core/atomic.hpp"
#include "core/copy.hpp"
#include "core/search.hpp"

/// The bodies of the steps of estimate_density() that are written once for both memory spaces: parallel_for is that of
/// the context.
namespace amgsolve {

template <MemorySpace S>
void mark_sample(Context<S>& ctx, const RowStrata& choice, Span<Index, S> stratum) {
  set_zero(ctx, stratum);
  Index* const of_column = stratum.data();
  parallel_for(ctx, choice.count, [choice, of_column] AMGSOLVE_HOST_DEVICE(std::int64_t k) {
    of_column[choice.row(k)] = static_cast<Index>(k) + 1;
  });
}

template <class T, MemorySpace S>
void list_sample(Context<S>& ctx, const CsrMatrix<T, S>& P, std::type_identity_t<Span<const Index, S>> stratum,
                 std::type_identity_t<Span<Index, S>> counts, std::type_identity_t<Span<const Offset, S>> offsets,
                 std::type_identity_t<Span<Index, S>> rows) {
  const CsrRef<T> p = ref_of(P);
  const Index* const of_column = stratum.data();
  Index* const count = counts.data();
  const Offset* const begin = offsets.data();
  Index* const listed = rows.data();
  // Entry by entry: rows are short, and few have a column of the sample.
  parallel_for(
      ctx, P.nnz(),
      [p, of_column, count, begin, listed] AMGSOLVE_HOST_DEVICE(std::int64_t k) {
        const Index mark = of_column[p.col_indices[k]];
        if (mark == 0) {
          return;
        }
        const Index place = atomic_count(&count[mark - 1]);
        if (begin != nullptr) {
          const std::int64_t behind = lower_bound(p.row_offsets, 0, std::int64_t{p.rows} + 1, Offset{k + 1});
          listed[begin[mark - 1] + place] = static_cast<Index>(behind - 1);
        }
      },
      1);
}

#define AMGSOLVE_INSTANTIATE_DENSITY_ROWS(S) template void mark_sample(Context<S>&, const RowStrata&, Span<Index, S>);

}  // namespace amgsolve
