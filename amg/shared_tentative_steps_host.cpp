#include "amg/shared_tentative_rows.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve::detail {

AMGSOLVE_INSTANTIATE_SHARED_TENTATIVE(Host)

}  // namespace amgsolve::detail
