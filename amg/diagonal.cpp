#include "amg/diagonal.hpp"

#include <utility>

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
Buffer<T, S> positive_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, int level, MatrixKind kind,
                               bool is_factored) {
  ScopedTimer timer(ctx, "diagonal", level);
  Buffer<T, S> d = diagonal_of(ctx, A);
  if (kind != MatrixKind::definite && (level > 0 || is_factored)) {
    return d;
  }
  if (const Index row = find_non_positive_diagonal<T>(ctx, A, d); row >= 0) {
    throw_not_positive(row, level);
  }
  return d;
}

template <class T, MemorySpace S>
CoarseDiagonal<T, S> positive_coarse_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& R,
                                              const std::function<MultiVector<T, S>()>& finest, Index node_size,
                                              int level, MatrixKind kind, CsrMatrix<T, S>& A) {
  bool has_null_rows = false;
  {
    ScopedTimer timer(ctx, "diagonal", level);
    Buffer<T, S> d = diagonal_of(ctx, A);
    if (!may_have_rounding_rows<T>(ctx, A, d, node_size)) {
      return {std::move(d), false};
    }
    const MultiVector<T, S> f = finest();
    has_null_rows = clear_rounding_rows<T>(ctx, R, f.view().span(), std::as_const(d).span(), node_size, A);
  }
  return {positive_diagonal(ctx, A, level, kind), has_null_rows};
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                              \
  template Buffer<T, S> positive_diagonal(Context<S>&, const CsrMatrix<T, S>&, int, MatrixKind, bool);          \
  template CoarseDiagonal<T, S> positive_coarse_diagonal(Context<S>&, const CsrMatrix<T, S>&,                   \
                                                         const std::function<MultiVector<T, S>()>&, Index, int, \
                                                         MatrixKind, CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
