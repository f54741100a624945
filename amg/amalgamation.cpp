#include "amg/amalgamation.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "amg/amalgamation_steps.hpp"
#include "core/algorithms.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
CsrMatrix<T, S> amalgamate(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size) {
  if (A.rows != A.cols || block_size < 1 || A.rows % block_size != 0) {
    throw std::invalid_argument(
        fmt::format("amalgamation: a {} x {} matrix has no square blocks of {}", A.rows, A.cols, block_size));
  }
  CsrMatrix<T, S> norms;
  norms.rows = norms.cols = A.rows / block_size;
  norms.row_offsets = Buffer<Offset, S>(ctx, static_cast<std::size_t>(norms.rows) + 1);
  count_blocks(ctx, A, block_size, norms.row_offsets.span().subspan(1, static_cast<std::size_t>(norms.rows)));
  const Offset nnz = counts_to_offsets(ctx, norms.row_offsets);
  norms.col_indices = Buffer<Index, S>(ctx, static_cast<std::size_t>(nnz));
  norms.values = Buffer<T, S>(ctx, static_cast<std::size_t>(nnz));
  fill_block_norms(ctx, A, block_size, norms);
  ctx.profile().add({.bytes = static_cast<std::int64_t>(2 * A.bytes() + norms.bytes()), .flops = 2 * A.nnz()});
  return norms;
}

#define AMGSOLVE_INSTANTIATE(T, S) template CsrMatrix<T, S> amalgamate(Context<S>&, const CsrMatrix<T, S>&, Index);
AMGSOLVE_INSTANTIATE(float, Host)
AMGSOLVE_INSTANTIATE(double, Host)
#if AMGSOLVE_HAVE_CUDA
AMGSOLVE_INSTANTIATE(float, Cuda)
AMGSOLVE_INSTANTIATE(double, Cuda)
#endif
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
