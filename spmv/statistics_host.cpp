#include "core/reduce_host.hpp"
#include "spmv/statistics_rows.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
