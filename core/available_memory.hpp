#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>

namespace amgsolve {

/// The memory that can still be had, and what sets that limit.
struct AvailableMemory {
  std::size_t bytes = std::numeric_limits<std::size_t>::max();
  std::string limit = "nothing";  ///< in words: "what the machine has available"

  /// Takes the other limit where it leaves less.
  void lower(std::size_t other_bytes, const std::string& other_limit);
};

/// The main memory that this process can still have, the least of
///
/// - MemAvailable of proc/meminfo;
/// - what is left of the limit of its control group and of each group above it (cgroup v2: memory.max, memory.current;
///   v1: memory.limit_in_bytes, memory.usage_in_bytes), where file cache and reclaimable kernel memory count as free,
///   since the kernel drops them before it kills;
/// - what is left of its limits on address space and data (`ulimit -v`, `ulimit -d`).
///
/// What cannot be read limits nothing. Some 100 us.
/// @param root  where proc and sys/fs/cgroup lie
AvailableMemory available_main_memory(const std::filesystem::path& root = "/");

}  // namespace amgsolve
