#pragma once

#include <cstdint>

#include "core/context.hpp"
#include "core/host_device.hpp"
#include "core/types.hpp"

/// For loops that are written once for both memory spaces: parallel_for is that of the context.
namespace amgsolve::detail {

/// So many numbers of a list a thread of a device waits for at a time.
inline constexpr int loads_at_once = 4;

/// Calls body(x_k) for the numbers of a list from `begin` to `end`, in their order.
template <class Number, class Body>
AMGSOLVE_HOST_DEVICE void for_each_loaded(const Number* x, std::int64_t begin, std::int64_t end, const Body& body) {
#if defined(__CUDA_ARCH__)
  for (; begin < end; begin += loads_at_once) {
    Number loaded[loads_at_once];
    for (int p = 0; p < loads_at_once; ++p) {
      loaded[p] = x[begin + p < end ? begin + p : begin];
    }
    for (int p = 0; p < loads_at_once && begin + p < end; ++p) {
      body(loaded[p]);
    }
  }
#else
  for (; begin < end; ++begin) {
    body(x[begin]);
  }
#endif
}

/// to_k = map(from_k).
template <MemorySpace S, class From, class To, class Map>
void map_list(Context<S>& ctx, Span<const From, S> from, Span<To, S> to, const Map& map) {
  const From* const source = from.data();
  To* const target = to.data();
  const auto n = static_cast<std::int64_t>(from.size());
  const std::int64_t part = (n + loads_at_once - 1) / loads_at_once;
  parallel_for(
      ctx, part,
      [map, source, target, n, part] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
        From loaded[loads_at_once];
        for (int p = 0; p < loads_at_once; ++p) {
          loaded[p] = source[i + p * part < n ? i + p * part : i];
        }
        for (int p = 0; p < loads_at_once && i + p * part < n; ++p) {
          target[i + p * part] = map(loaded[p]);
        }
      },
      loads_at_once);
}

}  // namespace amgsolve::detail
