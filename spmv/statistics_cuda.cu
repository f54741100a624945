#include "core/reduce_cuda.cuh"
#include "spmv/statistics_rows.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
