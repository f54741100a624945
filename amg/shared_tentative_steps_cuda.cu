#include "amg/shared_tentative_rows.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve::detail {

AMGSOLVE_INSTANTIATE_SHARED_TENTATIVE(Cuda)

}  // namespace amgsolve::detail
