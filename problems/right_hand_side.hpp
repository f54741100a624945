#pragma once

#include <cstdint>

#include "core/context.hpp"
#include "spmv/fat_vector.hpp"

/// Right-hand sides that need no file; for those of a known solution see problems/manufactured.hpp. The same bits for
/// any number of threads and on a device.
namespace amgsolve {

/// b_ij = random_uniform(seed + j, first_row + i), uniform in [−1, 1): column j is the vector of the seed `seed` + j,
/// however many columns there are.
/// @param first_row  of a vector that b is a strip of
template <class T, MemorySpace S>
void random_right_hand_side(Context<S>& ctx, std::uint64_t seed, FatView<T, S> b, std::int64_t first_row = 0);

/// b = 1: all columns are the same.
template <class T, MemorySpace S>
void ones_right_hand_side(Context<S>& ctx, FatView<T, S> b);

}  // namespace amgsolve
