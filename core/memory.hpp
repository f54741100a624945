#pragma once

#include <cstddef>

#include "core/available_memory.hpp"
#include "core/memory_space.hpp"

struct CUstream_st;

namespace amgsolve {

class MemoryPool;
class Profile;

/// Where a memory takes its bytes from.
template <MemorySpace S>
struct MemorySource;

/// The heap of the process.
template <>
struct MemorySource<Host> {};

/// A pool of device memory and the stream in whose order blocks are taken and given back.
template <>
struct MemorySource<Cuda> {
  const MemoryPool* pool;
  CUstream_st* stream;
};

/// Where a context's memory comes from: allocates, counts what is in use and its peak, and enforces a limit.
/// Owned by a context and outlived by no buffer. Not to be called from inside a parallel region.
///
/// Host: aligned to 256 bytes as on a GPU; from 4 MB up aligned to and advised as huge pages, so that first touches
/// cost one fault per 2 MB. A request that exceeds what the machine has available is refused before the kernel could
/// kill the process.
///
/// Cuda: stream-ordered (cudaMallocFromPoolAsync), so that neither call waits for the device. What is given back stays
/// in the context's pool for the next request; where the device is full, all pools of the process return their unused
/// parts and the request is tried again before it fails. A failure leaves the device usable.
template <MemorySpace S>
class Memory {
 public:
  /// @param profile  tells which phase and level was at work when memory ran out
  explicit Memory(const Profile& profile, MemorySource<S> source = {}) : profile_(&profile), source_(source) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Uninitialised memory; nullptr for 0 bytes. Throws OutOfMemoryError.
  void* allocate(std::size_t bytes);
  void deallocate(void* pointer, std::size_t bytes) noexcept;

  std::size_t bytes_in_use() const { return bytes_in_use_; }
  std::size_t peak_bytes() const { return peak_bytes_; }
  /// Has the peak begin anew, with what is in use.
  void reset_peak() { peak_bytes_ = bytes_in_use_; }

  /// Refuse to have more than this many bytes in use; 0 (the default) is no limit.
  void set_limit(std::size_t bytes) { limit_ = bytes; }

  /// What the machine (available_main_memory()) could still give, or the device with what the process's contexts keep
  /// unused there; apart from the limit. Some 100 us.
  AvailableMemory available() const;

  /// The same within the limit: what an operation that works in slices may take.
  AvailableMemory free() const;

  /// Has a device's pool take so many bytes in one piece, where it has not as many unused, the device twice as many,
  /// and no limit is passed: large blocks of a pool that grew block by block find no place, and mapping memory anew
  /// takes longer than many a phase that needs it. Nothing on the host, nor is anything in use or refused by it.
  void reserve(std::size_t bytes);

 private:
  /// nullptr where there is not as much; `bytes` > 0.
  void* take(std::size_t bytes);
  void give_back(void* pointer) noexcept;

  const Profile* profile_;
  MemorySource<S> source_;
  std::size_t bytes_in_use_ = 0;
  std::size_t peak_bytes_ = 0;
  std::size_t limit_ = 0;
};

template <>
AvailableMemory Memory<Host>::available() const;
template <>
void* Memory<Host>::take(std::size_t bytes);
template <>
void Memory<Host>::give_back(void* pointer) noexcept;
template <>
void Memory<Host>::reserve(std::size_t bytes);
template <>
AvailableMemory Memory<Cuda>::available() const;
template <>
void* Memory<Cuda>::take(std::size_t bytes);
template <>
void Memory<Cuda>::give_back(void* pointer) noexcept;
template <>
void Memory<Cuda>::reserve(std::size_t bytes);

}  // namespace amgsolve
