#pragma once

#include <cstdint>

#include "core/algorithms.hpp"
#include "core/buffer.hpp"
#include "core/context.hpp"
#include "core/host_device.hpp"
#include "core/map_list.hpp"
#include "core/workspace.hpp"

/// For loops that are written once for both memory spaces: parallel_for is that of the context.
namespace amgsolve::detail {

/// A list of n as pieces that a thread each looks through: of so few entries that there are threads enough, and of no
/// more than 64. Neighbouring entries on the host; on a device neighbouring threads have neighbouring ones in turn.
template <MemorySpace S>
struct ListPieces {
  static constexpr std::int64_t enough = 1 << 17;

  std::int64_t n;
  std::int64_t length = n < enough ? 1 : n < 64 * enough ? n / enough : 64;
  std::int64_t count = (n + length - 1) / length;

  /// body(numbers_k, k) for each k of a piece.
  template <class Number, class Body>
  AMGSOLVE_HOST_DEVICE void for_numbers(const Number* numbers, std::int64_t piece, const Body& body) const {
    constexpr bool on_host = std::same_as<S, Host>;
    const std::int64_t step = on_host ? 1 : count;
    const std::int64_t first = on_host ? piece * length : piece;
    const std::int64_t end = on_host ? (first + length < n ? first + length : n) : n;
    std::int64_t k = first;
    for (; k + (loads_at_once - 1) * step < end; k += loads_at_once * step) {
      Number loaded[loads_at_once];
      for (int i = 0; i < loads_at_once; ++i) {
        loaded[i] = numbers[k + i * step];
      }
      for (int i = 0; i < loads_at_once; ++i) {
        body(loaded[i], k + i * step);
      }
    }
    for (; k < end; k += step) {
      body(numbers[k], k);
    }
  }
};

/// The key(x_k, k) of a list that are not negative, in any order. O(list), two passes of it. Synchronises.
template <class Number, MemorySpace S, class Key>
Buffer<std::uint64_t, S> list_found(Context<S>& ctx, Span<const Number, S> list, const Key& key) {
  const ListPieces<S> pieces{static_cast<std::int64_t>(list.size())};
  const Number* const numbers = list.data();
  WorkspaceScope<S> scope(ctx.workspace());
  const auto places = scope.template take<Offset>(static_cast<std::size_t>(pieces.count) + 1);
  Offset* const place = places.data();
  parallel_for(
      ctx, pieces.count,
      [numbers, pieces, key, place] AMGSOLVE_HOST_DEVICE(std::int64_t piece) {
        Offset count = 0;
        pieces.for_numbers(numbers, piece, [&](Number x, std::int64_t k) { count += key(x, k) >= 0 ? 1 : 0; });
        place[piece + 1] = count;
      },
      pieces.length);
  Buffer<std::uint64_t, S> found(ctx, static_cast<std::size_t>(counts_to_offsets(ctx, places)));
  std::uint64_t* const result = found.data();
  parallel_for(ctx, pieces.count, [numbers, pieces, key, place, result] AMGSOLVE_HOST_DEVICE(std::int64_t piece) {
    Offset next = place[piece];
    if (next == place[piece + 1]) {
      return;
    }
    pieces.for_numbers(numbers, piece, [&](Number x, std::int64_t k) {
      if (const std::int64_t found_key = key(x, k); found_key >= 0) {
        result[next++] = static_cast<std::uint64_t>(found_key);
      }
    });
  });
  return found;
}

}  // namespace amgsolve::detail
