#include "amg/block_size.hpp"

#include "amg/block_size_steps.hpp"
#include "amg/smooth_unknowns.hpp"
#include "core/algorithms.hpp"
#include "core/instantiate.hpp"

namespace amgsolve {
namespace {

/// The part of their blocks that the entries of a system fill at least. Structures in files, whose zeros were left out:
/// 0.70 to 0.98; scalar problems: below 0.6, but for discontinuous elements.
constexpr double least_node_fill = 0.55;

template <class T, MemorySpace S>
bool has_full_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size) {
  const WindowColumns all{0, 0, A.rows, nullptr, 0};
  return are_full(count_sampled_blocks(ctx, A, all, block_size, sampled_nodes(A.rows / block_size)), block_size);
}

}  // namespace

bool are_full(const BlockCounts& blocks, Index block_size) {
  const double room = static_cast<double>(blocks.touched) * block_size * block_size;
  return room > 0.0 && static_cast<double>(blocks.entries) >= least_node_fill * room;
}

template <class T, MemorySpace S>
BlockCounts count_sampled_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A, const WindowColumns& window,
                                 Index block_size, const RowStrata& nodes) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto blocks = scope.template take<Index>(static_cast<std::size_t>(nodes.count));
  const auto entries = scope.template take<Index>(static_cast<std::size_t>(nodes.count));
  detail::count_blocks_of_sample(ctx, A, window, block_size, nodes, blocks, entries);
  return {sum_and_max(ctx, entries).sum, sum_and_max(ctx, blocks).sum};
}

template <class T, MemorySpace S>
Index find_block_size(Context<S>& ctx, const CsrMatrix<T, S>& A, const RowMagnitudes& magnitudes) {
  SmoothUnknowns<T, S> unknowns(A, magnitudes);
  for (Index b = largest_node; b > 1; --b) {
    if (A.rows > 0 && A.rows % b == 0 && has_full_blocks(ctx, A, b) && unknowns.are_smooth(ctx, b)) {
      return b;
    }
  }
  return 1;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                            \
  template BlockCounts count_sampled_blocks(Context<S>&, const CsrMatrix<T, S>&, const WindowColumns&, Index, \
                                            const RowStrata&);                                                \
  template Index find_block_size(Context<S>&, const CsrMatrix<T, S>&, const RowMagnitudes&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
