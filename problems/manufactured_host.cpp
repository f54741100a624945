#include "core/parallel_host.hpp"
#include "problems/manufactured_evaluation.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
