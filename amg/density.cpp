#include "amg/density.hpp"

#include <algorithm>

#include "amg/density_steps.hpp"
#include "core/algorithms.hpp"

namespace amgsolve {
namespace {

constexpr Index most_rows = 256;

template <class T, MemorySpace S>
CsrMatrix<T, S> sample_rows(Context<S>& ctx, const CsrMatrix<T, S>& A, const RowSample& sample) {
  const auto count = static_cast<std::size_t>(sample.count);
  CsrMatrix<T, S> result;
  result.rows = sample.count;
  result.cols = A.cols;
  result.row_offsets = Buffer<Offset, S>(ctx, count + 1);
  count_sampled_rows(ctx, A.row_offsets, sample, result.row_offsets.span().subspan(1, count));
  const auto nnz = static_cast<std::size_t>(counts_to_offsets(ctx, result.row_offsets));
  result.col_indices = Buffer<Index, S>(ctx, nnz);
  result.values = Buffer<T, S>(ctx, nnz);
  copy_sampled_rows(ctx, A, sample, result);
  return result;
}

}  // namespace

template <class T, MemorySpace S>
double estimate_density(Context<S>& ctx, const CsrMatrix<T, S>& R, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& P,
                        const SpgemmOptions& options) {
  const RowSample sample{R.rows, std::min(R.rows, most_rows)};
  if (sample.count == 0 || A.nnz() == 0) {
    return 0.0;
  }
  const CsrMatrix<T, S> rows = multiply(ctx, multiply(ctx, sample_rows(ctx, R, sample), A, options), P, options);
  return static_cast<double>(rows.nnz()) / sample.count * R.rows / static_cast<double>(A.nnz());
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                              \
  template double estimate_density(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&, \
                                   const CsrMatrix<T, S>&, const SpgemmOptions&);
AMGSOLVE_INSTANTIATE(float, Host)
AMGSOLVE_INSTANTIATE(double, Host)
#if AMGSOLVE_HAVE_CUDA
AMGSOLVE_INSTANTIATE(float, Cuda)
AMGSOLVE_INSTANTIATE(double, Cuda)
#endif
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
