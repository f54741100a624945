#include "amg/truncation.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "amg/truncation_steps.hpp"
#include "core/instantiate.hpp"
#include "spmv/counted_rows.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
CsrMatrix<T, S> truncate_prolongator(Context<S>& ctx, const CsrMatrix<T, S>& P,
                                     std::type_identity_t<Span<const T, S>> coarse_candidate, double drop_tolerance) {
  if (coarse_candidate.size() != static_cast<std::size_t>(P.cols)) {
    throw std::invalid_argument(fmt::format("truncation: a prolongator of {} columns and a coarse candidate of {}",
                                            P.cols, coarse_candidate.size()));
  }
  const T tolerance = static_cast<T>(drop_tolerance);
  CsrMatrix<T, S> result = uncounted_matrix<T>(ctx, P.rows, P.cols);
  count_truncated<T>(ctx, P, coarse_candidate, tolerance, row_counts(result));
  allocate_entries(ctx, result);
  fill_truncated<T>(ctx, P, coarse_candidate, tolerance, result);
  ctx.profile().add(
      {.bytes = static_cast<std::int64_t>(2 * P.bytes() + result.bytes()), .flops = 6 * P.nnz() + result.nnz()});
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                   \
  template CsrMatrix<T, S> truncate_prolongator(Context<S>&, const CsrMatrix<T, S>&, \
                                                std::type_identity_t<Span<const T, S>>, double);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
