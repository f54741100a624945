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

  /// Throws DeviceError where there is no page-locked memory.
  Mailbox();

  /// to = from, `bytes` of them, at most `room`. Waits for the stream. Throws DeviceError where its work failed.
  void fetch(CUstream_st* stream, const void* from, void* to, std::size_t bytes);

 private:
  struct Letter {
    std::atomic<std::uint64_t> number;
    std::byte bytes[room];
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  std::unique_ptr<Letter, void (*)(Letter*)> letter_;  ///< page-locked
  std::uint64_t last_ = 0;
};

}  // namespace amgsolve
