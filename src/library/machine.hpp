#pragma once

#include <cstddef>
#include <string>

namespace amgsolve {

/// What a run took place on.
struct Machine {
  std::string cpu;               ///< as the processor calls itself; empty: unknown
  int cores = 0;                 ///< logical cores that this process may use
  std::size_t memory_bytes = 0;  ///< of main memory
  std::string operating_system;  ///< distribution and kernel
};

Machine describe_machine();

/// Logical cores that the process may use.
int available_cores();

}  // namespace amgsolve
