#pragma once

#include <algorithm>
#include <cstddef>

#include "problems/mesh.hpp"

namespace amgsolve {

/// Calls visit(other) for the other elements of a mesh, numbered from `first` on, that have that side of an element
/// which lies opposite to its corner `opposite`. O(elements around that of the side's nodes that has the fewest).
template <class Visit>
void for_elements_across(const Mesh& mesh, const ElementsOfNodes& around, Index element, std::size_t opposite,
                         Index first, const Visit& visit) {
  const Span<const Index, Host> corners = mesh.element(element);
  const Index* rarest = nullptr;
  for (const Index& node : corners) {
    if (&node != &corners[opposite] && (rarest == nullptr || around.of(node).size() < around.of(*rarest).size())) {
      rarest = &node;
    }
  }
  const Span<const Index, Host> candidates = around.of(*rarest);
  for (auto other = std::ranges::lower_bound(candidates, first); other != candidates.end(); ++other) {
    const Span<const Index, Host> others = mesh.element(*other);
    const bool has_all = std::ranges::all_of(corners, [&](const Index& node) {
      return &node == &corners[opposite] || &node == rarest || std::ranges::find(others, node) != others.end();
    });
    if (has_all && *other != element) {
      visit(*other);
    }
  }
}

}  // namespace amgsolve
