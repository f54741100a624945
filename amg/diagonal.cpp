#include "amg/diagonal.hpp"

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

void throw_not_positive(std::int64_t row, int level) {
  throw BreakdownError(
      format_text("the diagonal entry of row {} on level {} is not positive: the matrix is not positive definite; "
                  "'solver.method' minres and gmres take indefinite matrices, too",
                  row + 1, level));
}

template <class T, MemorySpace S>
Buffer<T, S> positive_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, int level, MatrixKind kind) {
  ScopedTimer timer(ctx, "diagonal", level);
  Buffer<T, S> d(ctx, static_cast<std::size_t>(A.rows));
  extract_diagonal<T>(ctx, A, d);
  if (kind != MatrixKind::definite && level > 0) {
    return d;
  }
  if (const Index row = find_non_positive_diagonal<T>(ctx, A, d); row >= 0) {
    throw_not_positive(row, level);
  }
  return d;
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template Buffer<T, S> positive_diagonal(Context<S>&, const CsrMatrix<T, S>&, int, MatrixKind);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
