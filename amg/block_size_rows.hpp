#pragma once

#include "amg/block_size_steps.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "spmv/csr_ref.hpp"

/// The body of the step of find_block_size(), written once for both memory spaces: parallel_for is that of the context.
namespace amgsolve {

template <class T, MemorySpace S>
void detail::count_blocks_of_sample(Context<S>& ctx, const CsrMatrix<T, S>& A, const WindowColumns& window,
                                    Index block_size, const RowStrata& nodes, Span<Index, S> blocks,
                                    Span<Index, S> entries) {
  WorkspaceScope<S> scope(ctx.workspace());
  const std::size_t room = static_cast<std::size_t>(nodes.count) * static_cast<std::size_t>(block_size);
  Offset* const cursors = scope.template take<Offset>(room).data();
  const CsrRef<T> a = ref_of(A);
  Index* const blocks_of = blocks.data();
  Index* const entries_of = entries.data();
  parallel_for(ctx, nodes.count, [=] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const std::int64_t first = nodes.row(i) * block_size - window.first_row;
    const std::int64_t begin = first < 0 ? 0 : first;
    const std::int64_t end = first + block_size < window.own_rows ? first + block_size : window.own_rows;
    entries_of[i] = begin < end ? static_cast<Index>(a.row_offsets[end] - a.row_offsets[begin]) : 0;
    blocks_of[i] = 0;
    if (end - begin < block_size) {
      return;
    }
    // The rows are merged, block by block: a cursor each.
    const auto cursor = [=](std::int64_t row) -> Offset& { return cursors[i + (row - begin) * nodes.count]; };
    const auto block_at = [=](std::int64_t row) -> std::int64_t {
      const Offset k = cursor(row);
      return k < a.row_offsets[row + 1] ? window.row_of(a.col_indices[k]) / block_size : -1;
    };
    for (std::int64_t row = begin; row < end; ++row) {
      cursor(row) = a.row_offsets[row];
    }
    for (;;) {
      std::int64_t least = -1;
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t block = block_at(row);
        least = block >= 0 && (least < 0 || block < least) ? block : least;
      }
      if (least < 0) {
        return;
      }
      ++blocks_of[i];
      for (std::int64_t row = begin; row < end; ++row) {
        while (block_at(row) == least) {
          ++cursor(row);
        }
      }
    }
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                               \
  template void detail::count_blocks_of_sample(Context<S>&, const CsrMatrix<T, S>&, const WindowColumns&, Index, \
                                               const RowStrata&, Span<Index, S>, Span<Index, S>);

}  // namespace amgsolve
