#include "src/library/report.hpp"

#include <utility>

#include "core/errors.hpp"
#include "src/library/status.hpp"

namespace amgsolve {

void Report::set_result(SolveResult outcome) {
  status = status_of(outcome.reason);
  message = describe(outcome.reason);
  result = std::move(outcome);
}

void Report::set_error(const std::exception& error) {
  status = status_of(error);
  message = error.what();
}

template <MemorySpace S>
void Report::measure(Context<S>& ctx) {
  ctx.collect_times();
  profile = ctx.profile();
  peak_bytes = ctx.memory().peak_bytes();
}

template <MemorySpace S>
void Report::measure_after_failure(Context<S>& ctx) {
  try {
    measure(ctx);
  } catch (const DeviceError&) {
    profile = ctx.profile();  // as far as it was booked
    peak_bytes = ctx.memory().peak_bytes();
  }
}

template void Report::measure(Context<Host>&);
template void Report::measure_after_failure(Context<Host>&);
#if AMGSOLVE_HAVE_CUDA
template void Report::measure(Context<Cuda>&);
template void Report::measure_after_failure(Context<Cuda>&);
#endif

}  // namespace amgsolve
