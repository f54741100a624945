#include "dist/product_columns_rows.hpp"
#include "spmv/parallel_rows_host.hpp"

namespace amgsolve {

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
