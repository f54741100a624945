#include <algorithm>

#include "amg/block_couplings_rows.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {

template <class Body>
void parallel_rows(Context<Host>& ctx, std::int64_t rows, Offset entries, const Body& body) {
  // An entry that is dropped, and one of the diagonal block, visit as many values as a node has unknowns.
  const std::int64_t b = body.filter.block_size;
  parallel_for(
      ctx, rows, [&](std::int64_t i) { body(OneLane(), i); }, (b + entries / std::max(rows, std::int64_t{1})) * b);
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
