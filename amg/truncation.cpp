#include "amg/truncation.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "amg/truncation_steps.hpp"
#include "core/algorithms.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
CsrMatrix<T, S> truncate_prolongator(Context<S>& ctx, const CsrMatrix<T, S>& P,
                                     std::type_identity_t<Span<const T, S>> coarse_candidate, double drop_tolerance) {
  if (coarse_candidate.size() != static_cast<std::size_t>(P.cols)) {
    throw std::invalid_argument(fmt::format("truncation: a prolongator of {} columns and a coarse candidate of {}",
                                            P.cols, coarse_candidate.size()));
  }
  const auto rows = static_cast<std::size_t>(P.rows);
  const T tolerance = static_cast<T>(drop_tolerance);
  CsrMatrix<T, S> result;
  result.rows = P.rows;
  result.cols = P.cols;
  result.row_offsets = Buffer<Offset, S>(ctx, rows + 1);
  count_truncated<T>(ctx, P, coarse_candidate, tolerance, result.row_offsets.span().subspan(1, rows));
  const auto nnz = static_cast<std::size_t>(counts_to_offsets(ctx, result.row_offsets));
  result.col_indices = Buffer<Index, S>(ctx, nnz);
  result.values = Buffer<T, S>(ctx, nnz);
  fill_truncated<T>(ctx, P, coarse_candidate, tolerance, result);
  ctx.profile().add(
      {.bytes = static_cast<std::int64_t>(2 * P.bytes() + result.bytes()), .flops = 6 * P.nnz() + result.nnz()});
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                   \
  template CsrMatrix<T, S> truncate_prolongator(Context<S>&, const CsrMatrix<T, S>&, \
                                                std::type_identity_t<Span<const T, S>>, double);
AMGSOLVE_INSTANTIATE(float, Host)
AMGSOLVE_INSTANTIATE(double, Host)
#if AMGSOLVE_HAVE_CUDA
AMGSOLVE_INSTANTIATE(float, Cuda)
AMGSOLVE_INSTANTIATE(double, Cuda)
#endif
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
