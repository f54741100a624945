#include "amg/tentative_rows.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {

template <class Body>
void for_each_aggregate(Context<Host>& ctx, std::int64_t count, std::int64_t k, std::int64_t visits, const Body& body) {
  const auto run = [&](const auto& lanes) {
    parallel_for(
        ctx, count, [&](std::int64_t a) { body(lanes, a); }, visits);
  };
  if (aggregate_lanes(k) == 1) {
    run(InOneThread<1>());
  } else {
    run(InOneThread<aggregate_lanes(2)>());
  }
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
