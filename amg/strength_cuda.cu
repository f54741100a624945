#include "amg/strength_steps.hpp"
#include "core/instantiate.hpp"
#include "spmv/row_lanes_cuda.cuh"

namespace amgsolve {

template <class T>
void count_strong_entries(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const SymmetricStrength<T>& is_strong,
                          Span<Offset, Cuda> counts) {
  const Offset* row_offsets = A.row_offsets.data();
  const Index* col_indices = A.col_indices.data();
  const T* values = A.values.data();
  Offset* strong_entries = counts.data();
  parallel_rows(ctx, A.rows, [=] __device__(RowLanes lanes, std::int64_t i) {
    int count = 0;
    for (Offset k = row_offsets[i] + lanes.thread_rank(); k < row_offsets[i + 1]; k += row_lanes) {
      count += is_strong(i, col_indices[k], values[k]) ? 1 : 0;
    }
    count = cooperative_groups::reduce(lanes, count, cooperative_groups::plus<int>());
    if (lanes.thread_rank() == 0) {
      strong_entries[i] = count;
    }
  });
}

template <class T>
void list_strong_entries(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const SymmetricStrength<T>& is_strong,
                         Span<const Offset, Cuda> offsets, Span<Index, Cuda> neighbours) {
  const Offset* row_offsets = A.row_offsets.data();
  const Index* col_indices = A.col_indices.data();
  const T* values = A.values.data();
  const Offset* list_offsets = offsets.data();
  Index* lists = neighbours.data();
  parallel_rows(ctx, A.rows, [=] __device__(RowLanes lanes, std::int64_t i) {
    const Offset end = row_offsets[i + 1];
    Offset next = list_offsets[i];
    for (Offset chunk = row_offsets[i]; chunk < end; chunk += row_lanes) {
      const Offset k = chunk + lanes.thread_rank();
      const bool keep = k < end && is_strong(i, col_indices[k], values[k]);
      const unsigned kept = lanes.ballot(keep);
      if (keep) {
        lists[next + lanes_below(lanes, kept)] = col_indices[k];
      }
      next += count_lanes(kept);
    }
  });
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_STRENGTH_STEPS, Cuda)

}  // namespace amgsolve
