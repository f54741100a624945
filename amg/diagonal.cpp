#include "amg/diagonal.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

namespace {

/// Of sums over the nodes of aggregates of aggregates.
template <class T>
constexpr double some_roundings = 64.0 * std::numeric_limits<T>::epsilon();

}  // namespace

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

template <class T, MemorySpace S>
Buffer<T, S> positive_coarse_diagonal(Context<S>& ctx, const Operator<T, S>& finest, int level, MatrixKind kind,
                                      CsrMatrix<T, S>& A) {
  if (kind == MatrixKind::definite) {
    ScopedTimer timer(ctx, "diagonal", level);
    Buffer<T, S> d(ctx, static_cast<std::size_t>(A.rows));
    extract_diagonal<T>(ctx, A, d);
    if (find_non_positive_diagonal<T>(ctx, A, d) < 0) {
      return d;
    }
    MultiVector<T, S> of_finest(ctx, finest.rows());
    finest.extract_diagonal(ctx, of_finest.view().span());
    const double mean = norms<T>(ctx, std::as_const(of_finest)).front() / std::sqrt(finest.rows());
    clear_negligible_rows<T>(ctx, static_cast<T>(some_roundings<T> * mean), A);
  }
  return positive_diagonal(ctx, A, level, kind);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                               \
  template Buffer<T, S> positive_diagonal(Context<S>&, const CsrMatrix<T, S>&, int, MatrixKind); \
  template Buffer<T, S> positive_coarse_diagonal(Context<S>&, const Operator<T, S>&, int, MatrixKind, CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
