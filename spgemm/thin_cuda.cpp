#include "spgemm/thin_cuda.hpp"

#include <algorithm>

#include "core/algorithms.hpp"
#include "core/timer.hpp"
#include "spgemm/esc_global_cuda.hpp"
#include "spgemm/row_subset_cuda.hpp"
#include "spgemm/split_rows_cuda.hpp"
#include "spgemm/thin_rows_cuda.hpp"
#include "spgemm/tuning.hpp"

namespace amgsolve {
template <class T>
SpgemmProduct<T, Cuda> multiply_thin(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B) {
  SpgemmProduct<T, Cuda> result;
  CsrMatrix<T, Cuda>& C = result.C;
  C.rows = A.rows;
  C.cols = B.cols;
  C.row_offsets = Buffer<Offset, Cuda>(ctx, static_cast<std::size_t>(A.rows) + 1);
  // In turn the products of each row and its entries.
  const Span<Offset, Cuda> sizes = C.row_offsets.span().subspan(1, static_cast<std::size_t>(A.rows));

  WorkspaceScope<Cuda> scope(ctx.workspace());
  const RowBins rows(scope, A.rows);
  const Offset chunks = (std::max<Offset>(B.cols, 1) - 1) / thin::chunk_columns(B.cols) + 1;
  const Offset limit = std::max<Offset>(tuning::thin_most_products / chunks, tuning::thin_columns);
  const auto [products, short_rows, large_rows] = split_rows(ctx, A, B, limit, rows, sizes);
  result.products = products;
  const auto selected = static_cast<Index>(short_rows.size());
  const esc::RowSelection selection{selected == A.rows ? nullptr : short_rows.data(), selected};

  CsrMatrix<T, Cuda> large_product;
  if (!large_rows.empty()) {
    ScopedTimer timer(ctx, "large rows");
    large_product = multiply_esc_global(ctx, gather_rows(ctx, A, large_rows), B, 0).C;
    scatter_row_lengths(ctx, large_product, large_rows, sizes);
  }
  {
    ScopedTimer timer(ctx, "symbolic");
    thin::count_rows(ctx, A, B, selection, sizes);
    const auto nnz = static_cast<std::size_t>(counts_to_offsets(ctx, C.row_offsets));
    C.col_indices = Buffer<Index, Cuda>(ctx, nnz);
    C.values = Buffer<T, Cuda>(ctx, nnz);
  }
  ScopedTimer timer(ctx, "numeric");
  thin::form_rows(ctx, A, B, selection, C);
  if (!large_rows.empty()) {
    scatter_rows(ctx, large_product, large_rows, C);
  }
  return result;
}

template SpgemmProduct<float, Cuda> multiply_thin(Context<Cuda>&, const CsrMatrix<float, Cuda>&,
                                                  const CsrMatrix<float, Cuda>&);
template SpgemmProduct<double, Cuda> multiply_thin(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                                   const CsrMatrix<double, Cuda>&);

}  // namespace amgsolve
