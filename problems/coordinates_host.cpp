#include "core/parallel_host.hpp"
#include "problems/coordinates_rows.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
