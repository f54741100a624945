#include "amg/raised_diagonal_rows.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
