#include "core/reduce_host.hpp"
#include "spmv/statistics_rows.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)
template Index detail::find_decreasing_row(Context<Host>&, Span<const Offset, Host>);

}  // namespace amgsolve
