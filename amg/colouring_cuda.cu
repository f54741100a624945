#include "amg/colouring_rows.hpp"
#include "core/reduce_cuda.cuh"

namespace amgsolve::detail {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)
AMGSOLVE_INSTANTIATE_SORTING(Cuda)

}  // namespace amgsolve::detail
