#include "problems/mesh.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/algorithms.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/parallel_host.hpp"
#include "core/reduce_host.hpp"
#include "problems/mesh_sides.hpp"
#include "problems/simplex.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve {
namespace {

constexpr std::int64_t work_of_element = 100;

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

/// How many other elements, numbered from `first` on, have that side of an element.
int others_at_side(const Mesh& mesh, const ElementsOfNodes& around, Index element, std::size_t opposite, Index first) {
  int count = 0;
  for_elements_across(mesh, around, element, opposite, first, [&](Index) { ++count; });
  return count;
}

/// Whether it is the first of three elements, or more, that share a side.
bool is_first_of_three(const Mesh& mesh, const ElementsOfNodes& around, Index element) {
  for (std::size_t opposite = 0; opposite < mesh.corners_of_element(); ++opposite) {
    if (others_at_side(mesh, around, element, opposite, element) > 1) {
      return true;
    }
  }
  return false;
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
  if (const Index e = first_at_fault(ctx, elements, [&](Index i) { return is_first_of_three(mesh, around, i); });
      e < elements) {
    throw InputError(format_text("{} has a side that three elements share; two can", element(e)));
  }
}

std::vector<Index> boundary_sides(Context<Host>& ctx, const Mesh& mesh, const ElementsOfNodes& around) {
  const std::size_t corners = mesh.corners_of_element();
  Buffer<Offset, Host> offsets(ctx, static_cast<std::size_t>(mesh.elements()) + 1);
  Buffer<unsigned char, Host> alone(ctx, static_cast<std::size_t>(mesh.elements()));  // bit k: opposite to corner k
  parallel_for(
      ctx, mesh.elements(),
      [&](std::int64_t e) {
        unsigned bits = 0;
        for (std::size_t opposite = 0; opposite < corners; ++opposite) {
          const bool is_alone = others_at_side(mesh, around, static_cast<Index>(e), opposite, 0) == 0;
          bits |= (is_alone ? 1U : 0U) << opposite;
        }
        alone[static_cast<std::size_t>(e)] = static_cast<unsigned char>(bits);
        offsets[static_cast<std::size_t>(e) + 1] = std::popcount(bits);
      },
      work_of_element);
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
