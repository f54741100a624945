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

/// What is said where work is asked whether it should end.
struct StopRequest {
  bool is_asked;
  bool is_of_all = true;  ///< every rank is told so at the same place

  StopRequest(bool is_asked_, bool is_of_all_ = true) : is_asked(is_asked_), is_of_all(is_of_all_) {}
  explicit operator bool() const { return is_asked; }
};

/// Receives progress on the thread that works; must be quick and must not throw.
using ProgressListener = std::function<void(const Progress&)>;

}  // namespace amgsolve
