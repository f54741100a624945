#pragma once

#include <atomic>
#include <cstdint>

#include "core/host_device.hpp"
#include "core/types.hpp"

/// What several threads do to the same word, written once for both memory spaces. In no order with other memory: what
/// they make of the words must not depend on who comes first.
namespace amgsolve {

/// *word as it is.
AMGSOLVE_HOST_DEVICE inline Index atomic_load(Index* word) {
#if defined(__CUDA_ARCH__)
  return *const_cast<volatile Index*>(word);
#else
  return std::atomic_ref<Index>(*word).load(std::memory_order_relaxed);
#endif
}

/// *word as it is or was since the kernel began: from the multiprocessor's own cache, since the one of all answers a
/// single request at a time for the same word.
AMGSOLVE_HOST_DEVICE inline Index atomic_glance(Index* word) {
#if defined(__CUDA_ARCH__)
  return *word;
#else
  return std::atomic_ref<Index>(*word).load(std::memory_order_relaxed);
#endif
}

/// *flag = 1. One that is set already, as the multiprocessor's own cache has it, is left alone: see atomic_glance().
AMGSOLVE_HOST_DEVICE inline void atomic_flag(std::uint8_t* flag) {
#if defined(__CUDA_ARCH__)
  if (*flag == 0) {
    *const_cast<volatile std::uint8_t*>(flag) = 1;
  }
#else
  std::atomic_ref<std::uint8_t>(*flag).store(1, std::memory_order_relaxed);
#endif
}

/// *word = wanted where it is `expected`; what it was.
AMGSOLVE_HOST_DEVICE inline Index atomic_replace(Index* word, Index expected, Index wanted) {
#if defined(__CUDA_ARCH__)
  return atomicCAS(word, expected, wanted);
#else
  std::atomic_ref<Index>(*word).compare_exchange_strong(expected, wanted, std::memory_order_relaxed);
  return expected;
#endif
}

/// *word += 1; what it was.
AMGSOLVE_HOST_DEVICE inline Index atomic_count(Index* word) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(word, 1);
#else
  return std::atomic_ref<Index>(*word).fetch_add(1, std::memory_order_relaxed);
#endif
}

/// *word = min(*word, x).
AMGSOLVE_HOST_DEVICE inline void atomic_lower(Index* word, Index x) {
#if defined(__CUDA_ARCH__)
  atomicMin(word, x);
#else
  std::atomic_ref<Index> value(*word);
  Index before = value.load(std::memory_order_relaxed);
  while (x < before && !value.compare_exchange_weak(before, x, std::memory_order_relaxed)) {
  }
#endif
}

}  // namespace amgsolve
