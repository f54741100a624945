#pragma once

#include <cstddef>

#include "core/memory_space.hpp"

namespace amgsolve {

class Profile;

/// Where a context's memory comes from: allocates, counts what is in use and its peak, and enforces a limit.
/// Owned by a context and outlived by no buffer. Not to be called from inside a parallel region.
///
/// Host: aligned to 256 bytes as on a GPU; from 4 MB up aligned to and advised as huge pages, so that first touches
/// cost one fault per 2 MB. A request that exceeds what the machine has available is refused before the kernel could
/// kill the process.
template <MemorySpace S>
class Memory {
 public:
  /// @param profile  tells which phase and level was at work when memory ran out
  explicit Memory(const Profile& profile) : profile_(&profile) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Uninitialised memory; nullptr for 0 bytes. Throws OutOfMemoryError.
  void* allocate(std::size_t bytes);
  void deallocate(void* pointer, std::size_t bytes) noexcept;

  std::size_t bytes_in_use() const { return bytes_in_use_; }
  std::size_t peak_bytes() const { return peak_bytes_; }

  /// Refuse to have more than this many bytes in use; 0 (the default) is no limit.
  void set_limit(std::size_t bytes) { limit_ = bytes; }

 private:
  const Profile* profile_;
  std::size_t bytes_in_use_ = 0;
  std::size_t peak_bytes_ = 0;
  std::size_t limit_ = 0;
};

}  // namespace amgsolve
