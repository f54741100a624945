#include "amg/truncation.hpp"

#include <stdexcept>

#include "amg/truncation_steps.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {
namespace {

void check_candidate(Index cols, std::size_t entries) {
  if (entries != static_cast<std::size_t>(cols)) {
    throw std::invalid_argument(
        format_text("truncation: a prolongator of {} columns and a coarse candidate of {}", cols, entries));
  }
}

}  // namespace

template <class T, MemorySpace S>
CsrMatrix<T, S> truncate_prolongator(Context<S>& ctx, const CsrMatrix<T, S>& P,
                                     std::type_identity_t<Span<const T, S>> coarse_candidate, double drop_tolerance) {
  check_candidate(P.cols, coarse_candidate.size());
  const T tolerance = static_cast<T>(drop_tolerance);
  CsrMatrix<T, S> result = uncounted_matrix<T>(ctx, P.rows, P.cols);
  WorkspaceScope<S> scope(ctx.workspace());
  const auto rows = scope.template take<TruncatedRow<T>>(static_cast<std::size_t>(P.rows));
  count_truncated<T>(ctx, P, coarse_candidate, tolerance, rows, row_counts(result));
  allocate_entries(ctx, result);
  fill_truncated<T>(ctx, P, rows, coarse_candidate, result);
  ctx.profile().add(
      {.bytes = static_cast<std::int64_t>(2 * P.bytes() + result.bytes()), .flops = 3 * P.nnz() + result.nnz()});
  return result;
}

template <class T, MemorySpace S>
void refill_truncated_prolongator(Context<S>& ctx, const CsrMatrix<T, S>& P,
                                  std::type_identity_t<Span<const T, S>> coarse_candidate, double drop_tolerance,
                                  CsrMatrix<T, S>& truncated) {
  check_candidate(P.cols, coarse_candidate.size());
  if (truncated.rows != P.rows || truncated.cols != P.cols) {
    throw std::invalid_argument(format_text("truncation: {} x {} where {} x {} is to be refilled", truncated.rows,
                                            truncated.cols, P.rows, P.cols));
  }
  refill_truncated<T>(ctx, P, coarse_candidate, static_cast<T>(drop_tolerance), truncated);
  ctx.profile().add(
      {.bytes = static_cast<std::int64_t>(P.bytes() + truncated.bytes()), .flops = 3 * P.nnz() + truncated.nnz()});
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                          \
  template CsrMatrix<T, S> truncate_prolongator(Context<S>&, const CsrMatrix<T, S>&,                        \
                                                std::type_identity_t<Span<const T, S>>, double);            \
  template void refill_truncated_prolongator(Context<S>&, const CsrMatrix<T, S>&, Span<const T, S>, double, \
                                             CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
