#include "core/reduce_cuda.cuh"
#include "spmv/row_lanes_cuda.cuh"

#include "dist/local_matrix_rows.hpp"

namespace amgsolve::detail {

AMGSOLVE_INSTANTIATE_STRIP_STEPS(Cuda)

}  // namespace amgsolve::detail
