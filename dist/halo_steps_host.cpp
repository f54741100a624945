#include <algorithm>

#include "core/parallel_host.hpp"
#include "dist/halo_steps.hpp"

namespace amgsolve::detail {

template <class T>
void pack_rows(Context<Host>& ctx, Span<const Index, Host> rows, MultiVectorView<const T, Host> own,
               Span<T, Host> packed) {
  const auto k = static_cast<std::int64_t>(own.columns);
  parallel_for(
      ctx, static_cast<std::int64_t>(rows.size()),
      [&](std::int64_t i) { std::copy_n(own.data + rows[static_cast<std::size_t>(i)] * k, k, packed.data() + i * k); },
      k);
}

#define AMGSOLVE_INSTANTIATE(T) \
  template void pack_rows(Context<Host>&, Span<const Index, Host>, MultiVectorView<const T, Host>, Span<T, Host>);
AMGSOLVE_FOR_EXCHANGED(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve::detail
