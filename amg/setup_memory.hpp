#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>

#include "amg/memory_forecast.hpp"
#include "core/context.hpp"

namespace amgsolve {

/// Has the device's pool take what a setup and a solve of the system will take beside what is in use, and the holes
/// that blocks of all sizes leave between each other, in one piece; see Memory::reserve(). Nothing on the host.
template <MemorySpace S>
void reserve_setup_memory(Context<S>& ctx, const SystemSize& system, const AmgOptions& amg,
                          const SolverOptions& solver) {
  if constexpr (!std::same_as<S, Host>) {
    constexpr double with_holes = 1.25;
    const double missing =
        with_holes * forecast_memory(system, amg, solver, 1).peak() - static_cast<double>(ctx.memory().bytes_in_use());
    ctx.memory().reserve(static_cast<std::size_t>(std::max(missing, 0.0)));
  }
}

}  // namespace amgsolve
