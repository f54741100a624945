#include "core/parallel_host.hpp"
#include "dist/fetch_rows_rows.hpp"

namespace amgsolve::detail {

AMGSOLVE_INSTANTIATE_FETCH_STEPS(Host)

}  // namespace amgsolve::detail
