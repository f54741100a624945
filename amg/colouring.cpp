#include "amg/colouring.hpp"

#include <bit>
#include <utility>

#include "amg/colouring_steps.hpp"
#include "amg/symmetric_sum.hpp"
#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "spmv/blas1.hpp"
#include "spmv/shapes.hpp"

namespace amgsolve {
namespace {

/// @param count  of the colours that were found
template <MemorySpace S>
Colouring<S> sorted_by_colour(Context<S>& ctx, Span<const Index, S> colours, Index count) {
  WorkspaceScope<S> scope(ctx.workspace());
  const auto keys = scope.template take<std::uint64_t>(colours.size());
  const auto places = scope.template take<Offset>(colours.size());
  const auto starts = scope.template take<Offset>(static_cast<std::size_t>(count) + 1);
  detail::list_by_row(ctx, colours, keys, places);
  sort_pairs(ctx, keys, places, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))));
  Colouring<S> result{Buffer<Index, S>(ctx, colours.size()), std::vector<Offset>(starts.size())};
  detail::take_sorted<S>(ctx, keys, places, result.rows, starts);
  download(ctx, starts, {result.starts.data(), result.starts.size()});
  return result;
}

}  // namespace

template <class T, MemorySpace S>
Colouring<S> colour_rows(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  expect_square(shape_of(A));
  WorkspaceScope<S> scope(ctx.workspace());
  auto before = scope.template take<Index>(static_cast<std::size_t>(A.rows));
  auto after = scope.template take<Index>(static_cast<std::size_t>(A.rows));
  Index highest = detail::uncoloured;
  for (detail::uncolour(ctx, before); highest == detail::uncoloured; std::swap(before, after)) {
    detail::colour_round<T, S>(ctx, A, before, after);
    highest = sum_and_max(ctx, after, -1).max;
  }
  if (detail::has_conflict<T, S>(ctx, A, before)) {
    return colour_rows(ctx, symmetric_sum(ctx, A));
  }
  return sorted_by_colour<S>(ctx, before, highest + 1);
}

#define AMGSOLVE_INSTANTIATE(T, S) template Colouring<S> colour_rows(Context<S>&, const CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
