#include "amg/block_couplings_rows.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {

template <class Body>
void parallel_rows(Context<Host>& ctx, std::int64_t rows, Offset /*entries*/, const Body& body) {
  parallel_for(ctx, rows, [&](std::int64_t i) { body(OneLane(), i); });
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
