#pragma once

#include "amg/aggregation.hpp"

namespace amgsolve::detail {

/// The root of most of a node's joined neighbours; the lowest on a tie. Adjacency lists are short, so counting by
/// comparing all pairs beats any table.
/// @tparam Number  of nodes, as they name aggregates; Aggregates::none is no root
template <class Number>
Number most_frequent_root(Span<const Index, Host> neighbours, Span<const Number, Host> root) {
  constexpr Number none = Aggregates<Host>::none;
  Number best = none;
  Index best_links = 0;
  for (std::size_t k = 0; k < neighbours.size(); ++k) {
    const Number candidate = root[static_cast<std::size_t>(neighbours[k])];
    if (candidate == none || candidate == best) {
      continue;
    }
    Index links = 1;
    for (std::size_t m = k + 1; m < neighbours.size(); ++m) {
      links += root[static_cast<std::size_t>(neighbours[m])] == candidate ? 1 : 0;
    }
    if (links > best_links || (links == best_links && candidate < best)) {
      best = candidate;
      best_links = links;
    }
  }
  return best;
}

}  // namespace amgsolve::detail
