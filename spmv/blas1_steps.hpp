#pragma once

#include "core/global_sum.hpp"
#include "core/reduction.hpp"
#include "core/shared_blocks.hpp"
#include "spmv/blas1_operations.hpp"

/// How the operations of blas1_operations.hpp are done to all values of vectors of that many rows and columns.
namespace amgsolve::detail {

template <class Operation>
void for_values(Context<Host>& ctx, std::int64_t rows, Index columns, const Operation& operation);
template <class Operation>
void for_values(Context<Cuda>& ctx, std::int64_t rows, Index columns, const Operation& operation);

/// The blocks to sum where the rows begin or end within one.
template <MemorySpace S>
struct BlockRange {
  std::int64_t rows_before = 0;  ///< of the first block that the rows touch
  std::int64_t first = 0;        ///< block to sum
  std::int64_t last = 0;         ///< past the blocks to sum
  std::int64_t all = 0;          ///< blocks that the rows touch
  /// The sums of the lanes of a block, lane by lane its columns. To go on from in the first block of all, and where
  /// those of the last one go, which then has no sum. Empty where it begins, and ends, with the rows.
  Span<const double, S> from_previous{};
  Span<double, S> to_next{};
};

/// partial[j · blocks + b] = Σ of the terms of column j over block b of the rows, in the order of reduction_lanes().
template <class Operation>
void sum_values(Context<Host>& ctx, std::int64_t rows, Index columns, const Operation& operation,
                const BlockRange<Host>& range, Span<double, Host> partial);
template <class Operation>
void sum_values(Context<Cuda>& ctx, std::int64_t rows, Index columns, const Operation& operation,
                const BlockRange<Cuda>& range, Span<double, Cuda> partial);

/// result_j = Σ of the terms of column j over the rows of all ranks, which are cut anywhere; see core/global_sum.hpp.
template <class Operation, MemorySpace S>
void global_sums(Context<S>& ctx, std::int64_t rows, const Operation& operation, Span<double, S> result) {
  const SharedBlocks shared = blocks_of_sum(ctx, rows);
  const std::int64_t blocks = rows > 0 ? reduction_blocks(shared.rows_before + rows) : 0;
  const auto columns = static_cast<Index>(result.size());
  if (blocks == 1 && ctx.communicator().size() == 1) {  // nothing is added to the sum of the only block
    sum_values(ctx, rows, columns, operation, BlockRange<S>{.last = 1, .all = 1}, result);
    return;
  }
  const std::size_t width = static_cast<std::size_t>(reduction_lanes(columns)) * result.size();
  WorkspaceScope<S> scope(ctx.workspace());
  const auto partial = scope.template take<double>(static_cast<std::size_t>(blocks) * result.size());
  const auto from_previous = scope.template take<double>(shared.previous >= 0 ? width : 0);
  const auto to_next = scope.template take<double>(shared.next >= 0 ? width : 0);
  const auto sum = [&](std::int64_t first, std::int64_t last) {
    sum_values(ctx, rows, columns, operation,
               BlockRange<S>{shared.rows_before, first, last, blocks, from_previous, to_next}, partial);
  };
  if (shared.previous < 0) {
    sum(0, blocks);
    pass_lanes<S>(ctx, shared.next, to_next, -1, {});
  } else if (blocks == 1) {
    pass_lanes<S>(ctx, -1, {}, shared.previous, from_previous);
    sum(0, 1);
    pass_lanes<S>(ctx, shared.next, to_next, -1, {});
  } else {  // what the next rank waits for does not wait for the previous one
    sum(1, blocks);
    pass_lanes<S>(ctx, shared.next, to_next, shared.previous, from_previous);
    sum(0, 1);
  }
  sum_of_blocks<S>(ctx, partial, result);
}

/// INSTANTIATE(operation) for all operations on values T, of those that return a term and of the others.
#define AMGSOLVE_FOR_OPERATIONS(INSTANTIATE, T) \
  INSTANTIATE(Fill<T>)                          \
  INSTANTIATE(FillRandom<T>)                    \
  INSTANTIATE(AddColumns<T>)                    \
  INSTANTIATE(Axpby<T>)                         \
  INSTANTIATE(ScaleRows<T>)                     \
  INSTANTIATE(CgDirectionOfFloat<T>)            \
  INSTANTIATE(CgDirectionOfDouble<T>)           \
  INSTANTIATE(ToFloat<T>)                       \
  INSTANTIATE(ToDouble<T>)                      \
  INSTANTIATE(ScaleToFloat<T>)                  \
  INSTANTIATE(ScaleToDouble<T>)
#define AMGSOLVE_FOR_SUMS(INSTANTIATE, T) \
  INSTANTIATE(DotWithFloat<T>)            \
  INSTANTIATE(DotWithDouble<T>)           \
  INSTANTIATE(CgUpdate<T>)                \
  INSTANTIATE(RoundingCgUpdate<T>)        \
  INSTANTIATE(LanczosStep<T>)             \
  INSTANTIATE(InnerProducts<T>)           \
  INSTANTIATE(ScaledSquare<T>)            \
  INSTANTIATE(CrossDifference<T>)

}  // namespace amgsolve::detail
