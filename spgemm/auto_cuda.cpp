#include <algorithm>
#include <string_view>
#include <utility>

#include "core/format.hpp"
#include "spgemm/auto.hpp"
#include "spgemm/auto_tuning.hpp"
#include "spgemm/dense/thin.hpp"
#include "spgemm/esc/esc.hpp"
#include "spgemm/esc/esc_fused.hpp"
#include "spgemm/esc/tuning.hpp"
#include "spgemm/hash/hash.hpp"
#include "spgemm/hash/hash_one_pass.hpp"
#include "spgemm/merge/row_merge.hpp"
#include "spgemm/rows/row_size_estimate.hpp"

namespace amgsolve {
namespace {

/// Says what auto chose and why.
void note_choice(Context<Cuda>& ctx, std::string_view choice, const RowSizeEstimate& estimate) {
  ctx.profile().note(
      format_text("auto: {}, for rows of up to {} entries of A times up to {} of B, on average {:.0f} "
                  "products and {:.0f} entries",
                  choice, estimate.longest_a, estimate.longest_b, estimate.products_per_row(), estimate.sample.mean()));
}

}  // namespace

/// The quickest of all on the benchmark's products (bench/results): esc_fused where there is little to do, thin for few
/// columns and many products, row_merge for short rows, hash in one pass for longer ones that are alike, or in two
/// where rows of A are long, and esc for the rest.
template <class T>
SpgemmProduct<T, Cuda> multiply_auto(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                     const SpgemmOptions& options) {
  const double products = static_cast<double>(A.nnz()) * static_cast<double>(B.nnz()) / std::max(B.rows, 1);
  const bool has_long_rows = products > automatic::thin_row_products * A.rows;
  const bool can_be_estimated = A.nnz() <= Offset{most_counted_entries} * A.rows;
  if (A.rows <= esc::most_fused_rows && products <= automatic::fused_products && !has_long_rows && can_be_estimated) {
    if (auto product = fuse_rows(ctx, A, B, options.margins)) {
      ctx.profile().note("auto: esc_fused, for a small product");
      return std::move(*product);
    }
  }
  if (has_long_rows && A.rows >= automatic::thin_rows && can_accumulate_by_blocks(ctx, B)) {
    ctx.profile().note(
        format_text("auto: thin, for rows of {:.0f} products on average in {} columns", products / A.rows, B.cols));
    return multiply_thin(ctx, A, B, options);
  }
  if (!can_be_estimated) {
    const bool takes_hash = A.rows >= automatic::thin_rows;
    ctx.profile().note(format_text("auto: {}, for rows of A with {} entries on average", takes_hash ? "hash" : "esc",
                                   A.nnz() / A.rows));
    return takes_hash ? multiply_hash(ctx, A, B, options) : multiply_esc(ctx, A, B, options);
  }
  const RowSizeEstimate estimate = estimate_row_sizes(ctx, A, B);
  if (can_merge_in_one_pass(estimate, B) && estimate.longest_b <= automatic::merge_longest_row) {
    note_choice(ctx, "row_merge", estimate);
    return multiply_row_merge(ctx, A, B, estimate, options.margins);
  }
  if (auto product = hash_in_one_pass(ctx, A, B, estimate, options.margins)) {
    note_choice(ctx, "hash", estimate);
    return std::move(*product);
  }
  note_choice(ctx, "esc", estimate);
  return multiply_esc(ctx, A, B, options);
}

template SpgemmProduct<float, Cuda> multiply_auto(Context<Cuda>&, const CsrMatrix<float, Cuda>&,
                                                  const CsrMatrix<float, Cuda>&, const SpgemmOptions&);
template SpgemmProduct<double, Cuda> multiply_auto(Context<Cuda>&, const CsrMatrix<double, Cuda>&,
                                                   const CsrMatrix<double, Cuda>&, const SpgemmOptions&);

}  // namespace amgsolve
