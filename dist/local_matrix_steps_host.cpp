#include "core/reduce_host.hpp"
#include "dist/local_matrix_rows.hpp"
#include "spmv/parallel_rows_host.hpp"

namespace amgsolve::detail {

AMGSOLVE_INSTANTIATE_STRIP_STEPS(Host)

}  // namespace amgsolve::detail
