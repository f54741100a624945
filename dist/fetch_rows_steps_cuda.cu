#include "dist/fetch_rows_rows.hpp"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve::detail {

AMGSOLVE_INSTANTIATE_FETCH_STEPS(Cuda)

}  // namespace amgsolve::detail
