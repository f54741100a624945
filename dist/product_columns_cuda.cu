#include "dist/product_columns_rows.hpp"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
