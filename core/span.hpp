#pragma once

#include <cstddef>
#include <type_traits>

#include "core/memory_space.hpp"

namespace amgsolve {

/// A contiguous range of T in memory space S: a trivially copyable pointer and size, without ownership.
/// Elements can be reached through operator[] in host space only; kernels take data().
template <class T, MemorySpace S>
class Span {
 public:
  Span() = default;
  Span(T* data, std::size_t size) : data_(data), size_(size) {}

  /// Span<T> converts to Span<const T>.
  template <class U>
  requires std::is_same_v<const U, T> Span(Span<U, S> other) : data_(other.data()), size_(other.size()) {}

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Span subspan(std::size_t first, std::size_t count) const { return {data_ + first, count}; }

  T& operator[](std::size_t i) const requires std::same_as<S, Host> { return data_[i]; }
  T* begin() const requires std::same_as<S, Host> { return data_; }
  T* end() const requires std::same_as<S, Host> { return data_ + size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace amgsolve
