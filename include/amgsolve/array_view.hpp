#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace amgsolve {

/// The caller's elements: a pointer and how many there are, without ownership. One type for programs in C++17, which
/// has no std::span, and for later ones: vectors, arrays, spans and whatever else has data() and size() become it by
/// themselves.
/// @tparam T  const where elements are only read
template <class T>
class ArrayView {
  template <class Container>
  using ElementOf = std::remove_pointer_t<decltype(std::data(std::declval<Container&>()))>;

  /// Neither an ArrayView itself nor elements that would have to be converted.
  template <class Container>
  using IfElements = std::enable_if_t<!std::is_same_v<std::remove_const_t<Container>, ArrayView> &&
                                      std::is_convertible_v<ElementOf<Container> (*)[], T (*)[]>>;

 public:
  constexpr ArrayView() noexcept = default;
  constexpr ArrayView(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  template <class Container, class = IfElements<Container>>
  constexpr ArrayView(Container& container) : data_(std::data(container)), size_(std::size(container)) {}

  /// Also of a temporary, which lives until the end of the call that it is an argument of.
  template <class Container, class = IfElements<const Container>>
  constexpr ArrayView(const Container& container) : data_(std::data(container)), size_(std::size(container)) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size_; }
  constexpr T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace amgsolve
