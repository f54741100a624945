#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "amg/multiply_add.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"

/// The body of repeat_multiply_add(), written once for both memory spaces: parallel_for is that of the context.
namespace amgsolve {
namespace detail {

/// Values that a thread works on at a time, each a chain of operations that wait for each other: enough to hide how
/// long they wait. On the host, vectors of registers (119 GFLOP/s of a core of an AMD EPYC with AVX-512, 84 with half
/// as many; 27 and 21 with SSE2); on a device other warps fill in.
template <class T, MemorySpace S>
inline constexpr std::size_t chains = std::same_as<S, Host> ? 1024 / sizeof(T) : 4;

}  // namespace detail

template <class T, MemorySpace S>
void repeat_multiply_add(Context<S>& ctx, T a, T b, int rounds, std::type_identity_t<Span<T, S>> x) {
  constexpr std::size_t chains = detail::chains<T, S>;
  T* const values = x.data();
  const std::size_t n = x.size();
  parallel_for(
      ctx, static_cast<std::int64_t>((n + chains - 1) / chains),
      [=] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
        const std::size_t first = static_cast<std::size_t>(i) * chains;
        T own[chains];
        for (std::size_t k = 0; k < chains; ++k) {
          own[k] = first + k < n ? values[first + k] : T{0};
        }
        for (int round = 0; round < rounds; ++round) {
          for (std::size_t k = 0; k < chains; ++k) {
            own[k] = a * own[k] + b;
          }
        }
        for (std::size_t k = 0; k < chains && first + k < n; ++k) {
          values[first + k] = own[k];
        }
      },
      static_cast<std::int64_t>(chains) * rounds);
}

#define AMGSOLVE_INSTANTIATE(T, S) template void repeat_multiply_add(Context<S>&, T, T, int, Span<T, S>);

}  // namespace amgsolve
