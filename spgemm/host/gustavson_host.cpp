#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spgemm/host/gustavson.hpp"
#include "spgemm/host/row_accumulator_host.hpp"
#include "spgemm/host/row_chunks_host.hpp"
#include "spgemm/host/short_rows_host.hpp"
#include "spgemm/rows/product_blocks_host.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {
namespace {

/// Forms rows of C, those with few products together where that is allowed. One a worker.
template <class T, class Slots>
class RowWriter {
 public:
  RowWriter(WorkspaceScope<Host>& scope, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
            const ProductBlocks& blocks, std::size_t worker, bool short_rows_together)
      : blocks_(&blocks),
        short_rows_together_(short_rows_together && B.cols <= ShortRows<T>::most_cols),
        short_rows_(A, B),
        accumulator_(scope, A, B, blocks.longest_row(worker)) {}

  void clear() { accumulator_.clear(); }

  /// Writes the rows [begin, end), one after the other, and their lengths. Returns their entries.
  Offset write(Index begin, Index end, Offset* lengths, Index* cols, T* values) {
    Offset entries = 0;
    for (Index i = begin; i < end;) {
      const Index rows = std::min(ShortRows<T>::most_rows, end - i);
      std::array<Offset, ShortRows<T>::most_rows> products;
      for (Index row = 0; row < rows; ++row) {
        products[static_cast<std::size_t>(row)] = blocks_->row_products(i + row);
      }
      const Offset most = *std::max_element(products.begin(), products.begin() + rows);
      if (short_rows_together_ && most <= ShortRows<T>::most_products) {
        entries += short_rows_.write(i, rows, products.data(), most, lengths, cols + entries, values + entries);
      } else {
        for (Index row = 0; row < rows; ++row) {
          lengths[row] =
              accumulator_.write(i + row, products[static_cast<std::size_t>(row)], cols + entries, values + entries);
          entries += lengths[row];
        }
      }
      lengths += rows;
      i += rows;
    }
    return entries;
  }

 private:
  const ProductBlocks* blocks_;
  bool short_rows_together_;
  ShortRows<T> short_rows_;
  RowAccumulator<T, Slots> accumulator_;
};

/// Forms the rows of C in chunks of memory and copies them together: cheaper than a pass that only counts entries,
/// which has to look at as many products. Beside C it takes memory for C once more.
template <class T, class Slots>
CsrMatrix<T, Host> multiply_rows(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                 const ProductBlocks& blocks, bool short_rows_together, const RowMargins& margins) {
  WorkspaceScope<Host> scope(ctx.workspace());
  CsrMatrix<T, Host> C = uncounted_matrix<T>(ctx, A.rows, B.cols);
  Offset* const row_offsets = C.row_offsets.data();
  RowChunks<T> chunks(blocks);
  {
    ScopedTimer timer(ctx, "rows");
    std::vector<RowWriter<T, Slots>> writers;
    writers.reserve(blocks.workers());
    for (std::size_t worker = 0; worker < blocks.workers(); ++worker) {
      writers.emplace_back(scope, A, B, blocks, worker, short_rows_together);
    }
    parallel_blocks(
        ctx, std::ssize(writers), [&](std::int64_t worker) { writers[static_cast<std::size_t>(worker)].clear(); },
        blocks.products() / ctx.threads());
    chunks.fill(ctx, scope, [&](std::size_t worker, std::int64_t block, Index* cols, T* values) {
      const Index begin = blocks.begin(block);
      return writers[worker].write(begin, blocks.begin(block + 1), row_offsets + begin + 1, cols, values);
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

template <class T, class Slots>
SpgemmProduct<T, Host> multiply_gustavson(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                          bool short_rows_together, const RowMargins& margins) {
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto offsets = scope.take<Offset>(static_cast<std::size_t>(A.rows) + 1);
  const ProductBlocks blocks = [&] {
    ScopedTimer timer(ctx, "analysis");
    return ProductBlocks(ctx, A, B, offsets);
  }();
  return {multiply_rows<T, Slots>(ctx, A, B, blocks, short_rows_together, margins), blocks.products()};
}

}  // namespace

template <class T>
SpgemmProduct<T, Host> multiply_dense(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                      const SpgemmOptions& options) {
  return multiply_gustavson<T, DenseSlots>(ctx, A, B, false, options.margins);
}

template <class T>
SpgemmProduct<T, Host> multiply_hash(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                     const SpgemmOptions& options) {
  return multiply_gustavson<T, HashSlots>(ctx, A, B, false, options.margins);
}

template <class T>
SpgemmProduct<T, Host> multiply_auto(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                     const SpgemmOptions& options) {
  return B.cols <= dense_cols_limit ? multiply_gustavson<T, DenseSlots>(ctx, A, B, true, options.margins)
                                    : multiply_gustavson<T, HashSlots>(ctx, A, B, true, options.margins);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                         \
  template SpgemmProduct<T, S> multiply_dense(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, \
                                              const SpgemmOptions&);                                       \
  template SpgemmProduct<T, S> multiply_hash(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&,  \
                                             const SpgemmOptions&);                                        \
  template SpgemmProduct<T, S> multiply_auto(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&,  \
                                             const SpgemmOptions&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Host)

}  // namespace amgsolve
