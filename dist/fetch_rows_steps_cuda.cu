#include "core/parallel_cuda.cuh"
#include "dist/fetch_rows_rows.hpp"

namespace amgsolve::detail {

AMGSOLVE_INSTANTIATE_FETCH_STEPS(Cuda)

}  // namespace amgsolve::detail
