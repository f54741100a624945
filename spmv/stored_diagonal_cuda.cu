#include "spmv/stored_diagonal.hpp"

#include "core/parallel_cuda.cuh"

namespace amgsolve::detail {

template <class Ref, class T>
void stored_diagonal(Context<Cuda>& ctx, const Ref& A, Span<T, Cuda> d) {
  T* const diagonal = d.data();
  parallel_for(ctx, A.rows, [A, diagonal] __device__(std::int64_t i) {
    T sum = 0;
    const RowEntries entries = A.row(i);
    for (Offset k = entries.first; k < entries.end; k += entries.stride) {
      sum += A.col_indices[k] == i ? A.values[k] : T{0};
    }
    diagonal[i] = sum;
  });
}

#define AMGSOLVE_INSTANTIATE(T, Ref) template void stored_diagonal(Context<Cuda>&, const Ref&, Span<T, Cuda>);
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, float)
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve::detail
