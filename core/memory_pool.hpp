#pragma once

#include <cstddef>
#include <memory>

struct CUmemPoolHandle_st;

namespace amgsolve {

/// A pool of device memory, which keeps what is given back to it for the next request. All pools of the process know of
/// each other, so that none keeps what another wants; any thread may ask.
class MemoryPool {
 public:
  /// Throws DeviceError.
  explicit MemoryPool(int device);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  CUmemPoolHandle_st* handle() const { return handle_.get(); }

  /// The bytes that it keeps and nothing is in.
  std::size_t unused() const;

  /// The same of all pools on its device. A microsecond or two each.
  std::size_t unused_of_all() const;

  /// Has all pools on its device return those bytes, except where a stream may still work on what was there.
  void trim_all() const;

 private:
  template <class Visit>
  void visit_all(const Visit& visit) const;

  int device_;
  std::unique_ptr<CUmemPoolHandle_st, void (*)(CUmemPoolHandle_st*)> handle_;
  MemoryPool* next_ = nullptr;
};

}  // namespace amgsolve
