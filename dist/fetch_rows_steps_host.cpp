#include "dist/fetch_rows_rows.hpp"
#include "spmv/parallel_rows_host.hpp"

namespace amgsolve::detail {

AMGSOLVE_INSTANTIATE_FETCH_STEPS(Host)

}  // namespace amgsolve::detail
