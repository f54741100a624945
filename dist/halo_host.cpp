#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/copy.hpp"
#include "core/parallel_host.hpp"
#include "core/workspace.hpp"
#include "dist/halo.hpp"
#include "spmv/shapes.hpp"

namespace amgsolve {

template <class T>
void exchange_ghosts(Context<Host>& ctx, const Layout& layout, MultiVectorView<T, Host> window) {
  expect_shape("the window", shape_of(window), {layout.columns(), window.columns});
  const auto k = static_cast<std::size_t>(window.columns);
  WorkspaceScope<Host> scope(ctx.workspace());
  std::vector<Communicator::Outgoing> sends;
  std::vector<Communicator::Incoming> receives;
  const T* const own = window.data + static_cast<std::size_t>(layout.first_own()) * k;
  for (const Layout::Neighbour& neighbour : layout.neighbours()) {
    if (!neighbour.needs.empty()) {
      const auto packed = scope.take<T>(neighbour.needs.size() * k);
      const Index* const rows = neighbour.needs.data();
      for (std::size_t i = 0; i < neighbour.needs.size(); ++i) {
        std::copy_n(own + static_cast<std::size_t>(rows[i]) * k, k, packed.data() + i * k);
      }
      sends.push_back({neighbour.rank, std::as_bytes(std::span(packed.data(), packed.size()))});
    }
    if (neighbour.ghosts > 0) {
      const std::span ghosts(window.data + static_cast<std::size_t>(neighbour.first_ghost) * k,
                             static_cast<std::size_t>(neighbour.ghosts) * k);
      receives.push_back({neighbour.rank, std::as_writable_bytes(ghosts)});
    }
  }
  ctx.communicator().exchange(sends, receives);
}

template <class T>
MultiVectorView<const T, Host> Halo<T, Host>::complete(Context<Host>& ctx, MultiVectorView<const T, Host> own) {
  expect_shape("X", shape_of(own), {own_rows(), own.columns});
  if (window_.rows() != columns() || window_.columns() != own.columns) {
    window_ = MultiVector<T, Host>(ctx, columns(), own.columns);
  }
  const std::size_t first = static_cast<std::size_t>(first_own()) * static_cast<std::size_t>(own.columns);
  parallel_ranges(
      ctx, static_cast<std::int64_t>(own.size()),
      [&](std::int64_t begin, std::int64_t end) {
        std::copy_n(own.data + begin, end - begin, window_.data() + first + begin);
      },
      1);
  exchange_ghosts<T>(ctx, *layout_, window_);
  return std::as_const(window_);
}

template void exchange_ghosts(Context<Host>&, const Layout&, MultiVectorView<float, Host>);
template void exchange_ghosts(Context<Host>&, const Layout&, MultiVectorView<double, Host>);
template void exchange_ghosts(Context<Host>&, const Layout&, MultiVectorView<Index, Host>);
template void exchange_ghosts(Context<Host>&, const Layout&, MultiVectorView<std::int64_t, Host>);
template void exchange_ghosts(Context<Host>&, const Layout&, MultiVectorView<std::uint32_t, Host>);
template void exchange_ghosts(Context<Host>&, const Layout&, MultiVectorView<std::uint8_t, Host>);
template class Halo<float, Host>;
template class Halo<double, Host>;

}  // namespace amgsolve
