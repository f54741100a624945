#include "amg/diagonal.hpp"

#include <cstdint>
#include <limits>
#include <utility>

#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
Buffer<T, S> positive_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& A, int level, MatrixKind kind, bool is_factored,
                               std::type_identity_t<const Layout<S>*> window, const Operator<T, S>& stored) {
  ScopedTimer timer(ctx, "diagonal", level);
  const Communicator& ranks = ranks_of(ctx, window);
  const bool may_have_any = kind != MatrixKind::definite && (level > 0 || is_factored);
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t bad = none;
  Buffer<T, S> d;
  collectively(ranks, [&] {
    d = diagonal_of(ctx, A, window != nullptr ? window->first_own() : 0, stored);
    const Index row = may_have_any ? -1 : find_non_positive_diagonal<T>(ctx, A, std::as_const(d).span());
    if (row >= 0) {
      bad = row + (window != nullptr ? window->first_row() : 0);
    }
  });
  bad = -ranks.max(-bad);
  if (bad != none) {  // alike on all ranks, as on one
    throw BreakdownError(
        format_text("the diagonal entry of row {} on level {} is not positive: the matrix is not positive definite; "
                    "'solver.method' minres and gmres take indefinite matrices, too",
                    bad + 1, level));
  }
  return d;
}

template <class T, MemorySpace S>
CoarseDiagonal<T, S> positive_coarse_diagonal(Context<S>& ctx, const CsrMatrix<T, S>& R,
                                              const std::function<MultiVector<T, S>()>& finest, Index node_size,
                                              int level, MatrixKind kind, CsrMatrix<T, S>& A,
                                              std::type_identity_t<const Layout<S>*> window) {
  enum Findings : std::int64_t { none, suspected, cleared };
  const Communicator& ranks = ranks_of(ctx, window);
  std::int64_t found = none;
  Buffer<T, S> d;
  {
    ScopedTimer timer(ctx, "diagonal", level);
    collectively(ranks, [&] {
      d = diagonal_of(ctx, A, window != nullptr ? window->first_own() : 0);
      const Span<const T, S> entries = std::as_const(d).span();
      if (may_have_rounding_rows<T>(ctx, A, entries, node_size)) {
        const MultiVector<T, S> f = finest();
        found = clear_rounding_rows<T>(ctx, R, f.view().span(), entries, node_size, A) ? cleared : suspected;
      }
    });
    found = ranks.max(found);
  }
  if (found != none) {
    d = positive_diagonal(ctx, A, level, kind, false, window);
  }
  return {std::move(d), found == cleared};
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                              \
  template Buffer<T, S> positive_diagonal(Context<S>&, const CsrMatrix<T, S>&, int, MatrixKind, bool,           \
                                          const Layout<S>*, const Operator<T, S>&);                             \
  template CoarseDiagonal<T, S> positive_coarse_diagonal(Context<S>&, const CsrMatrix<T, S>&,                   \
                                                         const std::function<MultiVector<T, S>()>&, Index, int, \
                                                         MatrixKind, CsrMatrix<T, S>&, const Layout<S>*);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
