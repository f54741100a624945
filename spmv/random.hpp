#pragma once

#include "core/context.hpp"
#include "core/hash.hpp"
#include "core/host_device.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// A number in [−1, 1) that looks random, as a function of a seed and a position: the same on host and device.
AMGSOLVE_HOST_DEVICE inline double random_uniform(std::uint64_t seed, std::uint64_t position) {
  return static_cast<double>(hash64(hash64(seed) + position) >> 11) * 0x1p-52 - 1.0;
}

/// x_ij uniform in [−1, 1); column j of row i is at position first + i · columns + j. Rounded from double where T is
/// float.
/// @param first  the position of the first value, where x is a part of a vector
template <class T, MemorySpace S>
void fill_random(Context<S>& ctx, std::uint64_t seed, std::type_identity_t<MultiVectorView<T, S>> x,
                 std::uint64_t first = 0);

}  // namespace amgsolve
