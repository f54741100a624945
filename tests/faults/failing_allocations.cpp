#include "tests/faults/failing_allocations.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" {
void* __real_malloc(std::size_t);
void* __real_calloc(std::size_t, std::size_t);
void* __real_realloc(void*, std::size_t);
void* __real_aligned_alloc(std::size_t, std::size_t);
char* __real_realpath(const char*, char*);
void __real_free(void*);
}

namespace amgsolve::faults {
namespace {

// Constant initialisation: allocations come before any static object is made.
constinit std::atomic<std::int64_t> allocations{0};
constinit std::atomic<std::int64_t> first_to_fail{0};  // 0: none
constinit std::atomic<std::int64_t> last_to_fail{0};
constinit std::atomic<std::int64_t> blocks{0};
constinit std::atomic<bool> asked_environment{false};

void ask_environment() {
  if (!asked_environment.exchange(true)) {
    if (const char* const text = std::getenv("AMGSOLVE_FAIL_ALLOCATION")) {
      char* end = nullptr;
      const std::int64_t n = std::strtoll(text, &end, 10);
      arm(n, *end == '+' ? Fails::from_then_on : Fails::once);
    }
  }
}

bool fails() {
  ask_environment();
  const std::int64_t n = ++allocations;
  return first_to_fail != 0 && n >= first_to_fail && n <= last_to_fail;
}

void* counted(void* block) {
  blocks += block != nullptr ? 1 : 0;
  return block;
}

void give_back(void* block) {
  blocks -= block != nullptr ? 1 : 0;
  __real_free(block);
}

void* take(std::size_t size, std::size_t alignment) {
  void* const block = fails() ? nullptr : alignment == 0 ? __real_malloc(size) : __real_aligned_alloc(alignment, size);
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  return counted(block);
}

}  // namespace

void arm(std::int64_t n, Fails fails) {
  asked_environment = true;
  allocations = 0;
  last_to_fail = fails == Fails::once ? n : INT64_MAX;
  first_to_fail = n;
}

std::int64_t disarm() {
  first_to_fail = 0;
  return allocations;
}

std::int64_t live_blocks() { return blocks; }

}  // namespace amgsolve::faults

namespace faults = amgsolve::faults;

void* operator new(std::size_t size) { return faults::take(size == 0 ? 1 : size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto a = static_cast<std::size_t>(alignment);
  return faults::take((size + a - 1) / a * a, a);
}
void operator delete(void* block) noexcept { faults::give_back(block); }
void operator delete(void* block, std::size_t) noexcept { faults::give_back(block); }
void operator delete(void* block, std::align_val_t) noexcept { faults::give_back(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { faults::give_back(block); }

extern "C" {

void* __wrap_malloc(std::size_t size) { return faults::fails() ? nullptr : faults::counted(__real_malloc(size)); }
void* __wrap_calloc(std::size_t n, std::size_t size) {
  return faults::fails() ? nullptr : faults::counted(__real_calloc(n, size));
}
void* __wrap_realloc(void* block, std::size_t size) {
  if (faults::fails()) {
    return nullptr;
  }
  return block == nullptr ? faults::counted(__real_realloc(block, size)) : __real_realloc(block, size);
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  return faults::fails() ? nullptr : faults::counted(__real_aligned_alloc(alignment, size));
}
// The C library's own allocation, which a standard library that is linked statically frees by this executable.
char* __wrap_realpath(const char* path, char* resolved) {
  char* const result = __real_realpath(path, resolved);
  if (resolved == nullptr) {
    faults::counted(result);
  }
  return result;
}
void __wrap_free(void* block) { faults::give_back(block); }

}  // extern "C"
