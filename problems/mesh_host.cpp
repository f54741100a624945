#include "problems/mesh.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/algorithms.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/parallel_host.hpp"
#include "core/reduce_host.hpp"
#include "problems/simplex.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {
namespace {

/// The first of [0, n) that is at fault; n where none is.
template <class IsAtFault>
Index first_at_fault(Context<Host>& ctx, Index n, const IsAtFault& is_at_fault) {
  return static_cast<Index>(find_first(ctx, n, [&](std::int64_t i) { return is_at_fault(static_cast<Index>(i)); }));
}

/// The volume in units of the cube, or square, on the longest edge.
template <std::size_t D>
double relative_volume(const Mesh& mesh, Index element) {
  double longest = 0.0;
  for (const Index a : mesh.element(element)) {
    for (const Index b : mesh.element(element)) {
      double square = 0.0;
      for (std::size_t d = 0; d < D; ++d) {
        const double step = mesh.point(a)[d] - mesh.point(b)[d];
        square += step * step;
      }
      longest = std::max(longest, square);
    }
  }
  return longest > 0.0 ? Simplex<D>(mesh, element).volume / std::pow(std::sqrt(longest), static_cast<double>(D)) : 0.0;
}

/// Node k of the side of an element that lies opposite to a corner.
Index side_node(const Mesh& mesh, Index element, std::size_t opposite, std::size_t k) {
  return mesh.element(element)[(opposite + 1 + k) % mesh.corners_of_element()];
}

/// A side of an element, among those around the node of it that has the least number.
struct ElementSide {
  std::uint64_t others = 0;  ///< its other nodes
  std::int64_t corner = 0;   ///< that it lies opposite to, among the corners of all elements

  auto operator<=>(const ElementSide&) const = default;
};

/// Writes the sides of which a node has the least number, of all elements around it, to `sides`. Returns their end.
ElementSide* collect_sides(const Mesh& mesh, const ElementsOfNodes& around, Index node, ElementSide* sides) {
  for (const Index element : around.of(node)) {
    const Span<const Index, Host> corners = mesh.element(element);
    const auto below = std::ranges::count_if(corners, [&](Index corner) { return corner < node; });
    if (below > 1) {
      continue;
    }
    for (std::size_t opposite = 0; opposite < corners.size(); ++opposite) {
      if (corners[opposite] == node || (below == 1 && corners[opposite] > node)) {
        continue;
      }
      Index least = std::numeric_limits<Index>::max();
      Index most = 0;
      for (std::size_t k = 0; k < corners.size(); ++k) {
        if (k != opposite && corners[k] != node) {
          least = std::min(least, corners[k]);
          most = std::max(most, corners[k]);
        }
      }
      *sides++ = {std::uint64_t{static_cast<std::uint32_t>(least)} << 32 | static_cast<std::uint32_t>(most),
                  static_cast<std::int64_t>(element) * std::ssize(corners) + static_cast<std::int64_t>(opposite)};
    }
  }
  return sides;
}

/// Calls visit(sides) for each side of a mesh, with that side of all elements that have it, these ascending; from the
/// threads of the context. O(elements), but for sorting the sides of a node.
template <class Visit>
void for_sides(Context<Host>& ctx, const Mesh& mesh, const ElementsOfNodes& around, const Visit& visit) {
  std::size_t most = 0;
  for (Index node = 0; node < mesh.nodes(); ++node) {
    most = std::max(most, around.of(node).size() * static_cast<std::size_t>(mesh.dimensions()));
  }
  WorkspaceScope<Host> scope(ctx.workspace());
  const auto sides_of_threads = scope.take<ElementSide>(most * static_cast<std::size_t>(ctx.threads()));
  parallel_for(
      ctx, mesh.nodes(),
      [&](std::int64_t node) {
        ElementSide* const first = sides_of_threads.data() + most * thread_number(ctx);
        ElementSide* const last = collect_sides(mesh, around, static_cast<Index>(node), first);
        std::sort(first, last);
        for (ElementSide* side = first; side != last;) {
          ElementSide* const next = std::find_if(side, last, [&](const auto& s) { return s.others != side->others; });
          visit(Span<const ElementSide, Host>(side, static_cast<std::size_t>(next - side)));
          side = next;
        }
      },
      work_of_node);
}

/// The first element with a side that three share; as many as there are where none has.
Index first_at_side_of_three(Context<Host>& ctx, const Mesh& mesh, const ElementsOfNodes& around) {
  std::atomic<Index> first = mesh.elements();
  for_sides(ctx, mesh, around, [&](Span<const ElementSide, Host> sides) {
    if (sides.size() > 2) {
      const auto element = static_cast<Index>(sides[0].corner / std::int64_t{mesh.dimensions() + 1});
      Index known = first.load();
      while (element < known && !first.compare_exchange_weak(known, element)) {
      }
    }
  });
  return first;
}

}  // namespace

