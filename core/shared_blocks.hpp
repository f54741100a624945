#pragma once

#include <cstdint>

#include "core/context.hpp"

namespace amgsolve {

/// The blocks of core/reduction.hpp that a rank's rows share with those of other ranks, where ranks' rows are cut
/// within a block. Its lanes are summed row by row, so that a rank hands the sums of its lanes to the next one, which
/// goes on from them.
struct SharedBlocks {
  std::int64_t rows = 0;         ///< of this rank
  int ranks = 1;                 ///< that have them
  std::int64_t rows_before = 0;  ///< of the first block that lie on lower ranks
  int previous = -1;             ///< the rank that hands over the lanes of the first block; −1: they begin here
  int next = -1;                 ///< the rank that goes on with those of the last block; −1: they end here
};

/// Collective.
/// @param rows  of this rank
SharedBlocks shared_blocks(const Communicator& communicator, std::int64_t rows);

/// While it lives all sums are over vectors with these rows, unless another one is made for others: the ranks are asked
/// for their blocks once instead of for each sum. Collective.
template <MemorySpace S>
class SameRows {
 public:
  /// @param rows  of this rank
  SameRows(Context<S>& ctx, std::int64_t rows)
      : blocks_(shared_blocks(ctx.communicator(), rows)), known_(ctx, blocks_) {}

 private:
  SharedBlocks blocks_;
  typename Context<S>::Known known_;
};

/// Those of a sum over so many rows of this rank, which are known or asked for; none where ranks work by themselves.
/// Throws std::logic_error where others are known.
template <MemorySpace S>
SharedBlocks blocks_of_sum(Context<S>& ctx, std::int64_t rows);

/// Hands lanes to rank `next` while those of rank `previous` come in; a rank of −1 is left out.
template <MemorySpace S>
void pass_lanes(Context<S>& ctx, int next, Span<const double, S> to_next, int previous, Span<double, S> from_previous);

}  // namespace amgsolve
