#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string_view>

#include "core/context.hpp"
#include "core/output_file.hpp"

/// Arrays as the bytes of a file.
namespace amgsolve {

static_assert(std::endian::native == std::endian::little, "the binary formats are written as the memory is");

template <class U>
std::string_view bytes_of(const U* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size * sizeof(U)};
}

/// In pieces, between which it can be interrupted.
inline void write_bytes(Context<Host>& ctx, OutputFile& file, std::string_view bytes) {
  constexpr std::size_t piece = std::size_t{16} << 20;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    ctx.poll();
    file.write(bytes.substr(0, piece));
  }
}

}  // namespace amgsolve
