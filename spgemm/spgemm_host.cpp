#include <algorithm>
#include <vector>

#include "core/timer.hpp"
#include "spgemm/product.hpp"
#include "spgemm/product_blocks_host.hpp"
#include "spgemm/row_accumulator_host.hpp"
#include "spgemm/row_chunks_host.hpp"

namespace amgsolve {
namespace {

/// Forms the rows of C in chunks of memory and copies them together: cheaper than a pass that only counts entries,
/// which has to look at as many products. Beside C it takes memory for C once more.
template <class T, class Slots>
CsrMatrix<T, Host> multiply_rows(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                 const ProductBlocks& blocks) {
  using Accumulator = RowAccumulator<T, Slots>;
  WorkspaceScope<Host> scope(ctx.workspace());
  CsrMatrix<T, Host> C;
  C.rows = A.rows;
  C.cols = B.cols;
  C.row_offsets = Buffer<Offset, Host>(ctx, static_cast<std::size_t>(A.rows) + 1);
  Offset* const row_offsets = C.row_offsets.data();
  RowChunks<T> chunks(blocks, ctx.threads());
  {
    ScopedTimer timer(ctx, "rows");
    std::vector<Accumulator> accumulators;
    for (int thread = 0; thread < ctx.threads(); ++thread) {
      accumulators.emplace_back(scope, A, B, blocks.longest_row());
    }
    parallel_blocks(ctx, ctx.threads(),
                    [&](std::int64_t thread) { accumulators[static_cast<std::size_t>(thread)].clear(); });
    chunks.fill(ctx, scope, [&](std::int64_t block, Index* cols, T* values) {
      Accumulator& accumulator = accumulators[thread_number(ctx)];
      Offset entries = 0;
      const Index end = blocks.begin(block + 1);
      for (Index i = blocks.begin(block); i < end; ++i) {
        const Index length = accumulator.write(i, blocks.row_products(i), cols + entries, values + entries);
        row_offsets[i + 1] = length;
        entries += length;
      }
      return entries;
    });
  }
  ScopedTimer timer(ctx, "concatenation");
  const auto nnz = static_cast<std::size_t>(counts_to_offsets(ctx, C.row_offsets));
  C.col_indices = Buffer<Index, Host>(ctx, nnz);
  C.values = Buffer<T, Host>(ctx, nnz);
  parallel_blocks(ctx, blocks.count(), [&](std::int64_t k) {
    const auto& block = chunks.block(k);
    const Offset target = row_offsets[blocks.begin(k)];
    std::copy_n(block.cols, block.entries, C.col_indices.data() + target);
    std::copy_n(block.values, block.entries, C.values.data() + target);
  });
  return C;
}

bool prefers_dense(SpgemmAlgorithm algorithm, Index cols) {
  return algorithm == SpgemmAlgorithm::dense || (algorithm == SpgemmAlgorithm::automatic && cols <= dense_cols_limit);
}

}  // namespace

template <class T>
SpgemmProduct<T, Host> form_product(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                    const SpgemmOptions& options) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto offsets = scope.take<Offset>(static_cast<std::size_t>(A.rows) + 1);
  const ProductBlocks blocks = [&] {
    ScopedTimer timer(ctx, "analysis");
    return ProductBlocks(ctx, A, B, offsets);
  }();
  return {prefers_dense(options.algorithm, B.cols) ? multiply_rows<T, DenseSlots>(ctx, A, B, blocks)
                                                   : multiply_rows<T, HashSlots>(ctx, A, B, blocks),
          blocks.products()};
}

template SpgemmProduct<float, Host> form_product(Context<Host>&, const CsrMatrix<float, Host>&,
                                                 const CsrMatrix<float, Host>&, const SpgemmOptions&);
template SpgemmProduct<double, Host> form_product(Context<Host>&, const CsrMatrix<double, Host>&,
                                                  const CsrMatrix<double, Host>&, const SpgemmOptions&);

}  // namespace amgsolve
