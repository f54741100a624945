#include "problems/gmsh_model.hpp"

#include <algorithm>

#if AMGSOLVE_HAVE_GMSH

#include <utility>

#include "core/format.hpp"
#include "problems/gmsh_session.hpp"
#endif

namespace amgsolve {

void send(const ProcessSink& sink, const GmshModel& model) {
  const auto put = [&](const auto& values) { sink.put(values.data(), values.size()); };
  sink.put(model.dimensions);
  put(model.elements);
  put(model.corners);
  put(model.nodes);
  put(model.coordinates);
  sink.put(model.groups.size());
  for (const GmshModel::Group& group : model.groups) {
    put(group.name);
    sink.put(group.dimension);
    put(group.members);
  }
}

GmshModel take_model(const ProcessSource& source) {
  GmshModel model;
  model.dimensions = source.take<int>();
  model.elements = source.take_all<std::size_t>();
  model.corners = source.take_all<std::size_t>();
  model.nodes = source.take_all<std::size_t>();
  model.coordinates = source.take_all<double>();
  for (auto left = source.take<std::size_t>(); left > 0; --left) {
    const std::vector<char> name = source.take_all<char>();
    const int dimension = source.take<int>();
    model.groups.push_back({{name.begin(), name.end()}, dimension, source.take_all<std::size_t>()});
  }
  // A process whose heap is damaged may yet come to its end.
  const auto of_group = [&](const GmshModel::Group& group) {
    return group.dimension >= 0 && group.dimension <= model.dimensions &&
           (group.dimension == model.dimensions ||
            group.members.size() % static_cast<std::size_t>(group.dimension + 1) == 0);
  };
  if ((model.dimensions != 2 && model.dimensions != 3) || model.elements.empty() ||
      model.corners.size() != model.elements.size() * static_cast<std::size_t>(model.dimensions + 1) ||
      model.coordinates.size() != 3 * model.nodes.size() || !std::ranges::all_of(model.groups, of_group)) {
    throw ProcessSource::Ended();
  }
  return model;
}

#if AMGSOLVE_HAVE_GMSH

namespace {

/// Gmsh's numbers of simplices of first order, by their dimension: point, line, triangle, tetrahedron.
constexpr int simplex_types[] = {15, 1, 2, 4};

/// Elements of one dimension: their numbers, and those of their nodes.
struct Simplices {
  std::vector<std::size_t> tags;
  std::vector<std::size_t> nodes;
};

class ModelReader {
 public:
  ModelReader(const GmshSession& gmsh, const std::string& name) : gmsh_(gmsh), name_(name) {}

  GmshModel read() const {
    GmshModel model;
    Simplices elements = simplices(3, -1);
    model.dimensions = elements.tags.empty() ? 2 : 3;
    if (model.dimensions == 2) {
      elements = simplices(2, -1);
    }
    if (elements.tags.empty()) {
      throw InputError(format_text("{}: the mesh has no triangles or tetrahedra", name_));
    }
    model.elements = std::move(elements.tags);
    model.corners = std::move(elements.nodes);
    take_nodes(model);
    take_groups(model);
    return model;
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
            format_text("{}: the mesh has elements of the type '{}'; triangles of 3 nodes in the plane, or "
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

  void take_nodes(GmshModel& model) const {
    GmshArray<std::size_t> tags(gmsh_);
    GmshArray<double> coordinates(gmsh_);
    GmshArray<double> parameters(gmsh_);
    AMGSOLVE_GMSH(gmsh_, gmshModelMeshGetNodes, &tags.data, &tags.size, &coordinates.data, &coordinates.size,
                  &parameters.data, &parameters.size, -1, -1, 0, 0);
    model.nodes.assign(tags.begin(), tags.end());
    model.coordinates.assign(coordinates.begin(), coordinates.end());
  }

  void take_groups(GmshModel& model) const {
    GmshArray<int> pairs(gmsh_);
    AMGSOLVE_GMSH(gmsh_, gmshModelGetPhysicalGroups, &pairs.data, &pairs.size, -1);
    for (std::size_t k = 0; k + 1 < pairs.size; k += 2) {
      const int dimension = pairs.data[k];
      const int tag = pairs.data[k + 1];
      if (dimension > model.dimensions) {
        continue;
      }
      GmshArray<char> name(gmsh_);
      AMGSOLVE_GMSH(gmsh_, gmshModelGetPhysicalName, dimension, tag, &name.data);
      const bool has_name = name.data != nullptr && *name.data != '\0';
      GmshModel::Group& group =
          model.groups.emplace_back(GmshModel::Group{has_name ? name.data : format_text("{}", tag), dimension, {}});
      GmshArray<int> entities(gmsh_);
      AMGSOLVE_GMSH(gmsh_, gmshModelGetEntitiesForPhysicalGroup, dimension, tag, &entities.data, &entities.size);
      for (const int entity : entities) {
        const Simplices found = simplices(dimension, entity);
        const std::vector<std::size_t>& members = dimension == model.dimensions ? found.tags : found.nodes;
        group.members.insert(group.members.end(), members.begin(), members.end());
      }
    }
  }

  const GmshSession& gmsh_;
  const std::string& name_;
};

}  // namespace

GmshModel model_of(const GmshSession& gmsh, const std::string& name) { return ModelReader(gmsh, name).read(); }

#endif

}  // namespace amgsolve
