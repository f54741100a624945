#pragma once

#include "core/buffer.hpp"

namespace amgsolve {

/// A buffer over elements that must only be read, and that must outlive it: only what takes it as const may be called
/// with it. It is not const itself, so that matrices may own their arrays or borrow them.
template <class T, MemorySpace S>
Buffer<T, S> borrow(Span<const T, S> elements) {
  return Buffer<T, S>::borrow(const_cast<T*>(elements.data()), elements.size());
}

}  // namespace amgsolve
