#include "core/parallel_host.hpp"
#include "problems/right_hand_side_evaluation.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
