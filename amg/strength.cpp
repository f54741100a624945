#include "amg/strength.hpp"

#include <stdexcept>
#include <utility>

#include "amg/diagonal.hpp"
#include "amg/strength_steps.hpp"
#include "core/algorithms.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
Graph<S> strength_graph(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<const T, S>> diagonal,
                        double threshold) {
  if (A.rows != A.cols || diagonal.size() != static_cast<std::size_t>(A.rows)) {
    throw std::invalid_argument(
        format_text("strength: a {} x {} matrix with a diagonal of {} entries", A.rows, A.cols, diagonal.size()));
  }
  WorkspaceScope<S> scope(ctx.workspace());
  const auto scales = scope.template take<T>(diagonal.size());
  invert_roots<T>(ctx, diagonal, scales);
  const SymmetricStrength<T> is_strong{scales.data(), static_cast<T>(threshold)};
  Buffer<Offset, S> offsets(ctx, diagonal.size() + 1);
  count_strong_entries(ctx, A, is_strong, offsets.span().subspan(1, diagonal.size()));
  const Offset edges = counts_to_offsets(ctx, offsets);
  Buffer<Index, S> neighbours(ctx, static_cast<std::size_t>(edges));
  list_strong_entries<T>(ctx, A, is_strong, offsets.span(), neighbours);
  ctx.profile().add({.bytes = static_cast<std::int64_t>(2 * (A.bytes() + 2 * diagonal.size() * sizeof(T)) +
                                                        offsets.bytes() + neighbours.bytes()),
                     .flops = 4 * A.nnz()});
  return {A.rows, std::move(offsets), std::move(neighbours)};
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template Graph<S> strength_graph(Context<S>&, const CsrMatrix<T, S>&, std::type_identity_t<Span<const T, S>>, double);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
