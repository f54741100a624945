#pragma once

#include <cstdint>

#include "core/context.hpp"

namespace amgsolve {

/// The blocks of core/reduction.hpp that a rank's rows share with those of other ranks, where ranks' rows are cut
/// within a block. Its lanes are summed row by row, so that a rank hands the sums of its lanes to the next one, which
/// goes on from them.
struct SharedBlocks {
  std::int64_t rows_before = 0;  ///< of the first block that lie on lower ranks
  int previous = -1;             ///< the rank that hands over the lanes of the first block; −1: they begin here
  int next = -1;                 ///< the rank that goes on with those of the last block; −1: they end here
};

/// Collective.
/// @param rows  of this rank
SharedBlocks shared_blocks(const Communicator& communicator, std::int64_t rows);

/// Hands lanes to rank `next` while those of rank `previous` come in; a rank of −1 is left out.
template <MemorySpace S>
void pass_lanes(Context<S>& ctx, int next, Span<const double, S> to_next, int previous, Span<double, S> from_previous);

}  // namespace amgsolve
