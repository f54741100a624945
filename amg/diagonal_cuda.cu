#include "amg/diagonal.hpp"
#include "core/instantiate.hpp"
#include "core/reduce_cuda.cuh"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {

template <class T>
Index find_non_positive_diagonal(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                                 Span<const std::type_identity_t<T>, Cuda> d) {
  const Offset* row_offsets = A.row_offsets.data();
  const T* values = A.values.data();
  const T* diagonal = d.data();
  // A thread a row: rows whose entries have to be read are rare.
  const std::int64_t row = find_first(ctx, A.rows, [=] __device__(std::int64_t i) {
    if (diagonal[i] > T{0}) {
      return false;
    }
    bool bad = diagonal[i] != T{0};
    for (Offset k = row_offsets[i]; !bad && k < row_offsets[i + 1]; ++k) {
      bad = values[k] != T{0};
    }
    return bad;
  });
  return row == A.rows ? -1 : static_cast<Index>(row);
}

template <class T>
void invert_diagonal(Context<Cuda>& ctx, Span<const T, Cuda> d, bool square_root, Span<T, Cuda> inverse) {
  const T* diagonal = d.data();
  T* result = inverse.data();
  parallel_for(ctx, static_cast<std::int64_t>(d.size()), [=] __device__(std::int64_t i) {
    const T x = diagonal[i];
    result[i] = x > T{0} ? T{1} / (square_root ? sqrt(x) : x) : T{0};
  });
}

template <class T>
void invert_l1_norms(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<std::type_identity_t<T>, Cuda> inverse) {
  const Offset* row_offsets = A.row_offsets.data();
  const T* values = A.values.data();
  T* result = inverse.data();
  parallel_rows(ctx, A.rows, [=] __device__(RowLanes lanes, std::int64_t i) {
    T sum = 0;
    for (Offset k = row_offsets[i] + lanes.thread_rank(); k < row_offsets[i + 1]; k += row_lanes) {
      sum += fabs(values[k]);
    }
    sum = cooperative_groups::reduce(lanes, sum, cooperative_groups::plus<T>());
    if (lanes.thread_rank() == 0) {
      result[i] = sum > T{0} ? T{1} / sum : T{0};
    }
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                  \
  template Index find_non_positive_diagonal(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>); \
  template void invert_diagonal(Context<S>&, Span<const T, S>, bool, Span<T, S>);                   \
  template void invert_l1_norms(Context<S>&, const CsrMatrix<T, S>&, Span<T, S>);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
