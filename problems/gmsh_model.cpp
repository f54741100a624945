#include "problems/gmsh_model.hpp"

#if AMGSOLVE_HAVE_GMSH
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "problems/simplex.hpp"

namespace amgsolve {
namespace {

/// Gmsh's numbers of simplices of first order, by their dimension: point, line, triangle, tetrahedron.
constexpr int simplex_types[] = {15, 1, 2, 4};

/// What has numbers in the file that need not be consecutive, in their order.
class Numbering {
 public:
  explicit Numbering(std::vector<std::size_t> tags) : tags_(std::move(tags)) {
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

/// Elements of one dimension: their numbers, and those of their nodes.
struct Simplices {
  std::vector<std::size_t> tags;
  std::vector<std::size_t> nodes;
};

class ModelReader {
 public:
  ModelReader(const GmshSession& gmsh, const std::string& name) : gmsh_(gmsh), name_(name) {}

  Mesh read(Context<Host>& ctx, ElementsOfNodes& around) {
    Simplices elements = simplices(3, -1);
    dimensions_ = elements.tags.empty() ? 2 : 3;
    if (dimensions_ == 2) {
      elements = simplices(2, -1);
    }
    if (elements.tags.empty()) {
      throw InputError(fmt::format("{}: the mesh has no triangles or tetrahedra", name_));
    }
    const Numbering nodes(elements.nodes);
    const Numbering element_numbers(elements.tags);
    Mesh mesh{.name = name_,
              .points = points(ctx, nodes),
              .corners = Buffer<Index, Host>(ctx, elements.nodes.size()),
              .groups = groups(nodes, element_numbers)};
    std::ranges::transform(elements.nodes, mesh.corners.data(), nodes);
    turn(mesh);
    around = elements_of_nodes(ctx, mesh);
    check_mesh(
        ctx, mesh, around, [&](Index node) { return fmt::format("{}: node {}", name_, nodes.tag(node)); },
        [&](Index element) {
          return fmt::format("{}: element {}", name_, elements.tags[static_cast<std::size_t>(element)]);
        });
    return mesh;
  }

 private:
  /// Of an entity, or of all where it is −1.
  Simplices simplices(int dimension, int entity) const {
    GmshArray<int> types(gmsh_);
    GmshArray<std::size_t*> tags(gmsh_);
    GmshArray<std::size_t*> nodes(gmsh_);
    GmshArray<std::size_t> tag_counts(gmsh_);
    GmshArray<std::size_t> node_counts(gmsh_);
    AMGSOLVE_GMSH(gmsh_, gmshModelMeshGetElements, &types.data, &types.size, &tags.data, &tag_counts.data, &tags.size,
                  &nodes.data, &node_counts.data, &nodes.size, dimension, entity);
    Simplices result;
    bool is_simplicial = true;
    for (std::size_t t = 0; t < types.size; ++t) {
      is_simplicial &= types.data[t] == simplex_types[dimension];
      result.tags.insert(result.tags.end(), tags.data[t], tags.data[t] + tag_counts.data[t]);
      result.nodes.insert(result.nodes.end(), nodes.data[t], nodes.data[t] + node_counts.data[t]);
      gmsh_.free(tags.data[t]);
      gmsh_.free(nodes.data[t]);
    }
    for (std::size_t t = 0; t < types.size && !is_simplicial; ++t) {
      if (types.data[t] != simplex_types[dimension]) {
        throw InputError(
            fmt::format("{}: the mesh has elements of the type '{}'; triangles of 3 nodes in the plane, or "
                        "tetrahedra of 4, are read",
                        name_, name_of_type(types.data[t])));
      }
    }
    return result;
  }

  std::string name_of_type(int type) const {
    GmshArray<char> text(gmsh_);
    GmshArray<double> coordinates(gmsh_);
    int numbers[4] = {};
    AMGSOLVE_GMSH(gmsh_, gmshModelMeshGetElementProperties, type, &text.data, &numbers[0], &numbers[1], &numbers[2],
                  &coordinates.data, &coordinates.size, &numbers[3]);
    return text.data;
  }

  MultiVector<double, Host> points(Context<Host>& ctx, const Numbering& nodes) const {
    GmshArray<std::size_t> tags(gmsh_);
    GmshArray<double> coordinates(gmsh_);
    GmshArray<double> parameters(gmsh_);
    AMGSOLVE_GMSH(gmsh_, gmshModelMeshGetNodes, &tags.data, &tags.size, &coordinates.data, &coordinates.size,
                  &parameters.data, &parameters.size, -1, -1, 0, 0);
    MultiVector<double, Host> points(ctx, nodes.size(), dimensions_);
    std::vector<bool> is_there(static_cast<std::size_t>(nodes.size()));
    double height = 0.0;
    double size = 0.0;
    for (std::size_t k = 0; k < tags.size; ++k) {
      const Index node = nodes(tags.data[k]);
      if (node < 0) {
        continue;
      }
      const double* const x = coordinates.data + 3 * k;
      if (!std::isfinite(x[0]) || !std::isfinite(x[1]) || !std::isfinite(x[2])) {
        throw InputError(fmt::format("{}: node {}: a coordinate is no finite number", name_, tags.data[k]));
      }
      std::copy_n(x, dimensions_, points.data() + std::int64_t{node} * dimensions_);
      is_there[static_cast<std::size_t>(node)] = true;
      size = std::max({size, std::abs(x[0]), std::abs(x[1])});
      height = std::max(height, std::abs(x[2]));
    }
    if (const auto missing = std::ranges::find(is_there, false); missing != is_there.end()) {
      throw InputError(fmt::format("{}: there is no node {}, which an element has", name_,
                                   nodes.tag(static_cast<Index>(missing - is_there.begin()))));
    }
    constexpr double flat = 1e-9;
    if (dimensions_ == 2 && height > flat * size) {
      throw InputError(fmt::format("{}: the triangles do not lie in the plane z = 0", name_));
    }
    return points;
  }

  std::vector<MeshGroup> groups(const Numbering& nodes, const Numbering& elements) const {
    GmshArray<int> pairs(gmsh_);
    AMGSOLVE_GMSH(gmsh_, gmshModelGetPhysicalGroups, &pairs.data, &pairs.size, -1);
    std::vector<MeshGroup> result;
    for (std::size_t k = 0; k + 1 < pairs.size; k += 2) {
      const int dimension = pairs.data[k];
      const int tag = pairs.data[k + 1];
      if (dimension > dimensions_) {
        continue;
      }
      GmshArray<char> name(gmsh_);
      AMGSOLVE_GMSH(gmsh_, gmshModelGetPhysicalName, dimension, tag, &name.data);
      const bool has_name = name.data != nullptr && *name.data != '\0';
      MeshGroup& group = result.emplace_back(MeshGroup{has_name ? name.data : fmt::format("{}", tag), dimension, {}});
      GmshArray<int> entities(gmsh_);
      AMGSOLVE_GMSH(gmsh_, gmshModelGetEntitiesForPhysicalGroup, dimension, tag, &entities.data, &entities.size);
      for (const int entity : entities) {
        const Simplices members = simplices(dimension, entity);
        const bool is_of_elements = dimension == dimensions_;
        for (const std::size_t member : is_of_elements ? members.tags : members.nodes) {
          group.members.push_back(is_of_elements ? elements(member) : nodes(member));
          if (group.members.back() < 0) {
            throw InputError(
                fmt::format("{}: node {} of the group '{}' belongs to no element", name_, member, group.name));
          }
        }
      }
    }
    return result;
  }

  /// Where all elements go the wrong way around, as on a surface that is seen from below.
  void turn(Mesh& mesh) const {
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

  const GmshSession& gmsh_;
  const std::string& name_;
  int dimensions_ = 2;
};

}  // namespace

Mesh mesh_of_model(Context<Host>& ctx, const GmshSession& gmsh, const std::string& name, ElementsOfNodes& around) {
  return ModelReader(gmsh, name).read(ctx, around);
}

}  // namespace amgsolve
#endif
