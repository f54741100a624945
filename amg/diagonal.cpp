#include "amg/diagonal.hpp"

#include <algorithm>
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
Buffer<T, S> positive_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, int level, MatrixKind kind,
                               bool is_factored) {
  ScopedTimer timer(ctx, "diagonal", level);
  Buffer<T, S> d(ctx, static_cast<std::size_t>(A.rows));
  extract_diagonal<T>(ctx, A, d);
  if (kind != MatrixKind::definite && (level > 0 || is_factored)) {
    return d;
  }
  if (const Index row = find_non_positive_diagonal<T>(ctx, A, d); row >= 0) {
    throw_not_positive(row, level);
  }
  return d;
}

template <class T, MemorySpace S>
double mean_diagonal(Context<S>& ctx, MultiVectorView<const T, S> diagonal, std::int64_t rows) {
  return norms<T>(ctx, diagonal).front() / std::sqrt(static_cast<double>(std::max(rows, std::int64_t{1})));
}

template <class T, MemorySpace S>
void clear_rounding_rows(Context<S>& ctx, double finest_mean, Index first_own, CsrMatrix<T, S>& A) {
  clear_negligible_rows<T>(ctx, static_cast<T>(some_roundings<T> * finest_mean), first_own, A);
}

template <class T, MemorySpace S>
Buffer<T, S> positive_coarse_diagonal(Context<S>& ctx, const std::function<double()>& finest_mean, int level,
                                      MatrixKind kind, CsrMatrix<T, S>& A) {
  if (kind == MatrixKind::definite) {
    ScopedTimer timer(ctx, "diagonal", level);
    Buffer<T, S> d(ctx, static_cast<std::size_t>(A.rows));
    extract_diagonal<T>(ctx, A, d);
    if (find_non_positive_diagonal<T>(ctx, A, d) < 0) {
      return d;
    }
    clear_rounding_rows(ctx, finest_mean(), 0, A);
  }
  return positive_diagonal(ctx, A, level, kind);
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                             \
  template double mean_diagonal(Context<S>&, MultiVectorView<const T, S>, std::int64_t);                       \
  template void clear_rounding_rows(Context<S>&, double, Index, CsrMatrix<T, S>&);                             \
  template Buffer<T, S> positive_diagonal(Context<S>&, const CsrMatrix<T, S>&, int, MatrixKind, bool);         \
  template Buffer<T, S> positive_coarse_diagonal(Context<S>&, const std::function<double()>&, int, MatrixKind, \
                                                 CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
