#include "dist/halo.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/exchange.hpp"
#include "core/instantiate.hpp"
#include "core/workspace.hpp"
#include "dist/halo_steps.hpp"
#include "spmv/blas1.hpp"
#include "spmv/shapes.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
void exchange_ghosts(Context<S>& ctx, const Layout<S>& layout, MultiVectorView<T, S> window) {
  expect_shape("the window", shape_of(window), {layout.columns(), window.columns});
  const auto k = static_cast<std::size_t>(window.columns);
  const auto part = [&](Span<T, S> rows, Index first, Index count) {
    return rows.subspan(static_cast<std::size_t>(first) * k, static_cast<std::size_t>(count) * k);
  };
  const Span<T, S> own = part(window.span(), layout.first_own(), layout.own_rows());
  // Rows that follow one another are sent from where they lie, and so are others by ranks that pick them.
  const bool packs = std::ranges::any_of(layout.neighbours(), [&](const typename Layout<S>::Neighbour& neighbour) {
    const std::size_t longest = static_cast<std::size_t>(std::max(neighbour.needs, neighbour.ghosts)) * k * sizeof(T);
    return neighbour.needs > 0 && neighbour.first_needed_row < 0 && !picks_rows(ctx, neighbour.rank, longest);
  });
  WorkspaceScope<S> scope(ctx.workspace());
  const Span<T, S> packed = scope.template take<T>(packs ? layout.needs().size() * k : 0);
  if (packs) {
    detail::pack_rows<T>(ctx, layout.needs(), {own.data(), layout.own_rows(), window.columns}, packed);
  }
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  for (const auto& neighbour : layout.neighbours()) {
    if (neighbour.needs > 0 && neighbour.first_needed_row >= 0) {
      add_message(sends, neighbour.rank, Span<const T, S>(part(own, neighbour.first_needed_row, neighbour.needs)));
    } else if (packs) {
      add_message(sends, neighbour.rank, Span<const T, S>(part(packed, neighbour.first_need, neighbour.needs)));
    } else {
      add_message_of_rows(sends, neighbour.rank, Span<const T, S>(own), k,
                          layout.needs().subspan(static_cast<std::size_t>(neighbour.first_need),
                                                 static_cast<std::size_t>(neighbour.needs)));
    }
    add_message(receives, neighbour.rank, part(window.span(), neighbour.first_ghost, neighbour.ghosts));
  }
  exchange(ctx, sends, receives);
}

template <class T, MemorySpace S>
Buffer<T, S> window_of(Context<S>& ctx, const Layout<S>& layout, std::type_identity_t<Span<const T, S>> own,
                       Index columns) {
  const auto values_of = [columns](Index rows) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  };
  Buffer<T, S> window;
  collectively(ctx.communicator(), [&] {
    window = Buffer<T, S>(ctx, values_of(layout.columns()));
    copy(ctx, own, window.span().subspan(values_of(layout.first_own()), own.size()));
  });
  exchange_ghosts<T, S>(ctx, layout, {window.data(), layout.columns(), columns});
  return window;
}

template <class T, MemorySpace S>
void Halo<T, S>::reserve(Context<S>& ctx, Index columns) {
  if (window_.rows() != layout_->columns() || window_.columns() != columns) {
    window_ = MultiVector<T, S>(ctx, layout_->columns(), columns);
  }
}

template <class T, MemorySpace S>
MultiVectorView<const T, S> Halo<T, S>::complete(Context<S>& ctx, MultiVectorView<const T, S> own) {
  expect_shape("X", shape_of(own), {own_rows(), own.columns});
  if (own.between_margins != nullptr && own.margins.hold(this->margins())) {
    const MultiVectorView<T, S> window = own.widened(this->margins());
    if (!own.has_ghosts) {
      exchange_ghosts<T, S>(ctx, *layout_, window);
    }
    return window;
  }
  reserve(ctx, own.columns);
  const std::size_t first = static_cast<std::size_t>(first_own()) * static_cast<std::size_t>(own.columns);
  copy<T, T>(ctx, own, MultiVectorView<T, S>(window_.data() + first, own.rows, own.columns));
  exchange_ghosts<T, S>(ctx, *layout_, window_);
  return std::as_const(window_);
}

#define AMGSOLVE_INSTANTIATE_FOR(T, S)                                                 \
  template void exchange_ghosts(Context<S>&, const Layout<S>&, MultiVectorView<T, S>); \
  template Buffer<T, S> window_of<T, S>(Context<S>&, const Layout<S>&, Span<const T, S>, Index);
#define AMGSOLVE_INSTANTIATE(T) AMGSOLVE_INSTANTIATE_FOR(T, Host)
AMGSOLVE_FOR_EXCHANGED(AMGSOLVE_INSTANTIATE)
#undef AMGSOLVE_INSTANTIATE
#if AMGSOLVE_HAVE_CUDA
#define AMGSOLVE_INSTANTIATE(T) AMGSOLVE_INSTANTIATE_FOR(T, Cuda)
AMGSOLVE_FOR_EXCHANGED(AMGSOLVE_INSTANTIATE)
#undef AMGSOLVE_INSTANTIATE
#endif
#define AMGSOLVE_INSTANTIATE(T, S) template class Halo<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
