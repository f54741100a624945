#include "spmv/sort_by_column_host.hpp"
#include "spmv/transpose_rows.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
