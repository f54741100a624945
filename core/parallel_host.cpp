#include "core/parallel_host.hpp"

namespace amgsolve {

bool is_shared(const Context<Host>& ctx, std::int64_t n, std::int64_t work) {
  return n > 1 && ctx.threads() > 1 && n >= least_shared_work / std::max(work, std::int64_t{1});
}

}  // namespace amgsolve
