#pragma once

#include "amg/truncation_steps.hpp"
#include "core/instantiate.hpp"
#include "spmv/csr_ref.hpp"

/// The bodies of the steps of truncate_prolongator(), written once for both memory spaces: parallel_for is that of the
/// context. A row is the work of one thread.
namespace amgsolve {
namespace detail {

template <class T>
AMGSOLVE_HOST_DEVICE TruncatedRow<T> truncated_row(const CsrRef<T>& P, std::int64_t i, const T* coarse_candidate,
                                                   T drop_tolerance) {
  const Offset begin = P.row_offsets[i];
  return {P.col_indices + begin, P.values + begin, P.row_offsets[i + 1] - begin, coarse_candidate, drop_tolerance};
}

}  // namespace detail

template <class T, MemorySpace S>
void count_truncated(Context<S>& ctx, const CsrMatrix<T, S>& P, Span<const T, S> coarse_candidate,
                     std::type_identity_t<T> drop_tolerance, Span<Offset, S> counts) {
  const CsrRef<T> p = ref_of(P);
  const T* const candidate = coarse_candidate.data();
  Offset* const entries = counts.data();
  parallel_for(ctx, P.rows, [p, candidate, drop_tolerance, entries] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const TruncatedRow<T> truncated = detail::truncated_row(p, i, candidate, drop_tolerance);
    Offset count = 0;
    for (Offset k = p.row_offsets[i]; k < p.row_offsets[i + 1]; ++k) {
      count += truncated.keeps(p.values[k]) ? 1 : 0;
    }
    entries[i] = count;
  });
}

template <class T, MemorySpace S>
void fill_truncated(Context<S>& ctx, const CsrMatrix<T, S>& P, Span<const T, S> coarse_candidate,
                    std::type_identity_t<T> drop_tolerance, CsrMatrix<T, S>& result) {
  const CsrRef<T> p = ref_of(P);
  const T* const candidate = coarse_candidate.data();
  const Offset* const offsets = result.row_offsets.data();
  Index* const cols = result.col_indices.data();
  T* const values = result.values.data();
  parallel_for(ctx, P.rows, [p, candidate, drop_tolerance, offsets, cols, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const TruncatedRow<T> truncated = detail::truncated_row(p, i, candidate, drop_tolerance);
    Offset next = offsets[i];
    for (Offset k = p.row_offsets[i]; k < p.row_offsets[i + 1]; ++k) {
      if (truncated.keeps(p.values[k])) {
        cols[next] = p.col_indices[k];
        values[next++] = truncated.scaled(p.values[k]);
      }
    }
  });
}

template <class T, MemorySpace S>
void refill_truncated(Context<S>& ctx, const CsrMatrix<T, S>& P, Span<const T, S> coarse_candidate,
                      std::type_identity_t<T> drop_tolerance, CsrMatrix<T, S>& result) {
  const CsrRef<T> p = ref_of(P);
  const T* const candidate = coarse_candidate.data();
  const CsrRef<T> kept = ref_of(result);
  T* const values = result.values.data();
  parallel_for(ctx, P.rows, [p, candidate, drop_tolerance, kept, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const Offset begin = p.row_offsets[i];
    const Offset first = kept.row_offsets[i];
    refill_truncated_row(p.col_indices + begin, p.values + begin, p.row_offsets[i + 1] - begin, candidate,
                         drop_tolerance, kept.col_indices + first, kept.row_offsets[i + 1] - first, values + first);
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                          \
  template void count_truncated(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, T, Span<Offset, S>); \
  template void fill_truncated(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, T, CsrMatrix<T, S>&); \
  template void refill_truncated(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, T, CsrMatrix<T, S>&);

}  // namespace amgsolve
