#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

struct CUstream_st;

namespace amgsolve {

/// Host memory to which a kernel brings a few bytes from a device, with their number behind them: the host sees that
/// some 10 µs before it would hear of a copy's end, which is what a small setup waits for a hundred times.
class Mailbox {
 public:
  static constexpr std::size_t room = 512;
  static constexpr std::size_t alignment = 16;

  /// Where a kernel puts what the host waits for: the bytes first, then, once they are seen by all, the number.
  struct Letter {
    std::byte* bytes;
    std::uint64_t* number;
    std::uint64_t value;
  };

  /// Throws DeviceError where there is no page-locked memory.
  Mailbox();

  /// For one kernel, whose letter is awaited before another is asked for.
  Letter next();
  /// to = what the kernel on the stream has put into the last letter, `bytes` of it. Throws DeviceError where its work
  /// failed.
  void await(CUstream_st* stream, void* to, std::size_t bytes);

  /// to = from, `bytes` of them, at most `room`. Waits for the stream. Throws DeviceError where its work failed.
  void fetch(CUstream_st* stream, const void* from, void* to, std::size_t bytes);

 private:
  struct Box {
    std::atomic<std::uint64_t> number;
    alignas(alignment) std::byte bytes[room];
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free && sizeof(Box::number) == sizeof(std::uint64_t));

  std::unique_ptr<Box, void (*)(Box*)> box_;  ///< page-locked
  std::uint64_t last_ = 0;
};

}  // namespace amgsolve
