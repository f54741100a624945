#pragma once

#include <type_traits>

#include "core/context.hpp"
#include "core/span.hpp"

namespace amgsolve {

/// x ← a x + b for each value of x, `rounds` times over, while it is held in a register or the nearest cache: what a
/// processor computes where memory does not matter. Products and sums are rounded apart, as in all kernels here, so
/// that this bounds them; 2 rounds flops a value. Asynchronous.
template <class T, MemorySpace S>
void repeat_multiply_add(Context<S>& ctx, T a, T b, int rounds, std::type_identity_t<Span<T, S>> x);

}  // namespace amgsolve
