#include "amg/density.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "amg/density_steps.hpp"
#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {
namespace {

constexpr Index most_product_rows = 1024;

SampledRows all_rows(Index rows) { return SampledRows({rows, rows}); }

/// The rows of Pᵀ that a sample has, without values.
template <class T, MemorySpace S>
CsrMatrix<T, S> sample_transpose(Context<S>& ctx, const CsrMatrix<T, S>& P, const RowStrata& choice) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto is_chosen = scope.template take<std::uint8_t>(static_cast<std::size_t>(P.cols));
  mark_sample(ctx, choice, is_chosen);
  Buffer<std::uint64_t, S> found = list_sample<T, S>(ctx, P, choice, is_chosen);
  sort_pairs(ctx, found.span(), {},
             static_cast<int>(std::bit_width(static_cast<std::uint64_t>(choice.count * P.nnz()))));
  CsrMatrix<T, S> rows = uncounted_matrix<T>(ctx, choice.count, P.rows);
  rows.col_indices = Buffer<Index, S>(ctx, found.size());
  fill_sample<T, S>(ctx, P, std::as_const(found).span(), rows.row_offsets.span(), rows.col_indices.span());
  return rows;
}

}  // namespace

template <class T, MemorySpace S>
double estimate_density(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P, Index candidates) {
  const RowStrata choice = density_sample(P.cols, candidates);
  if (choice.count == 0 || A.nnz() == 0) {
    return 0.0;
  }
  const CsrMatrix<T, S> R = sample_transpose(ctx, P, choice);
  const Offset entries = count_product_entries(ctx, ref_of(R), ref_of(A), ref_of(P), P.cols, all_rows(R.rows));
  return static_cast<double>(entries) / choice.count * P.cols / static_cast<double>(A.nnz());
}

template <class T, MemorySpace S>
double density_above(Context<S>& ctx, double limit, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P,
                     Index candidates) {
  const double full = static_cast<double>(P.cols) * P.cols;
  return full > limit * static_cast<double>(A.nnz()) ? estimate_density(ctx, A, P, candidates) : 0.0;
}

template <class T, MemorySpace S>
double estimate_product_entries(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P) {
  const RowStrata choice{A.rows, std::min(A.rows, most_product_rows)};
  if (choice.count == 0) {
    return 0.0;
  }
  std::vector<Offset> offsets(static_cast<std::size_t>(choice.count) + 1);
  std::vector<Index> cols(static_cast<std::size_t>(choice.count));
  for (std::size_t k = 0; k < cols.size(); ++k) {
    offsets[k + 1] = static_cast<Offset>(k) + 1;
    cols[k] = static_cast<Index>(choice.row(static_cast<std::int64_t>(k)));
  }
  CsrMatrix<T, S> chosen(ctx, choice.count, A.rows, choice.count);
  upload<Offset>(ctx, {offsets.data(), offsets.size()}, chosen.row_offsets.span());
  upload<Index>(ctx, {cols.data(), cols.size()}, chosen.col_indices.span());
  const Offset entries =
      count_product_entries(ctx, ref_of(chosen), ref_of(A), ref_of(P), P.cols, all_rows(choice.count));
  return static_cast<double>(entries) / choice.count * A.rows;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                           \
  template double estimate_density(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, Index);      \
  template double density_above(Context<S>&, double, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, Index); \
  template double estimate_product_entries(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
