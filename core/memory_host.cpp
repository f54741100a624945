#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "core/errors.hpp"
#include "core/memory.hpp"
#include "core/profile.hpp"

namespace amgsolve {
namespace {

constexpr std::size_t small_alignment = 256;  // four cache lines; what cudaMalloc guarantees too
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t huge_page_threshold = std::size_t{4} << 20;
// Asking the kernel costs some 20 us; only requests that could exhaust a machine are worth it.
constexpr std::size_t ask_kernel_threshold = std::size_t{256} << 20;

std::size_t available_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  std::size_t kilobytes = 0;
  while (meminfo >> key >> kilobytes) {
    if (key == "MemAvailable:") {
      return kilobytes * 1024;
    }
    meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::numeric_limits<std::size_t>::max();
}

std::size_t alignment_for(std::size_t bytes) { return bytes >= huge_page_threshold ? huge_page : small_alignment; }

}  // namespace

template <>
void* Memory<Host>::allocate(std::size_t bytes) {
  if (bytes == 0) {
    return nullptr;
  }
  if (limit_ != 0 && (bytes > limit_ || bytes_in_use_ > limit_ - bytes)) {
    throw OutOfMemoryError(profile_->current_path(), "host", bytes, limit_ - std::min(limit_, bytes_in_use_));
  }
  if (bytes >= ask_kernel_threshold) {
    const std::size_t available = available_bytes();
    if (bytes > available) {
      throw OutOfMemoryError(profile_->current_path(), "host", bytes, available);
    }
  }
  const std::size_t alignment = alignment_for(bytes);
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* pointer = std::aligned_alloc(alignment, rounded);
  if (pointer == nullptr) {
    throw OutOfMemoryError(profile_->current_path(), "host", bytes, available_bytes());
  }
  if (alignment == huge_page) {
    madvise(pointer, rounded, MADV_HUGEPAGE);
  }
  bytes_in_use_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, bytes_in_use_);
  return pointer;
}

template <>
void Memory<Host>::deallocate(void* pointer, std::size_t bytes) noexcept {
  std::free(pointer);
  bytes_in_use_ -= bytes;
}

}  // namespace amgsolve
