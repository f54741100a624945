#include "amg/truncation_steps.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve {

template <class T>
void count_truncated(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& P, Span<const T, Cuda> coarse_candidate,
                     T drop_tolerance, Span<Offset, Cuda> counts) {
  const Offset* row_offsets = P.row_offsets.data();
  const Index* cols = P.col_indices.data();
  const T* values = P.values.data();
  const T* candidate = coarse_candidate.data();
  Offset* entries = counts.data();
  parallel_for(ctx, P.rows, [=] __device__(std::int64_t i) {
    const Offset begin = row_offsets[i];
    const Offset end = row_offsets[i + 1];
    const TruncatedRow<T> truncated(cols + begin, values + begin, end - begin, candidate, drop_tolerance);
    Offset count = 0;
    for (Offset k = begin; k < end; ++k) {
      count += truncated.keeps(values[k]) ? 1 : 0;
    }
    entries[i] = count;
  });
}

template <class T>
void fill_truncated(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& P, Span<const T, Cuda> coarse_candidate,
                    T drop_tolerance, CsrMatrix<T, Cuda>& result) {
  const Offset* row_offsets = P.row_offsets.data();
  const Index* cols = P.col_indices.data();
  const T* values = P.values.data();
  const T* candidate = coarse_candidate.data();
  const Offset* kept_offsets = result.row_offsets.data();
  Index* kept_cols = result.col_indices.data();
  T* kept_values = result.values.data();
  parallel_for(ctx, P.rows, [=] __device__(std::int64_t i) {
    const Offset begin = row_offsets[i];
    const Offset end = row_offsets[i + 1];
    const TruncatedRow<T> truncated(cols + begin, values + begin, end - begin, candidate, drop_tolerance);
    Offset next = kept_offsets[i];
    for (Offset k = begin; k < end; ++k) {
      if (truncated.keeps(values[k])) {
        kept_cols[next] = cols[k];
        kept_values[next++] = truncated.scaled(values[k]);
      }
    }
  });
}

template <class T>
void refill_truncated(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& P, Span<const T, Cuda> coarse_candidate,
                      CsrMatrix<T, Cuda>& result) {
  const Offset* row_offsets = P.row_offsets.data();
  const Index* cols = P.col_indices.data();
  const T* values = P.values.data();
  const T* candidate = coarse_candidate.data();
  const Offset* kept_offsets = result.row_offsets.data();
  const Index* kept_cols = result.col_indices.data();
  T* kept_values = result.values.data();
  parallel_for(ctx, P.rows, [=] __device__(std::int64_t i) {
    const Offset begin = row_offsets[i];
    const Offset kept = kept_offsets[i];
    refill_truncated_row(cols + begin, values + begin, row_offsets[i + 1] - begin, candidate, kept_cols + kept,
                         kept_offsets[i + 1] - kept, kept_values + kept);
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                          \
  template void count_truncated(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, T, Span<Offset, S>); \
  template void fill_truncated(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, T, CsrMatrix<T, S>&); \
  template void refill_truncated(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
