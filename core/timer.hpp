#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "core/context.hpp"

namespace amgsolve {

/// Times a phase from construction to the end of the scope and books it in ctx.profile() under the phases open around
/// it. Where a phase begins work can be interrupted: throws InterruptedError (Context::set_stop()).
template <MemorySpace S>
class ScopedTimer;

template <>
class ScopedTimer<Host> {
 public:
  ScopedTimer(Context<Host>& ctx, std::string_view phase, int level = Profile::no_level)
      : profile_(&ctx.profile()), start_(Clock::now()) {
    ctx.poll();
    profile_->open(phase, level);
  }
  ~ScopedTimer() { profile_->close(std::chrono::duration<double>(Clock::now() - start_).count()); }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  Profile* profile_;
  Clock::time_point start_;
};

/// Counts the time of the stream from one end of the scope to the other, which Context::collect_times() books, unless
/// Context::Untimed says not to; marks the scope for Nsight Systems.
template <>
class ScopedTimer<Cuda> {
 public:
  ScopedTimer(Context<Cuda>& ctx, std::string_view phase, int level = Profile::no_level);
  ~ScopedTimer();
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  Context<Cuda>* ctx_;
  std::optional<int> interval_;
  int node_;
};

template <MemorySpace S>
ScopedTimer(Context<S>&, std::string_view) -> ScopedTimer<S>;
template <MemorySpace S>
ScopedTimer(Context<S>&, std::string_view, int) -> ScopedTimer<S>;

}  // namespace amgsolve
