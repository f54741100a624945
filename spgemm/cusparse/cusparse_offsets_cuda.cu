#include "core/copy.hpp"
#include "core/parallel_cuda.cuh"
#include "spgemm/cusparse/cusparse_offsets_cuda.hpp"

namespace amgsolve {

void narrow_offsets(Context<Cuda>& ctx, Span<const Offset, Cuda> wide, Span<std::int32_t, Cuda> narrow) {
  const Offset* from = wide.data();
  std::int32_t* to = narrow.data();
  parallel_for(ctx, static_cast<std::int64_t>(wide.size()),
               [=] __device__(std::int64_t i) { to[i] = static_cast<std::int32_t>(from[i]); });
}

bool has_sorted_rows(Context<Cuda>& ctx, Span<const Offset, Cuda> row_offsets, Span<const Index, Cuda> col_indices) {
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const auto unsorted = scope.take<std::uint8_t>(1);
  set_zero(ctx, unsorted);
  const Offset* offsets = row_offsets.data();
  const Index* cols = col_indices.data();
  std::uint8_t* found = unsorted.data();
  parallel_for(ctx, static_cast<std::int64_t>(row_offsets.size()) - 1, [=] __device__(std::int64_t row) {
    for (Offset k = offsets[row] + 1; k < offsets[row + 1]; ++k) {
      if (cols[k - 1] > cols[k]) {
        *found = 1;  // by several threads, all with the same value
        return;
      }
    }
  });
  return element(ctx, unsorted, 0) == 0;
}

}  // namespace amgsolve
