#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/timer.hpp"
#include "spgemm/host/row_chunks_host.hpp"
#include "spgemm/host/row_writer_host.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {

/// Forms the rows of C = A B in chunks of memory and copies them together: cheaper than a pass that only counts
/// entries, which has to look at as many products. Beside C it takes memory for C once more. Times "rows",
/// "concatenation".
/// @tparam Factors  see ProductList
/// @param  finish   finish(row, cols, values, entries) may change the values of a row once it is formed, and write the
///                  next RowChunks::slack values as they are; called for every row by the thread that formed it
template <class T, class Slots, class Factors, class Finish>
CsrMatrix<T, Host> form_rows(Context<Host>& ctx, const Factors& factors, Index rows, Index cols,
                             const ProductBlocks& blocks, bool short_rows_together, const RowMargins& margins,
                             const Finish& finish) {
  static_assert(ShortRows<T, Factors>::slack <= RowChunks<T>::slack);
  WorkspaceScope<Host> scope(ctx.workspace());
  CsrMatrix<T, Host> C = uncounted_matrix<T>(ctx, rows, cols);
  Offset* const row_offsets = C.row_offsets.data();
  RowChunks<T> chunks(blocks);
  {
    ScopedTimer timer(ctx, "rows");
    std::vector<RowWriter<T, Slots, Factors>> writers;
    writers.reserve(blocks.workers());
    for (std::size_t worker = 0; worker < blocks.workers(); ++worker) {
      writers.emplace_back(scope, factors, cols, blocks, worker, short_rows_together);
    }
    parallel_blocks(
        ctx, std::ssize(writers), [&](std::int64_t worker) { writers[static_cast<std::size_t>(worker)].clear(); },
        blocks.products() / ctx.threads());
    chunks.fill(ctx, scope, [&](std::size_t worker, std::int64_t block, Index* block_cols, T* block_values) {
      const Index begin = blocks.begin(block);
      return writers[worker].write(begin, blocks.begin(block + 1), row_offsets + begin + 1, block_cols, block_values,
                                   finish);
    });
  }
  ScopedTimer timer(ctx, "concatenation");
  allocate_entries(ctx, C, margins);
  parallel_blocks(
      ctx, blocks.count(),
      [&](std::int64_t k) {
        const auto& block = chunks.block(k);
        const Offset target = row_offsets[blocks.begin(k)];
        std::copy_n(block.cols, block.entries, C.col_indices.data() + target);
        std::copy_n(block.values, block.entries, C.values.data() + target);
      },
      ProductBlocks::products_per_block / 4);
  return C;
}

/// The same, by the slots that suit the columns; rows of few products are sorted several at a time.
template <class T, class Factors, class Finish>
CsrMatrix<T, Host> form_rows(Context<Host>& ctx, const Factors& factors, Index rows, Index cols,
                             const ProductBlocks& blocks, const RowMargins& margins, const Finish& finish) {
  return cols <= dense_cols_limit ? form_rows<T, DenseSlots>(ctx, factors, rows, cols, blocks, true, margins, finish)
                                  : form_rows<T, HashSlots>(ctx, factors, rows, cols, blocks, true, margins, finish);
}

}  // namespace amgsolve
