#include "amg/colouring_rows.hpp"
#include "core/reduce_host.hpp"

namespace amgsolve::detail {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)
AMGSOLVE_INSTANTIATE_SORTING(Host)

}  // namespace amgsolve::detail
