#pragma once

#include <algorithm>

#include "core/parallel_host.hpp"

namespace amgsolve {

/// Joins map(i) for all i in [0, n) by an associative combine(a, b) of which `initial` is the neutral element, in fixed
/// blocks from left to right.
template <class Value, class Map, class Combine>
Value transform_reduce(Context<Host>& ctx, std::int64_t n, Value initial, const Map& map, const Combine& combine) {
  return parallel_reduce(
      ctx, n, initial,
      [&](std::int64_t begin, std::int64_t end) {
        Value value = initial;
        for (std::int64_t i = begin; i < end; ++i) {
          value = combine(value, map(i));
        }
        return value;
      },
      combine);
}

/// The first i in [0, n) with is_wanted(i); n where there is none. A block is left at its first.
template <class Predicate>
std::int64_t find_first(Context<Host>& ctx, std::int64_t n, const Predicate& is_wanted) {
  return parallel_reduce(
      ctx, n, n,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          if (is_wanted(i)) {
            return i;
          }
        }
        return n;
      },
      [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
}

}  // namespace amgsolve
