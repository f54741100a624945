#include "core/reduce_cuda.cuh"
#include "spmv/connected_rows.hpp"

namespace amgsolve::detail {

template <class Ref>
void find_lowest_connected(Context<Cuda>& ctx, const Ref& A, Index block_size, Span<Index, Cuda> lowest) {
  const auto nodes = static_cast<std::int64_t>(lowest.size());
  WorkspaceScope scope(ctx.workspace());
  // Numbers only fall, so that whatever a thread reads while others write leads to the same end: the lowest node of
  // the component, when no grandparent falls any more.
  Index* const parent = lowest.data();
  Index* const grandparent = scope.take<Index>(lowest.size()).data();
  parallel_for(ctx, nodes, [=] __device__(std::int64_t i) { parent[i] = grandparent[i] = static_cast<Index>(i); });
  for (bool has_changed = true; has_changed;) {
    parallel_for(ctx, A.rows, [=] __device__(std::int64_t row) {
      const auto node = static_cast<Index>(row / block_size);
      const Index own = grandparent[node];
      Index least = own;
      const auto entries = A.row(row);
      for (Index e = 0; e < entries.count; ++e) {
        const Index column = entries.column(e);
        if (column == padding || A.values[entries.place(e)] == 0) {
          continue;
        }
        const Index other = column / block_size;
        least = min(least, grandparent[other]);
        // No mirror need do that.
        if (own < grandparent[other]) {
          atomicMin(parent + parent[other], own);
          atomicMin(parent + other, own);
        }
      }
      atomicMin(parent + parent[node], least);
      atomicMin(parent + node, least);
    });
    has_changed = transform_reduce(
        ctx, nodes, false,
        [=] __device__(std::int64_t i) {
          const Index before = grandparent[i];
          grandparent[i] = parent[parent[i]];
          return grandparent[i] != before;
        },
        [] __device__(bool a, bool b) { return a || b; });
  }
  parallel_for(ctx, nodes, [=] __device__(std::int64_t i) { parent[i] = grandparent[i]; });
}

#define AMGSOLVE_INSTANTIATE(T, Ref) \
  template void find_lowest_connected(Context<Cuda>&, const Ref&, Index, Span<Index, Cuda>);
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, float)
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE, double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve::detail
