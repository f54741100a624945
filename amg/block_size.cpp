#include "amg/block_size.hpp"

#include "amg/block_size_steps.hpp"
#include "amg/smooth_unknowns.hpp"
#include "core/algorithms.hpp"
#include "core/instantiate.hpp"

namespace amgsolve {
namespace {

/// Part of the blocks that the entries of a sample fill.
template <class T, MemorySpace S>
double block_fill(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size) {
  const Index nodes = A.rows / block_size;
  const RowStrata choice = sampled_nodes(nodes);
  WorkspaceScope<S> scope(ctx.workspace());
  const auto blocks = scope.template take<Index>(static_cast<std::size_t>(choice.count));
  const auto entries = scope.template take<Index>(static_cast<std::size_t>(choice.count));
  detail::count_blocks_of_sample(ctx, A, block_size, choice, blocks, entries);
  const double touched = static_cast<double>(reduce_sum(ctx, blocks)) * block_size * block_size;
  return touched > 0.0 ? static_cast<double>(reduce_sum(ctx, entries)) / touched : 0.0;
}

}  // namespace

template <class T, MemorySpace S>
Index find_block_size(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  SmoothUnknowns<T, S> unknowns(A);
  for (Index b = largest_node; b > 1; --b) {
    if (A.rows > 0 && A.rows % b == 0 && block_fill(ctx, A, b) >= least_node_fill && unknowns.are_smooth(ctx, b)) {
      return b;
    }
  }
  return 1;
}

#define AMGSOLVE_INSTANTIATE(T, S) template Index find_block_size(Context<S>&, const CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
