#pragma once

#include "amg/memory_forecast.hpp"
#include "core/available_memory.hpp"
#include "src/library/configuration.hpp"

namespace amgsolve {

/// What a run will need, beside what there is; of several ranks what one of them will.
struct MemoryPlan {
  int ranks = 1;
  MemoryForecast forecast;
  double in_use = 0.0;        ///< of the forecast, already
  AvailableMemory available;  ///< beside that

  double needed() const { return forecast.peak() - in_use; }
  /// Whether it fits even if what has not been measured turns out to be several times as large.
  bool fits_amply() const {
    constexpr double ample = 4.0;
    return ample * needed() <= static_cast<double>(available.bytes);
  }
  bool fits() const { return needed() <= static_cast<double>(available.bytes); }
};

/// Throws OutOfMemoryError where a plan for a system does not fit: what is needed, what there is and which limit that
/// is, and what would fit.
void require_fit(const MemoryPlan& plan, const SystemSize& system, const Configuration& configuration, int threads);

/// Plans of fewer bytes are left to find out: they depend on the first blocks of scratch more than on anything else.
inline constexpr double least_planned_bytes = 64e6;

}  // namespace amgsolve
