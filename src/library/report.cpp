#include "src/library/report.hpp"

#include <utility>

#include "src/library/status.hpp"

namespace amgsolve {

void Report::set_result(SolveResult outcome) {
  status = status_of(outcome.reason);
  message = describe(outcome.reason);
  result = std::move(outcome);
}

void Report::set_error(std::optional<Status> kind, std::string what) {
  status = kind;
  message = std::move(what);
}

void Report::measure(Context<Host>& ctx) {
  profile = ctx.profile();
  peak_bytes = ctx.memory().peak_bytes();
  threads = ctx.threads();
}

}  // namespace amgsolve
