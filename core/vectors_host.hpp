#pragma once

#include <algorithm>
#include <cstddef>

namespace amgsolve {

/// Bytes of the registers that the code is compiled for. A vector of more g++ moves piecewise through memory, where the
/// load of a piece waits for the stores of smaller ones.
#if defined(__AVX512F__)
inline constexpr std::size_t register_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t register_bytes = 32;
#else
inline constexpr std::size_t register_bytes = 16;
#endif

/// Several values side by side, on which arithmetic goes element by element.
/// Types of their own, since g++ takes one whose elements do not depend on a template's parameters for one of them.
template <class T, std::size_t Lanes>
struct VectorOf {
  typedef T Type __attribute__((vector_size(Lanes * sizeof(T))));
  /// Where values lie at any address.
  typedef T Stored __attribute__((vector_size(Lanes * sizeof(T)), aligned(alignof(T)), may_alias));
};

template <class T, std::size_t Lanes>
using Vector = typename VectorOf<T, Lanes>::Type;

/// The lanes of a register, at most as many as there are values.
template <class T>
constexpr std::size_t lanes_of(std::size_t values) {
  return std::min(values, register_bytes / sizeof(T));
}

template <std::size_t Lanes, class T>
[[gnu::always_inline]] inline Vector<T, Lanes> load_lanes(const T* from) {
  return *reinterpret_cast<const typename VectorOf<T, Lanes>::Stored*>(from);
}

template <std::size_t Lanes, class T>
[[gnu::always_inline]] inline void store_lanes(const Vector<T, Lanes>& values, T* to) {
  *reinterpret_cast<typename VectorOf<T, Lanes>::Stored*>(to) = values;
}

}  // namespace amgsolve
