#include "amg/nullspace_rows.hpp"
#include "core/reduce_cuda.cuh"

namespace amgsolve::detail {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)
template NullityCounts factor_components(Context<Cuda>&, MultiVectorView<double, Cuda>);
template void solve_components(Context<Cuda>&, MultiVectorView<const double, Cuda>, MultiVectorView<double, Cuda>);

}  // namespace amgsolve::detail
