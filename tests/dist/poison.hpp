#pragma once

#include <cstddef>
#include <span>

struct CUstream_st;

namespace amgsolve::ranks {

/// Sets all bits of what lies on a device, when the stream gets there.
void poison(std::span<std::byte> bytes, CUstream_st* stream);

}  // namespace amgsolve::ranks
