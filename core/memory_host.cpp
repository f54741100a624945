#include <sys/mman.h>

#include <cstdlib>

#include "core/memory.hpp"

namespace amgsolve {
namespace {

constexpr std::size_t small_alignment = 256;  // four cache lines; what cudaMalloc guarantees too
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t huge_page_threshold = std::size_t{4} << 20;
// Asking the kernel costs some 100 us, less than a hundredth of touching so much for the first time.
constexpr std::size_t ask_kernel_threshold = std::size_t{64} << 20;

std::size_t alignment_for(std::size_t bytes) { return bytes >= huge_page_threshold ? huge_page : small_alignment; }

}  // namespace

template <>
AvailableMemory Memory<Host>::available() const {
  return available_main_memory();
}

template <>
void* Memory<Host>::take(std::size_t bytes) {
  if (bytes >= ask_kernel_threshold && bytes > available().bytes) {
    return nullptr;
  }
  const std::size_t alignment = alignment_for(bytes);
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* pointer = std::aligned_alloc(alignment, rounded);
  if (pointer != nullptr && alignment == huge_page) {
    madvise(pointer, rounded, MADV_HUGEPAGE);
  }
  return pointer;
}

template <>
void Memory<Host>::give_back(void* pointer) noexcept {
  std::free(pointer);
}

template <>
void Memory<Host>::reserve(std::size_t) {}

}  // namespace amgsolve
