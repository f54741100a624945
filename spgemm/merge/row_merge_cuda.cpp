#include "spgemm/merge/row_merge.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spgemm/merge/row_merge_rows_cuda.hpp"
#include "spgemm/merge/tuning.hpp"
#include "spgemm/rows/long_rows_cuda.hpp"
#include "spgemm/rows/row_subset_cuda.hpp"
#include "spgemm/rows/split_rows_cuda.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {

template <class T>
bool can_merge_in_one_pass(const RowSizeEstimate& estimate, const CsrMatrix<T, Cuda>& B) {
  return estimate.longest_a <= merge::width && B.nnz() < std::numeric_limits<std::uint32_t>::max();
}

namespace {

/// Whatever the length of the rows.
template <class T>
SpgemmProduct<T, Cuda> merge_all(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                 const RowSizeEstimate& estimate, const RowMargins& margins = {}) {
  if (can_merge_in_one_pass(estimate, B)) {
    ScopedTimer timer(ctx, "merge");
    const int staged = std::clamp<int>(estimate.sample.longest, 1, merge::most_staged);
    OnePassResult<T> result = form_in_one_pass<T>(
        ctx, A.rows, B.cols, merge::tile, estimate.sample.entries_bound(), margins,
        [&](const OnePassTarget<T>& target) { merge_rows(ctx, A, B, estimate.longest_a, staged, target); });
    return {std::move(result.matrix), result.products};
  }
  if (estimate.longest_a <= merge::width) {
    throw std::invalid_argument("sparse product by 'row_merge': B must have less than 2^32 entries");
  }
  const CutRows<T> cut = cut_rows(ctx, A);
  const SpgemmProduct<T, Cuda> parts = merge_all(ctx, cut.pieces, B, estimate_row_sizes(ctx, cut.pieces, B));
  SpgemmProduct<T, Cuda> whole = merge_all(ctx, cut.sums, parts.C, estimate_row_sizes(ctx, cut.sums, parts.C));
  whole.products = parts.products;
  return whole;
}

/// The rows of a product, as two lists of which each is formed in its own way.
template <class T>
SpgemmProduct<T, Cuda> merge_or_sort(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B) {
  SpgemmProduct<T, Cuda> result{uncounted_matrix<T>(ctx, A.rows, B.cols)};
  CsrMatrix<T, Cuda>& C = result.C;
  // In turn the products of each row and its entries: for rows without products, both are 0.
  const Span<Offset, Cuda> sizes = row_counts(C);
  WorkspaceScope<Cuda> scope(ctx.workspace());
  const RowBins rows(scope, A.rows);
  const auto [products, short_rows, long_rows] = split_rows(ctx, A, B, merge::most_products, rows, sizes);
  result.products = products;
  CsrMatrix<T, Cuda> merged;
  {
    const CsrMatrix<T, Cuda> A_short = gather_rows(ctx, A, short_rows);
    merged = merge_all(ctx, A_short, B, estimate_row_sizes(ctx, A_short, B)).C;
  }
  const LongRows<T> formed_apart(ctx, A, B, long_rows, sizes);
  ScopedTimer timer(ctx, "reorder");
  scatter_row_lengths(ctx, merged, short_rows, sizes);
  allocate_entries(ctx, C);
  scatter_rows(ctx, merged, short_rows, C);
  formed_apart.write(ctx, C);
  return result;
}

}  // namespace

template <class T>
SpgemmProduct<T, Cuda> multiply_row_merge(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                          const RowSizeEstimate& estimate, const RowMargins& margins) {
  const bool has_short_rows = Offset{estimate.longest_a} * estimate.longest_b <= merge::most_products;
  return has_short_rows ? merge_all(ctx, A, B, estimate, margins) : merge_or_sort(ctx, A, B);
}

template <class T>
SpgemmProduct<T, Cuda> multiply_row_merge(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                          const SpgemmOptions& options) {
  return multiply_row_merge(ctx, A, B, estimate_row_sizes(ctx, A, B), options.margins);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                             \
  template bool can_merge_in_one_pass(const RowSizeEstimate&, const CsrMatrix<T, S>&);                         \
  template SpgemmProduct<T, S> multiply_row_merge(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, \
                                                  const RowSizeEstimate&, const RowMargins&);                  \
  template SpgemmProduct<T, S> multiply_row_merge(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, \
                                                  const SpgemmOptions&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
