#include "amg/diagonal.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/timer.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
Buffer<T, S> positive_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, int level) {
  ScopedTimer timer(ctx, "diagonal", level);
  Buffer<T, S> d(ctx, static_cast<std::size_t>(A.rows));
  extract_diagonal<T>(ctx, A, d);
  if (const Index row = find_non_positive_diagonal<T>(ctx, A, d); row >= 0) {
    throw BreakdownError(fmt::format(
        "the diagonal entry of row {} on level {} is not positive: the matrix is not positive definite (if it is "
        "negative definite, solve -A x = -b)",
        row + 1, level));
  }
  return d;
}

template Buffer<float, Host> positive_diagonal(Context<Host>&, const CsrMatrix<float, Host>&, int);
template Buffer<double, Host> positive_diagonal(Context<Host>&, const CsrMatrix<double, Host>&, int);
#if AMGSOLVE_HAVE_CUDA
template Buffer<float, Cuda> positive_diagonal(Context<Cuda>&, const CsrMatrix<float, Cuda>&, int);
template Buffer<double, Cuda> positive_diagonal(Context<Cuda>&, const CsrMatrix<double, Cuda>&, int);
#endif

}  // namespace amgsolve
