#include "core/reduce_cuda.cuh"
#include "spmv/statistics_rows.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)
template Index detail::find_decreasing_row(Context<Cuda>&, Span<const Offset, Cuda>);

}  // namespace amgsolve
