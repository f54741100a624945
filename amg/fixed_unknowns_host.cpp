#include "amg/fixed_unknowns_rows.hpp"
#include "core/reduce_host.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
