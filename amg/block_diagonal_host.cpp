#include "amg/block_diagonal_rows.hpp"
#include "core/reduce_host.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
