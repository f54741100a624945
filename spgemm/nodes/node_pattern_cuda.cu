#include "core/reduce_cuda.cuh"
#include "spgemm/nodes/node_pattern_rows.hpp"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {

template <class Body>
static void for_rows(Context<Cuda>& ctx, std::int64_t rows, Offset /*entries*/, const Body& body) {
  parallel_rows(ctx, rows, body);
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
