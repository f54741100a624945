#include "amg/nullspace_rows.hpp"
#include "core/reduce_host.hpp"

namespace amgsolve::detail {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)
template NullityCounts factor_components(Context<Host>&, MultiVectorView<double, Host>);
template void solve_components(Context<Host>&, MultiVectorView<const double, Host>, MultiVectorView<double, Host>);

}  // namespace amgsolve::detail
