#pragma once

#include <bit>
#include <cstddef>
#include <string_view>

/// Arrays as the bytes of a file.
namespace amgsolve {

static_assert(std::endian::native == std::endian::little, "the binary formats are written as the memory is");

template <class U>
std::string_view bytes_of(const U* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size * sizeof(U)};
}

}  // namespace amgsolve
