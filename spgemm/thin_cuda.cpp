#include "spgemm/thin_cuda.hpp"

#include <algorithm>
#include <limits>

#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/timer.hpp"
#include "spgemm/esc_global_cuda.hpp"
#include "spgemm/hash_bins_cuda.hpp"
#include "spgemm/hash_rows_cuda.hpp"
#include "spgemm/row_subset_cuda.hpp"
#include "spgemm/thin_rows_cuda.hpp"
#include "spgemm/tuning.hpp"

namespace amgsolve {
namespace {

/// The list of rows that are left to others; the first one is that of all others.
constexpr std::size_t large = RowBins::lists - 1;

}  // namespace

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
  esc::RowSelection selection{};
  Span<const Index, Cuda> large_rows;
  {
    ScopedTimer timer(ctx, "analysis");
    const Offset chunks = (std::max<Offset>(B.cols, 1) - 1) / thin::chunk_columns(B.cols) + 1;
    const Offset limit = std::max<Offset>(tuning::thin_most_products / chunks, tuning::thin_columns);
    count_row_products(ctx, A, B, sizes);
    std::array<Offset, RowBins::lists> limits;
    limits.fill(limit);
    limits.back() = std::numeric_limits<Offset>::max();
    fill_bins(ctx, sizes, limits, rows);
    std::array<Offset, RowBins::lists + 1> lengths;
    download(ctx, rows.lengths, {lengths.data(), lengths.size()});
    result.products = lengths[RowBins::lists];
    selection = {lengths[0] == A.rows ? nullptr : rows.list(0).data(), static_cast<Index>(lengths[0])};
    large_rows = rows.list(large).subspan(0, static_cast<std::size_t>(lengths[large]));
  }

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