ElementsOfNodes elements_of_nodes(Context<Host>& ctx, const Mesh& mesh) {
  const Index elements = mesh.elements();
  const auto corners = static_cast<Offset>(mesh.corners_of_element());
  CsrMatrix<float, Host> nodes_of_elements(ctx, elements, mesh.nodes(), corners * elements);
  parallel_for(ctx, elements + std::int64_t{1},
               [&](std::int64_t e) { nodes_of_elements.row_offsets[static_cast<std::size_t>(e)] = corners * e; });
  parallel_for(ctx, nodes_of_elements.nnz(), [&](std::int64_t k) {
    nodes_of_elements.col_indices[static_cast<std::size_t>(k)] = mesh.corners[static_cast<std::size_t>(k)];
    nodes_of_elements.values[static_cast<std::size_t>(k)] = 1.0F;
  });
  CsrMatrix<float, Host> around = transpose(ctx, nodes_of_elements);
  return {std::move(around.row_offsets), std::move(around.col_indices)};
}

void check_mesh(Context<Host>& ctx, const Mesh& mesh, const ElementsOfNodes& around, const NameOfPart& node,
                const NameOfPart& element) {
  constexpr double least_volume = 1e-12;
  const auto volume = [&](Index e) {
    return with_dimensions(mesh, [&](auto dimensions) { return relative_volume<dimensions>(mesh, e); });
  };
  const Index elements = mesh.elements();
  if (const Index e = first_at_fault(ctx, elements, [&](Index i) { return !(volume(i) > least_volume); });
      e < elements) {
    const char* const what = mesh.dimensions() == 2 ? "area" : "volume";
    throw InputError(format_text("{} {}", element(e),
                                 volume(e) < -least_volume ? "is turned inside out: its corners go the wrong way around"
                                                           : format_text("is degenerate: it has no {}", what)));
  }
  if (const Index i = first_at_fault(ctx, mesh.nodes(), [&](Index n) { return around.of(n).empty(); });
      i < mesh.nodes()) {
    throw InputError(format_text("{} is a corner of no element", node(i)));
  }
  if (const Index e = first_at_side_of_three(ctx, mesh, around); e < elements) {
    throw InputError(format_text("{} has a side that three elements share; two can", element(e)));
  }
}

Buffer<Index, Host> elements_across(Context<Host>& ctx, const Mesh& mesh, const ElementsOfNodes& around) {
  Buffer<Index, Host> across(ctx, mesh.corners.size());
  const auto corners = static_cast<std::int64_t>(mesh.corners_of_element());
  for_sides(ctx, mesh, around, [&](Span<const ElementSide, Host> sides) {
    for (const ElementSide& side : sides) {
      const ElementSide& other = &side == sides.data() ? sides[sides.size() - 1] : sides[0];
      across[static_cast<std::size_t>(side.corner)] =
          sides.size() == 1 ? -1 : static_cast<Index>(other.corner / corners);
    }
  });
  return across;
}

std::vector<Index> boundary_sides(Context<Host>& ctx, const Mesh& mesh, Span<const Index, Host> across) {
  const std::size_t corners = mesh.corners_of_element();
  Buffer<Offset, Host> offsets(ctx, static_cast<std::size_t>(mesh.elements()) + 1);
  Buffer<unsigned char, Host> alone(ctx, static_cast<std::size_t>(mesh.elements()));  // bit k: opposite to corner k
  parallel_for(ctx, mesh.elements(), [&](std::int64_t e) {
    unsigned bits = 0;
    for (std::size_t opposite = 0; opposite < corners; ++opposite) {
      bits |= (across[static_cast<std::size_t>(e) * corners + opposite] < 0 ? 1U : 0U) << opposite;
    }
    alone[static_cast<std::size_t>(e)] = static_cast<unsigned char>(bits);
    offsets[static_cast<std::size_t>(e) + 1] = std::popcount(bits);
  });
  std::vector<Index> sides(static_cast<std::size_t>(counts_to_offsets(ctx, offsets)) * (corners - 1));
  parallel_for(ctx, mesh.elements(), [&](std::int64_t e) {
    auto next = static_cast<std::size_t>(offsets[static_cast<std::size_t>(e)]) * (corners - 1);
    for (unsigned bits = alone[static_cast<std::size_t>(e)]; bits != 0; bits &= bits - 1) {
      const auto opposite = static_cast<std::size_t>(std::countr_zero(bits));
      for (std::size_t k = 0; k + 1 < corners; ++k) {
        sides[next++] = side_node(mesh, static_cast<Index>(e), opposite, k);
      }
    }
  });
  return sides;
}

}  // namespace amgsolve
