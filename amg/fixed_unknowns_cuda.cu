#include "core/reduce_cuda.cuh"

#include "amg/fixed_unknowns_rows.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
