#pragma once

#include <cstdint>

#include "core/host_device.hpp"

namespace amgsolve {

/// 2⁶⁴ / φ: multiples of it lie apart modulo 2⁶⁴ (Knuth, The Art of Computer Programming, volume 3, 6.4).
inline constexpr std::uint64_t golden_factor = 0x9E3779B97F4A7C15U;

/// A bijection of 64-bit integers whose output looks random: the step of SplitMix64 (Steele, Lea, Flood, Fast
/// splittable pseudorandom number generators, 2014). Random numbers as a function of a position are the same on host
/// and device and for any number of threads.
AMGSOLVE_HOST_DEVICE inline std::uint64_t hash64(std::uint64_t x) {
  x += golden_factor;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

}  // namespace amgsolve
