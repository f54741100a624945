#include "core/memory.hpp"

#include <algorithm>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/profile.hpp"

namespace amgsolve {
namespace {

template <MemorySpace S>
constexpr const char* space_name = std::same_as<S, Host> ? "host" : "device";

}  // namespace

template <MemorySpace S>
void* Memory<S>::allocate(std::size_t bytes) {
  if (bytes == 0) {
    return nullptr;
  }
  if (limit_ != 0 && (bytes > limit_ || bytes_in_use_ > limit_ - bytes)) {
    const std::size_t left = limit_ - std::min(limit_, bytes_in_use_);
    const OutOfMemoryError error(profile_->current_path(), space_name<S>, bytes, left);
    throw OutOfMemoryError(format_text("{}: 'solver.memory_limit'", error.what()), bytes, left);
  }
  void* pointer = take(bytes);
  if (pointer == nullptr) {
    throw OutOfMemoryError(profile_->current_path(), space_name<S>, bytes, available().bytes);
  }
  bytes_in_use_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, bytes_in_use_);
  return pointer;
}

template <MemorySpace S>
void Memory<S>::deallocate(void* pointer, std::size_t bytes) noexcept {
  if (pointer != nullptr) {
    give_back(pointer);
    bytes_in_use_ -= bytes;
  }
}

template <MemorySpace S>
AvailableMemory Memory<S>::free() const {
  AvailableMemory result = available();
  if (limit_ != 0) {
    result.lower(limit_ - std::min(limit_, bytes_in_use_), "'solver.memory_limit'");
  }
  return result;
}

template void* Memory<Host>::allocate(std::size_t);
template void Memory<Host>::deallocate(void*, std::size_t) noexcept;
template AvailableMemory Memory<Host>::free() const;
#if AMGSOLVE_HAVE_CUDA
template void* Memory<Cuda>::allocate(std::size_t);
template void Memory<Cuda>::deallocate(void*, std::size_t) noexcept;
template AvailableMemory Memory<Cuda>::free() const;
#endif

}  // namespace amgsolve
