#include "amg/truncation_steps.hpp"
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

#define AMGSOLVE_INSTANTIATE(T)                                                                    \
  template void count_truncated(Context<Cuda>&, const CsrMatrix<T, Cuda>&, Span<const T, Cuda>, T, \
                                Span<Offset, Cuda>);                                               \
  template void fill_truncated(Context<Cuda>&, const CsrMatrix<T, Cuda>&, Span<const T, Cuda>, T, CsrMatrix<T, Cuda>&);
AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
