#include "amg/nullspace_rows.hpp"
#include "core/reduce_host.hpp"

namespace amgsolve::detail {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)
template NullityCounts factor_components(Context<Host>&, MultiVectorView<double, Host>);

}  // namespace amgsolve::detail
