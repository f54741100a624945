#include "core/parallel_cuda.cuh"
#include "problems/right_hand_side_evaluation.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
