#include "amg/raised_diagonal_rows.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
