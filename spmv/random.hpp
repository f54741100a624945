#pragma once

#include "core/context.hpp"
#include "core/hash.hpp"
#include "core/host_device.hpp"
#include "spmv/fat_vector.hpp"

namespace amgsolve {

/// A number in [−1, 1) that looks random, as a function of a seed and a position: the same on host and device.
AMGSOLVE_HOST_DEVICE inline double random_uniform(std::uint64_t seed, std::uint64_t position) {
  return static_cast<double>(hash64(hash64(seed) + position) >> 11) * 0x1p-52 - 1.0;
}

/// x_ij uniform in [−1, 1); column j of row i is at position i · columns + j. Rounded from double where T is float.
template <class T>
void fill_random(Context<Host>& ctx, std::uint64_t seed, FatView<T, Host> x);
template <class T>
void fill_random(Context<Cuda>& ctx, std::uint64_t seed, FatView<T, Cuda> x);

}  // namespace amgsolve
