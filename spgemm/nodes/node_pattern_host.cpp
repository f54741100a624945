#include "core/reduce_host.hpp"
#include "spgemm/nodes/node_pattern_rows.hpp"

namespace amgsolve {

template <class Body>
static void for_rows(Context<Host>& ctx, std::int64_t rows, Offset entries, const Body& body) {
  parallel_for(
      ctx, rows, [&](std::int64_t row) { body(OneLane(), row); }, 1 + entries / std::max(rows, std::int64_t{1}));
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
