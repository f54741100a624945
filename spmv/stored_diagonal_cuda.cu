#include "core/parallel_cuda.cuh"
#include "spmv/stored_diagonal_rows.hpp"

namespace amgsolve::detail {

#define AMGSOLVE_INSTANTIATE(T, Ref) template void stored_diagonal(Context<Cuda>&, const Ref&, Index, Span<T, Cuda>);
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, float)
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve::detail
