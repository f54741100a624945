#include "core/parallel_cuda.cuh"
#include "problems/coordinates_rows.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
