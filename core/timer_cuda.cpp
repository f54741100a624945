#include <nvtx3/nvToolsExt.h>

#include "core/timer.hpp"

namespace amgsolve {
namespace {

Context<Cuda>* polled(Context<Cuda>& ctx) {
  ctx.poll();
  return &ctx;
}

std::optional<int> started(Context<Cuda>& ctx) {
  return ctx.times_phases() ? std::optional(ctx.timers().start()) : std::nullopt;
}

}  // namespace

ScopedTimer<Cuda>::ScopedTimer(Context<Cuda>& ctx, std::string_view phase, int level)
    : ctx_(polled(ctx)), interval_(started(ctx)), node_(ctx.profile().open(phase, level)) {
  nvtxRangePushA(ctx.profile().nodes()[static_cast<std::size_t>(node_)].phase.c_str());
}

ScopedTimer<Cuda>::~ScopedTimer() {
  nvtxRangePop();
  ctx_->profile().close();
  if (interval_) {
    ctx_->timers().stop(*interval_, node_);
  }
}

}  // namespace amgsolve
