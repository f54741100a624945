#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "problems/gmsh_model.hpp"
#include "problems/simplex.hpp"

namespace amgsolve {
namespace {

/// What has numbers in the file that need not be consecutive, in their order.
class TagNumbers {
 public:
  explicit TagNumbers(std::vector<std::size_t> tags) : tags_(std::move(tags)) {
    std::ranges::sort(tags_);
    const auto first = std::unique(tags_.begin(), tags_.end());
    tags_.erase(first, tags_.end());
    checked_index(std::ssize(tags_), "nodes or elements of a mesh");
  }

  Index size() const { return static_cast<Index>(tags_.size()); }
  std::size_t tag(Index i) const { return tags_[static_cast<std::size_t>(i)]; }

  /// −1 where it has none of that number.
  Index operator()(std::size_t tag) const {
    const auto found = std::ranges::lower_bound(tags_, tag);
    return found != tags_.end() && *found == tag ? static_cast<Index>(found - tags_.begin()) : -1;
  }

 private:
  std::vector<std::size_t> tags_;
};

MultiVector<double, Host> points_of(Context<Host>& ctx, const GmshModel& model, const TagNumbers& nodes,
                                    const std::string& name) {
  const int dimensions = model.dimensions;
  MultiVector<double, Host> points(ctx, nodes.size(), dimensions);
  std::vector<bool> is_there(static_cast<std::size_t>(nodes.size()));
  double height = 0.0;
  double size = 0.0;
  for (std::size_t k = 0; k < model.nodes.size(); ++k) {
    const Index node = nodes(model.nodes[k]);
    if (node < 0) {
      continue;
    }
    const double* const x = model.coordinates.data() + 3 * k;
    if (!std::isfinite(x[0]) || !std::isfinite(x[1]) || !std::isfinite(x[2])) {
      throw InputError(format_text("{}: node {}: a coordinate is no finite number", name, model.nodes[k]));
    }
    std::copy_n(x, dimensions, points.data() + std::int64_t{node} * dimensions);
    is_there[static_cast<std::size_t>(node)] = true;
    size = std::max({size, std::abs(x[0]), std::abs(x[1])});
    height = std::max(height, std::abs(x[2]));
  }
  if (const auto missing = std::ranges::find(is_there, false); missing != is_there.end()) {
    throw InputError(format_text("{}: there is no node {}, which an element has", name,
                                 nodes.tag(static_cast<Index>(missing - is_there.begin()))));
  }
  constexpr double flat = 1e-9;
  if (dimensions == 2 && height > flat * size) {
    throw InputError(format_text("{}: the triangles do not lie in the plane z = 0", name));
  }
  return points;
}

std::vector<MeshGroup> groups_of(const GmshModel& model, const TagNumbers& nodes, const TagNumbers& elements,
                                 const std::string& name) {
  std::vector<MeshGroup> result;
  for (const GmshModel::Group& group : model.groups) {
    MeshGroup& ours = result.emplace_back(MeshGroup{group.name, group.dimension, {}});
    const TagNumbers& numbers = group.dimension == model.dimensions ? elements : nodes;
    std::ranges::transform(group.members, std::back_inserter(ours.members), std::cref(numbers));
    if (const auto lost = std::ranges::find(ours.members, Index{-1}); lost != ours.members.end()) {
      throw InputError(format_text("{}: node {} of the group '{}' belongs to no element", name,
                                   group.members[static_cast<std::size_t>(lost - ours.members.begin())], group.name));
    }
  }
  return result;
}

/// Where all elements go the wrong way around, as on a surface that is seen from below.
void turn(Mesh& mesh) {
  const auto is_inverted = [&](Index e) {
    return with_dimensions(mesh, [&](auto dimensions) { return Simplex<dimensions>(mesh, e).volume < 0.0; });
  };
  for (Index e = 0; e < mesh.elements(); ++e) {
    if (!is_inverted(e)) {
      return;
    }
  }
  const std::size_t corners = mesh.corners_of_element();
  for (std::size_t k = 0; k < mesh.corners.size(); k += corners) {
    std::swap(mesh.corners[k], mesh.corners[k + 1]);
  }
}

}  // namespace

Mesh mesh_of_model(Context<Host>& ctx, const GmshModel& model, const std::string& name, ElementsOfNodes& around) {
  const TagNumbers nodes(model.corners);
  const TagNumbers elements(model.elements);
  if (elements.size() != std::ssize(model.elements)) {
    throw InputError(format_text("{}: two elements have the same number", name));
  }
  Mesh mesh{.name = name,
            .points = points_of(ctx, model, nodes, name),
            .corners = Buffer<Index, Host>(ctx, model.corners.size()),
            .groups = groups_of(model, nodes, elements, name)};
  // In the order of their numbers, whatever entity Gmsh lists first.
  const std::size_t corners = mesh.corners_of_element();
  for (std::size_t e = 0; e < model.elements.size(); ++e) {
    const auto place = static_cast<std::size_t>(elements(model.elements[e]));
    std::transform(model.corners.begin() + static_cast<std::ptrdiff_t>(e * corners),
                   model.corners.begin() + static_cast<std::ptrdiff_t>((e + 1) * corners),
                   mesh.corners.data() + place * corners, std::cref(nodes));
  }
  turn(mesh);
  around = elements_of_nodes(ctx, mesh);
  check_mesh(
      ctx, mesh, around, [&](Index node) { return format_text("{}: node {}", name, nodes.tag(node)); },
      [&](Index element) { return format_text("{}: element {}", name, elements.tag(element)); });
  return mesh;
}

}  // namespace amgsolve
