#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace amgsolve {

/// What a long phase tells about where it is.
struct Progress {
  std::string_view phase;  ///< "read", "generate", "setup", "solve"
  std::int64_t step = 0;   ///< level of the setup, iteration of the solve, bytes read
  std::int64_t steps = 0;  ///< the most steps there can be; 0: unknown
  double residual = -1.0;  ///< relative residual of the solve; negative where there is none
};

/// Receives progress on the thread that works; must be quick and must not throw.
using ProgressListener = std::function<void(const Progress&)>;

}  // namespace amgsolve
