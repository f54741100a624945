#include "spgemm/dense/thin.hpp"
#include "spgemm/dense/tuning.hpp"

#include <algorithm>

#include "core/timer.hpp"
#include "spgemm/dense/dense_rows_cuda.hpp"
#include "spgemm/rows/long_rows_cuda.hpp"
#include "spgemm/rows/split_rows_cuda.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {
namespace {

/// How rows of C are formed.
struct ThinShape {
  bool by_blocks;
  Index columns;  ///< of a chunk, a multiple of 32
  Offset limit;   ///< most products of a row
};

template <class T>
ThinShape choose_thin_shape(const Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& B) {
  const bool by_blocks = B.nnz() >= Offset{thin::block_row} * B.rows;
  const Index most_columns =
      by_blocks ? thin::tuning_for(compute_capability(ctx.device())).block_columns : thin::warp_columns;
  const Index columns = std::max<Index>(std::min(B.cols, most_columns), 1);
  const Offset chunks = (std::max<Offset>(B.cols, 1) - 1) / columns + 1;
  const Offset most_products = by_blocks ? thin::most_block_products : thin::most_warp_products;
  return {by_blocks, (columns + 31) / 32 * 32, std::max<Offset>(most_products / chunks, columns)};
}

}  // namespace

template <class T>
bool can_accumulate_by_blocks(const Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& B) {
  const ThinShape shape = choose_thin_shape(ctx, B);
  return shape.by_blocks && B.cols <= shape.columns;
}

template <class T>
SpgemmProduct<T, Cuda> multiply_thin(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                     const SpgemmOptions& /*options*/) {
  SpgemmProduct<T, Cuda> result{uncounted_matrix<T>(ctx, A.rows, B.cols)};
  CsrMatrix<T, Cuda>& C = result.C;
  // In turn the products of each row and its entries.
  const Span<Offset, Cuda> sizes = row_counts(C);

  WorkspaceScope<Cuda> scope(ctx.workspace());
  const RowBins rows(scope, A.rows);
  const ThinShape shape = choose_thin_shape(ctx, B);
  const auto [products, short_rows, large_rows] = split_rows(ctx, A, B, shape.limit, rows, sizes);
  result.products = products;
  const auto selected = static_cast<Index>(short_rows.size());
  const RowSelection selection{selected == A.rows ? nullptr : short_rows.data(), selected};

  const LongRows<T> formed_apart(ctx, A, B, large_rows, sizes);
  {
    ScopedTimer timer(ctx, "symbolic");
    const auto count = shape.by_blocks ? thin::count_rows_by_blocks<T> : thin::count_rows_by_warps<T>;
    count(ctx, A, B, shape.columns, selection, sizes);
    allocate_entries(ctx, C);
  }
  ScopedTimer timer(ctx, "numeric");
  const auto form = shape.by_blocks ? thin::form_rows_by_blocks<T> : thin::form_rows_by_warps<T>;
  form(ctx, A, B, shape.columns, selection, C);
  formed_apart.write(ctx, C);
  return result;
}

template bool can_accumulate_by_blocks(const Context<Cuda>&, const CsrMatrix<float, Cuda>&);
template bool can_accumulate_by_blocks(const Context<Cuda>&, const CsrMatrix<double, Cuda>&);
template SpgemmProduct<float, Cuda> multiply_thin(Context<Cuda>&, const CsrMatrix<float, Cuda>&,
                                                  const CsrMatrix<float, Cuda>&, const SpgemmOptions&);
template SpgemmProduct<double, Cuda> multiply_thin(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                                   const CsrMatrix<double, Cuda>&, const SpgemmOptions&);

}  // namespace amgsolve
