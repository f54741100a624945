#include "amg/block_diagonal_rows.hpp"
#include "core/reduce_cuda.cuh"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
