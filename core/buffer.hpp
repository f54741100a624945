#pragma once

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "core/memory.hpp"
#include "core/span.hpp"
#include "core/types.hpp"

namespace amgsolve {

template <MemorySpace S>
class Context;

/// The memory of a context (defined beside it; declared here so that this header stands alone).
template <MemorySpace S>
Memory<S>& memory_of(Context<S>& ctx);

/// An uninitialised, move-only array of T in memory space S. Its context must outlive it.
/// A borrowed buffer refers to memory that someone else owns and frees nothing. So that matrices may own their arrays
/// or borrow them, elements that must only be read make a buffer too: then what writes, all that is not const, throws
/// std::logic_error (operator[] does not check).
template <class T, MemorySpace S>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>, "a buffer holds plain values");

 public:
  Buffer() = default;

  /// `size` uninitialised elements. Throws OutOfMemoryError; InputError where the byte count overflows.
  Buffer(Context<S>& ctx, std::size_t size)
      : memory_(&memory_of(ctx)),
        writable_(static_cast<T*>(memory_->allocate(checked_multiply(size, sizeof(T), "buffer size in bytes")))),
        data_(writable_),
        size_(size),
        capacity_(size) {}

  /// The same between margins: memory for `before` elements in front of them and `behind` at their end.
  Buffer(Context<S>& ctx, std::size_t before, std::size_t size, std::size_t behind)
      : Buffer(ctx, before + size + behind) {
    narrow(before, size);
  }

  /// A view of elements that stay the caller's and must outlive the buffer: to be read, or to be written too.
  static Buffer borrow(Span<const T, S> elements) {
    Buffer buffer;
    buffer.data_ = elements.data();
    buffer.size_ = elements.size();
    return buffer;
  }
  static Buffer borrow(Span<T, S> elements) {
    Buffer buffer = borrow(Span<const T, S>(elements));
    buffer.writable_ = elements.data();
    return buffer;
  }

  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~Buffer() {
    if (memory_ != nullptr) {
      memory_->deallocate(writable_ - before_, capacity_ * sizeof(T));
    }
  }

  /// Keeps the first `size` elements, at most as many as there are. The memory of the others stays the buffer's.
  void truncate(std::size_t size) { size_ = std::min(size, size_); }

  /// Keeps `size` elements from `first` on, which it has. The memory of the others becomes margins; see widened().
  void narrow(std::size_t first, std::size_t size) {
    before_ += memory_ != nullptr ? first : 0;
    data_ += first;
    writable_ += writable_ != nullptr ? first : 0;
    size_ = size;
  }

  /// The elements together with `before` of the margin in front of them and `behind` of that at their end; empty where
  /// the margins are narrower, as those of a borrowed buffer are.
  Span<T, S> widened(std::size_t before, std::size_t behind) {
    return before <= before_ && before_ + size_ + behind <= capacity_
               ? Span<T, S>(writable_ - before, before + size_ + behind)
               : Span<T, S>();
  }

  /// Keeps them, too, as elements; narrow()'s way back. Only where widened() is not empty.
  void widen(std::size_t before, std::size_t behind) {
    before_ -= before;
    data_ -= before;
    writable_ -= before;
    size_ += before + behind;
  }

  T* data() {
    if (writable_ != data_) {
      throw std::logic_error("a borrowed buffer that must only be read is to be written");
    }
    return writable_;
  }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  bool empty() const { return size_ == 0; }
  bool is_borrowed() const { return memory_ == nullptr && data_ != nullptr; }

  Span<T, S> span() { return {data(), size_}; }
  Span<const T, S> span() const { return {data_, size_}; }
  operator Span<T, S>() { return span(); }
  operator Span<const T, S>() const { return span(); }

  T& operator[](std::size_t i) requires std::same_as<S, Host> { return writable_[i]; }
  const T& operator[](std::size_t i) const requires std::same_as<S, Host> { return data_[i]; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(writable_, other.writable_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(before_, other.before_);
    std::swap(capacity_, other.capacity_);
  }

  Memory<S>* memory_ = nullptr;
  T* writable_ = nullptr;  ///< data_, or null where the elements must only be read
  const T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t before_ = 0;    ///< elements of the margin in front of data_
  std::size_t capacity_ = 0;  ///< elements that the memory has room for, where it is our own
};

}  // namespace amgsolve
