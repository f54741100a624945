#pragma once

#include "core/context.hpp"

/// Sums over the rows of all ranks that have the same bits for any number of threads and ranks, on host and device. A
/// block of reduction_block consecutive rows (core/reduction.hpp) is summed in double in a fixed order, and the sums of
/// blocks are added exactly and rounded once, so that their order does not matter. Where ranks' rows are cut
/// within a block, who sums it gets what lies on the ranks before (core/shared_blocks.hpp).
namespace amgsolve {

/// result_j = Σ_b partial[j · blocks + b] over the blocks of all ranks, rounded once. NaN and infinities as of any sum.
/// Stays on the stream of a device.
template <MemorySpace S>
void sum_of_blocks(Context<S>& ctx, Span<const double, S> partial, Span<double, S> result);

/// Σ of the ranks' numbers, rounded once. Synchronises.
template <MemorySpace S>
double sum_of_ranks(Context<S>& ctx, double local);

namespace detail {

/// words = the superaccumulators of this rank's blocks, column by column; and the sums of these blocks alone, where
/// `rounded` is not empty (then the words are scratch).
void accumulate_blocks(Context<Host>& ctx, Span<const double, Host> partial, Span<std::int64_t, Host> words,
                       Span<double, Host> rounded);
void accumulate_blocks(Context<Cuda>& ctx, Span<const double, Cuda> partial, Span<std::int64_t, Cuda> words,
                       Span<double, Cuda> rounded);

void sum_over_ranks(Context<Host>& ctx, Span<std::int64_t, Host> words);
void sum_over_ranks(Context<Cuda>& ctx, Span<std::int64_t, Cuda> words);

void round_sums(Context<Host>& ctx, Span<std::int64_t, Host> words, Span<double, Host> result);
void round_sums(Context<Cuda>& ctx, Span<std::int64_t, Cuda> words, Span<double, Cuda> result);

}  // namespace detail
}  // namespace amgsolve
