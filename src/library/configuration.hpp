#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "amg/options.hpp"

namespace amgsolve {

enum class Backend {
  automatic,  ///< CUDA where the build and the machine have it, else the host
  host,
  cuda
};

/// How ranks' devices send messages to each other.
enum class DeviceMessages {
  automatic,  ///< whatever is quickest
  nccl,
  direct,  ///< device memory given to the processes' own messages, as to a CUDA-aware MPI
  staged   ///< through the hosts' memory
};

/// Their words in problem.yaml. No constant, which would not be there yet for options that a program has as constants.
inline std::vector<std::pair<std::string_view, DeviceMessages>> device_messages_words() {
  return {{"auto", DeviceMessages::automatic},
          {"nccl", DeviceMessages::nccl},
          {"direct", DeviceMessages::direct},
          {"staged", DeviceMessages::staged}};
}

/// Everything the library can be told: the sections solver, amg and spgemm of problem.yaml. Valid as constructed.
struct Configuration {
  Backend backend = Backend::automatic;
  int device = -1;  ///< CUDA device; −1: the thread's current one
  DeviceMessages device_messages = DeviceMessages::automatic;
  int threads = 0;                ///< OpenMP threads; 0: all that OpenMP offers
  std::int64_t memory_limit = 0;  ///< bytes of the matrices' memory space; 0: no limit
  SolverOptions solver;
  AmgOptions amg;
};

/// What a table of keys cannot tell: values that are allowed alone and not together. Throws ConfigurationError naming
/// the keys, a line for each mistake.
void validate(const Configuration& configuration);

}  // namespace amgsolve
