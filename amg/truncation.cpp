#include "amg/truncation.hpp"

#include <stdexcept>

#include "amg/truncation_steps.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {
namespace {

template <class T, MemorySpace S>
void check_sizes(const CsrMatrix<T, S>& P, const MultiVectorView<const T, S>& candidates) {
  const Index k = candidates.columns;
  if (candidates.rows != P.cols || k < 1 || k > most_truncated_candidates || P.rows % k != 0 || P.cols % k != 0) {
    throw std::invalid_argument(format_text("truncation: a prolongator of {} x {} and coarse candidates of {} x {}",
                                            P.rows, P.cols, candidates.rows, k));
  }
}

template <class T, MemorySpace S>
BlockTruncation<T> by_nodes(WorkspaceScope<S>& scope, const CsrMatrix<T, S>& P,
                            const MultiVectorView<const T, S>& candidates, double drop_tolerance) {
  const auto rows = static_cast<std::size_t>(P.rows);
  return {.P = ref_of(P),
          .candidates = candidates.data,
          .b = candidates.columns,
          .tolerance = static_cast<T>(drop_tolerance),
          .least = scope.template take<T>(rows).data(),
          .change = scope.template take<T>(rows * static_cast<std::size_t>(candidates.columns)).data()};
}

/// Of the passes over P and over what stays of it.
template <class T, MemorySpace S>
Work work_of(const CsrMatrix<T, S>& P, int passes, const CsrMatrix<T, S>& truncated, Index candidates) {
  return {.bytes = static_cast<std::int64_t>(static_cast<std::size_t>(passes) * P.bytes() + truncated.bytes()),
          .flops = (3 * P.nnz() + truncated.nnz()) * candidates};
}

}  // namespace

template <class T, MemorySpace S>
CsrMatrix<T, S> truncate_prolongator(Context<S>& ctx, const CsrMatrix<T, S>& P,
                                     std::type_identity_t<MultiVectorView<const T, S>> coarse_candidates,
                                     double drop_tolerance) {
  check_sizes(P, coarse_candidates);
  CsrMatrix<T, S> result = uncounted_matrix<T>(ctx, P.rows, P.cols);
  WorkspaceScope<S> scope(ctx.workspace());
  if (coarse_candidates.columns == 1) {
    const Span<const T, S> candidate = coarse_candidates.span();
    const auto rows = scope.template take<TruncatedRow<T>>(static_cast<std::size_t>(P.rows));
    count_truncated<T>(ctx, P, candidate, static_cast<T>(drop_tolerance), rows, row_counts(result));
    allocate_entries(ctx, result);
    fill_truncated<T>(ctx, P, rows, candidate, result);
  } else {
    const BlockTruncation<T> nodes = by_nodes(scope, P, coarse_candidates, drop_tolerance);
    count_truncated_blocks(ctx, nodes, row_counts(result));
    allocate_entries(ctx, result);
    fill_truncated_blocks(ctx, nodes, result);
  }
  ctx.profile().add(work_of(P, 2, result, coarse_candidates.columns));
  return result;
}

template <class T, MemorySpace S>
void refill_truncated_prolongator(Context<S>& ctx, const CsrMatrix<T, S>& P,
                                  std::type_identity_t<MultiVectorView<const T, S>> coarse_candidates,
                                  double drop_tolerance, CsrMatrix<T, S>& truncated) {
  check_sizes(P, coarse_candidates);
  if (truncated.rows != P.rows || truncated.cols != P.cols) {
    throw std::invalid_argument(format_text("truncation: {} x {} where {} x {} is to be refilled", truncated.rows,
                                            truncated.cols, P.rows, P.cols));
  }
  if (coarse_candidates.columns == 1) {
    refill_truncated<T>(ctx, P, coarse_candidates.span(), static_cast<T>(drop_tolerance), truncated);
  } else {
    WorkspaceScope<S> scope(ctx.workspace());
    refill_truncated_blocks(ctx, by_nodes(scope, P, coarse_candidates, drop_tolerance), truncated);
  }
  ctx.profile().add(work_of(P, 1, truncated, coarse_candidates.columns));
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                     \
  template CsrMatrix<T, S> truncate_prolongator(Context<S>&, const CsrMatrix<T, S>&, MultiVectorView<const T, S>,      \
                                                double);                                                               \
  template void refill_truncated_prolongator(Context<S>&, const CsrMatrix<T, S>&, MultiVectorView<const T, S>, double, \
                                             CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
