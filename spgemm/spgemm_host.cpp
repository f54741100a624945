#include <algorithm>
#include <vector>

#include "core/algorithms.hpp"
#include "core/parallel_host.hpp"
#include "core/timer.hpp"
#include "spgemm/product.hpp"
#include "spgemm/row_accumulator_host.hpp"

namespace amgsolve {
namespace {

// Some 50 us of work: enough to hide the hand-out of a block, small enough that the last ones end together.
constexpr Offset products_per_block = 32768;

// A dense map of 4 MB; past it a look-up is likely to miss the caches and a row's own small table is quicker.
constexpr Index dense_cols_limit = 1 << 20;

/// The products that the rows of C have to expect, and blocks of rows with about as many products each.
struct Analysis {
  Span<const Offset, Host> offsets;  ///< products of all rows before each row
  Offset longest_row = 0;            ///< bound on the entries of a row of C
  std::int64_t blocks = 1;

  Offset products() const { return offsets[offsets.size() - 1]; }
  Offset row_products(Index row) const { return offsets.data()[row + 1] - offsets.data()[row]; }
  Index block_begin(std::int64_t block) const {
    const Offset* last = offsets.end() - 1;
    if (block == blocks) {
      return static_cast<Index>(last - offsets.begin());
    }
    return static_cast<Index>(std::lower_bound(offsets.begin(), last, products() / blocks * block) - offsets.begin());
  }
};

template <class T>
Analysis analyse(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                 Span<Offset, Host> offsets) {
  ScopedTimer timer(ctx, "analysis");
  const Offset* a_offsets = A.row_offsets.data();
  const Offset* b_offsets = B.row_offsets.data();
  const Index* a_cols = A.col_indices.data();
  Offset longest = 0;
  parallel_ranges(ctx, A.rows, [&](std::int64_t begin, std::int64_t end) {
    Offset longest_here = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      Offset products = 0;
      for (Offset k = a_offsets[i]; k < a_offsets[i + 1]; ++k) {
        products += b_offsets[a_cols[k] + 1] - b_offsets[a_cols[k]];
      }
      offsets.data()[i + 1] = products;
      longest_here = std::max(longest_here, products);
    }
#pragma omp critical
    longest = std::max(longest, longest_here);
  });
  const Offset products = counts_to_offsets(ctx, offsets);
  return {offsets, std::min<Offset>(longest, B.cols),
          std::clamp<std::int64_t>(products / products_per_block, 1, std::max(A.rows, 1))};
}

/// Counts the entries of each row of C, then sums them: C is written once, and needs no room to spare.
template <class T, class Slots>
CsrMatrix<T, Host> multiply_rows(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                                 const Analysis& analysis) {
  using Accumulator = RowAccumulator<T, Slots>;
  WorkspaceScope<Host> scope(ctx.workspace());
  std::vector<Accumulator> accumulators;
  for (int thread = 0; thread < ctx.threads(); ++thread) {
    accumulators.emplace_back(scope, A, B, analysis.longest_row);
  }
  parallel_blocks(ctx, ctx.threads(),
                  [&](std::int64_t thread) { accumulators[static_cast<std::size_t>(thread)].clear(); });
  const auto for_rows = [&](auto&& body) {
    parallel_blocks(ctx, analysis.blocks, [&](std::int64_t block) {
      Accumulator& accumulator = accumulators[thread_number(ctx)];
      const Index end = analysis.block_begin(block + 1);
      for (Index i = analysis.block_begin(block); i < end; ++i) {
        body(accumulator, i);
      }
    });
  };

  CsrMatrix<T, Host> C;
  C.rows = A.rows;
  C.cols = B.cols;
  C.row_offsets = Buffer<Offset, Host>(ctx, static_cast<std::size_t>(A.rows) + 1);
  Offset* const row_offsets = C.row_offsets.data();
  {
    ScopedTimer timer(ctx, "symbolic");
    for_rows([&](Accumulator& accumulator, Index i) {
      row_offsets[i + 1] = accumulator.count(i, analysis.row_products(i));
    });
    const auto nnz = static_cast<std::size_t>(counts_to_offsets(ctx, C.row_offsets));
    C.col_indices = Buffer<Index, Host>(ctx, nnz);
    C.values = Buffer<T, Host>(ctx, nnz);
  }
  ScopedTimer timer(ctx, "numeric");
  Index* const cols = C.col_indices.data();
  T* const values = C.values.data();
  for_rows([&](Accumulator& accumulator, Index i) {
    accumulator.write(i, analysis.row_products(i), cols + row_offsets[i], values + row_offsets[i]);
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
  const Analysis analysis = analyse(ctx, A, B, scope.take<Offset>(static_cast<std::size_t>(A.rows) + 1));
  return {prefers_dense(options.algorithm, B.cols) ? multiply_rows<T, DenseSlots>(ctx, A, B, analysis)
                                                   : multiply_rows<T, HashSlots>(ctx, A, B, analysis),
          analysis.products()};
}

template SpgemmProduct<float, Host> form_product(Context<Host>&, const CsrMatrix<float, Host>&,
                                                 const CsrMatrix<float, Host>&, const SpgemmOptions&);
template SpgemmProduct<double, Host> form_product(Context<Host>&, const CsrMatrix<double, Host>&,
                                                  const CsrMatrix<double, Host>&, const SpgemmOptions&);

}  // namespace amgsolve
