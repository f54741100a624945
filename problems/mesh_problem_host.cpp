#include "problems/mesh_problem.hpp"

#include <fmt/ranges.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/mistakes.hpp"
#include "core/parallel_host.hpp"
#include "problems/simplex.hpp"

namespace amgsolve {
namespace {

using Numbers = std::vector<std::optional<double>>;

std::string key_of(std::string_view name) { return format_text("problem.generate.{}", name); }

/// What a key of conditions may say.
struct Rule {
  std::string_view key;
  std::size_t most_numbers = 1;
  bool may_be_free = false;
  bool is_positive = false;
};

std::array<std::pair<Rule, const GroupValues*>, 4> rules(const MeshConditions& conditions, Index components) {
  const auto all = static_cast<std::size_t>(components);
  return {{{{"fixed", all, true, false}, &conditions.fixed},
           {{"flux", all, false, false}, &conditions.flux},
           {{"source", all, false, false}, &conditions.source},
           {{"regions", 1, false, true}, &conditions.regions}}};
}

void check_numbers(const Rule& rule, const GroupValues& values) {
  for (const auto& [group, numbers] : values) {
    const auto fail = [&, &group = group](std::string_view reason) {
      throw ConfigurationError(format_text("{} of the group '{}': {}", key_of(rule.key), group, reason));
    };
    if (numbers.size() != 1 && numbers.size() != rule.most_numbers) {
      fail(rule.most_numbers == 1
               ? format_text("{} are given; there is one", format_count(std::ssize(numbers), "number"))
               : format_text("{} given; there is one for all directions, or {}",
                             format_count(std::ssize(numbers), "number"), rule.most_numbers));
    }
    for (const std::optional<double>& number : numbers) {
      if (!number && !rule.may_be_free) {
        fail("'free' is for what may be fixed");
      }
      if (number && rule.is_positive && !(*number > 0.0)) {
        fail(format_text("it is {}; it must be positive", *number));
      }
    }
  }
}

/// The number for a component, of one for all or one for each.
std::optional<double> number_of(const Numbers& numbers, Index component) {
  return numbers[numbers.size() == 1 ? 0 : static_cast<std::size_t>(component)];
}

/// The groups of a mesh by name.
class Groups {
 public:
  Groups(Context<Host>& ctx, const Mesh& mesh, Span<const Index, Host> across) : mesh_(mesh) {
    for (const MeshGroup& group : mesh.groups) {
      groups_.push_back(&group);
    }
    boundary_ = {boundary_group, mesh.dimensions() - 1, boundary_sides(ctx, mesh, across)};
    domain_ = {domain_group, mesh.dimensions(), std::vector<Index>(static_cast<std::size_t>(mesh.elements()))};
    std::iota(domain_.members.begin(), domain_.members.end(), Index{0});
    for (const MeshGroup* const own : {&boundary_, &domain_}) {
      if (std::ranges::find(mesh.groups, own->name, &MeshGroup::name) == mesh.groups.end()) {
        groups_.push_back(own);
      }
    }
  }

  /// Those of the name that have a dimension in a range: a name may stand for a group of each dimension.
  std::vector<const MeshGroup*> find(std::string_view key, const std::string& name, int lowest, int highest) const {
    std::vector<const MeshGroup*> found;
    std::vector<std::string> others;
    for (const MeshGroup* group : groups_) {
      if (group->dimension < lowest || group->dimension > highest) {
        continue;
      }
      if (group->name == name) {
        found.push_back(group);
      }
      others.push_back(group->name);
    }
    if (found.empty()) {
      const bool is_elsewhere = std::ranges::any_of(groups_, [&](const MeshGroup* g) { return g->name == name; });
      const char* const what = highest < mesh_.dimensions() ? "sides" : lowest == 0 ? "any kind" : "elements";
      throw ConfigurationError(format_text("{}: {} has no group '{}'{}; of {} it has {}", key_of(key), mesh_.name, name,
                                           is_elsewhere ? format_text(" of {}", what) : "", what,
                                           fmt::join(others, ", ")));
    }
    return found;
  }

 private:
  const Mesh& mesh_;
  MeshGroup boundary_;
  MeshGroup domain_;
  std::vector<const MeshGroup*> groups_;
};

/// Calls visit(simplex's nodes) for the members of a group.
template <class Visit>
void for_simplices(const Mesh& mesh, const MeshGroup& group, const Visit& visit) {
  if (group.dimension == mesh.dimensions()) {
    for (const Index element : group.members) {
      visit(mesh.element(element));
    }
    return;
  }
  const auto nodes = static_cast<std::size_t>(group.dimension) + 1;
  for (std::size_t k = 0; k < group.members.size(); k += nodes) {
    visit(Span<const Index, Host>(group.members.data() + k, nodes));
  }
}

/// Length or area of a side.
double size_of_side(const Mesh& mesh, Span<const Index, Host> nodes) {
  const auto edge = [&](std::size_t k, int d) { return mesh.point(nodes[k])[d] - mesh.point(nodes[0])[d]; };
  if (mesh.dimensions() == 2) {
    return std::hypot(edge(1, 0), edge(1, 1));
  }
  const auto normal = [&](int d) {
    const int x = (d + 1) % 3;
    const int y = (d + 2) % 3;
    return edge(1, x) * edge(2, y) - edge(1, y) * edge(2, x);
  };
  return 0.5 * std::hypot(normal(0), normal(1), normal(2));
}

void fix(MeshProblem& problem, const Groups& groups, const GroupValues& values) {
  for (const auto& [name, numbers] : values) {
    for (const MeshGroup* group : groups.find("fixed", name, 0, problem.mesh.dimensions())) {
      for_simplices(problem.mesh, *group, [&, &numbers = numbers](Span<const Index, Host> nodes) {
        for (const Index node : nodes) {
          for (Index p = 0; p < problem.components; ++p) {
            const auto k = static_cast<std::size_t>(node) * static_cast<std::size_t>(problem.components) +
                           static_cast<std::size_t>(p);
            if (const std::optional<double> value = number_of(numbers, p)) {
              problem.is_fixed[k] = 1;
              problem.fixed.data()[k] = *value;
            }
          }
        }
      });
    }
  }
}

void load_sides(MeshProblem& problem, const Groups& groups, const GroupValues& values) {
  const int dimension = problem.mesh.dimensions() - 1;
  for (const auto& [name, numbers] : values) {
    for (const MeshGroup* group : groups.find("flux", name, dimension, dimension)) {
      for_simplices(problem.mesh, *group, [&, &numbers = numbers](Span<const Index, Host> nodes) {
        const double share = size_of_side(problem.mesh, nodes) / static_cast<double>(nodes.size());
        for (const Index node : nodes) {
          for (Index p = 0; p < problem.components; ++p) {
            problem.load.data()[std::int64_t{node} * problem.components + p] += share * *number_of(numbers, p);
          }
        }
      });
    }
  }
}

/// Calls set(element, numbers) for what groups of elements are given.
template <class Set>
void for_elements(const MeshProblem& problem, const Groups& groups, std::string_view key, const GroupValues& values,
                  const Set& set) {
  const int dimension = problem.mesh.dimensions();
  for (const auto& [name, numbers] : values) {
    for (const MeshGroup* group : groups.find(key, name, dimension, dimension)) {
      for (const Index element : group->members) {
        set(element, numbers);
      }
    }
  }
}

/// Numbers that are joined to sets, for each of which its least number stands.
class JoinedSets {
 public:
  explicit JoinedSets(Index size) : root_(static_cast<std::size_t>(size)) {
    std::iota(root_.begin(), root_.end(), Index{0});
  }

  Index find(Index i) {
    while (at(i) != i) {
      i = at(i) = at(at(i));
    }
    return i;
  }

  /// Whether they were not joined before.
  bool join(Index i, Index j) {
    const Index a = find(i);
    const Index b = find(j);
    at(std::max(a, b)) = std::min(a, b);
    return a != b;
  }

 private:
  Index& at(Index i) { return root_[static_cast<std::size_t>(i)]; }
  std::vector<Index> root_;
};

/// To which rigid body each element belongs: those that hang together by their sides are one, as neither side can move
/// against the other; at a node, or in space an edge, that they share, bodies still turn. Empty where there are no more
/// bodies than connected parts, none of which then can move but as a whole.
std::vector<Index> bodies_of_elements(const Mesh& mesh, Span<const Index, Host> across, Index parts) {
  JoinedSets sets(mesh.elements());
  Index count = mesh.elements();
  const std::size_t corners = mesh.corners_of_element();
  for (Index e = 0; e < mesh.elements(); ++e) {
    for (const Index other : across.subspan(static_cast<std::size_t>(e) * corners, corners)) {
      count -= other > e && sets.join(e, other) ? 1 : 0;
    }
  }
  std::vector<Index> bodies(static_cast<std::size_t>(count > parts ? mesh.elements() : 0));
  for (std::size_t e = 0; e < bodies.size(); ++e) {
    bodies[e] = sets.find(static_cast<Index>(e));
  }
  return bodies;
}

/// As many rows as columns at most of the same nullspace as A, and of a size that the number of its rows does not tell.
Eigen::MatrixXd condensed(const Eigen::MatrixXd& A) {
  if (A.rows() <= A.cols()) {
    return A;
  }
  const Eigen::MatrixXd R = Eigen::HouseholderQR<Eigen::MatrixXd>(A).matrixQR().topRows(A.cols());
  return Eigen::MatrixXd(R.triangularView<Eigen::Upper>()) / std::sqrt(static_cast<double>(A.rows()));
}

/// Whether no motion of the bodies of a connected part of the mesh leaves all its fixed unknowns where they are and the
/// bodies together at the nodes that they share: neither a constant nor, of elastic ones, a rigid-body mode of each.
/// The conditions on these motions are a matrix of full rank.
/// @param nodes   of the part
/// @param bodies  of its elements; empty where the part has no motion but as a whole
bool is_held(const MeshProblem& problem, const std::vector<Index>& nodes, const std::vector<Index>& bodies) {
  constexpr std::array<std::array<int, 2>, 3> planes{{{0, 1}, {1, 2}, {2, 0}}};  // that bodies turn in
  constexpr double vanishing = 1e-10;                                            // beside the size of the part
  constexpr std::size_t most_bodies = 100;                                       // for a matrix of 600 columns
  const int dimensions = problem.mesh.dimensions();
  const auto component = [&](Index node, int d) { return d < dimensions ? problem.mesh.point(node)[d] : 0.0; };
  std::array<double, 3> low{};
  double size = 0.0;
  for (int d = 0; d < dimensions; ++d) {
    const auto [least, most] = std::ranges::minmax(nodes, {}, [&](Index node) { return component(node, d); });
    low[static_cast<std::size_t>(d)] = component(least, d);
    size = std::max(size, component(most, d) - component(least, d));
  }
  const Index components = problem.components;
  const int turns = components == 1 ? 0 : components == 2 ? 1 : 3;
  const auto append_displacement = [&](std::vector<double>& values, Index node, Index p) {
    const auto x = [&](int d) { return (component(node, d) - low[static_cast<std::size_t>(d)]) / size; };
    for (Index q = 0; q < components; ++q) {
      values.push_back(p == q ? 1.0 : 0.0);
    }
    for (int turn = 0; turn < turns; ++turn) {
      const auto [a, b] = planes[static_cast<std::size_t>(turn)];
      values.push_back(p == a ? -x(b) : p == b ? x(a) : 0.0);
    }
  };

  // The displacements, by the motions of a body, that are 0, or of two bodies the same.
  std::map<std::pair<Index, Index>, std::vector<double>> conditions;
  std::map<Index, std::size_t> place_of_body;
  std::vector<Index> at_node{0};
  for (const Index node : nodes) {
    if (!bodies.empty()) {
      at_node.clear();
      for (const Index element : problem.around.of(node)) {
        if (const Index body = bodies[static_cast<std::size_t>(element)]; at_node.empty() || at_node.back() != body) {
          at_node.push_back(body);
        }
      }
      std::ranges::sort(at_node);
      at_node.erase(std::ranges::unique(at_node).begin(), at_node.end());
    }
    for (const Index body : at_node) {
      place_of_body.try_emplace(body, place_of_body.size());
      for (Index p = 0; p < components; ++p) {
        if (body != at_node.front() || problem.is_fixed_at(node, p)) {
          append_displacement(conditions[{at_node.front(), body}], node, p);
        }
      }
    }
  }

  // Where there are too many bodies they move as one, of which the conditions between them say nothing.
  const bool is_one = place_of_body.size() > most_bodies;
  const Eigen::Index motions = components + turns;
  const Eigen::Index columns = motions * (is_one ? 1 : std::ssize(place_of_body));
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(motions * std::ssize(conditions), columns);
  Eigen::Index row = 0;
  for (const auto& [pair, values] : conditions) {
    const Eigen::Map<const Eigen::MatrixXd> by_motion(values.data(), motions, std::ssize(values) / motions);
    const Eigen::MatrixXd block = condensed(by_motion.transpose());
    const auto add = [&](Index body, double sign) {
      const Eigen::Index first = is_one ? 0 : motions * static_cast<Eigen::Index>(place_of_body.at(body));
      matrix.block(row, first, block.rows(), motions) += sign * block;
    };
    add(pair.second, 1.0);
    if (pair.first != pair.second) {
      add(pair.first, -1.0);
    }
    row += block.rows();
  }
  return Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(matrix).setThreshold(vanishing).rank() == columns;
}

/// Throws where a connected part of the mesh is held by too little.
void require_held(const MeshProblem& problem, Span<const Index, Host> across) {
  const Mesh& mesh = problem.mesh;
  JoinedSets sets(mesh.nodes());
  Index count = mesh.nodes();
  for (Index e = 0; e < mesh.elements(); ++e) {
    for (const Index node : mesh.element(e)) {
      count -= sets.join(mesh.element(e)[0], node) ? 1 : 0;
    }
  }
  std::vector<std::vector<Index>> parts(static_cast<std::size_t>(mesh.nodes()));
  for (Index node = 0; node < mesh.nodes(); ++node) {
    parts[static_cast<std::size_t>(sets.find(node))].push_back(node);
  }
  const std::vector<Index> bodies =
      problem.components == 1 ? std::vector<Index>() : bodies_of_elements(mesh, across, count);
  for (const std::vector<Index>& part : parts) {
    if (!part.empty() && !is_held(problem, part, bodies)) {
      const std::span<const double> point(mesh.point(part.front()), static_cast<std::size_t>(mesh.dimensions()));
      throw ConfigurationError(
          format_text("{} leaves the matrix of {} singular: the part of the mesh around ({:.6g}) {}", key_of("fixed"),
                      mesh.name, fmt::join(point, ", "),
                      problem.components == 1 ? "has no fixed unknown" : "can still move or turn with what is fixed"));
    }
  }
}

}  // namespace

bool MeshConditions::has_load() const {
  const auto has_number = [](const GroupValues& values) {
    return std::ranges::any_of(values, [](const auto& group) {
      return std::ranges::any_of(group.second, [](const std::optional<double>& x) { return x.value_or(0.0) != 0.0; });
    });
  };
  return has_number(fixed) || has_number(flux) || has_number(source);
}

double MeshProblem::nonzeros() const {
  // By Euler's formula a mesh has as many edges as nodes and elements, in space and half of the sides on the boundary,
  // of which each has two corners of its own at most.
  const double edges = 2.0 * mesh.nodes() + mesh.elements();
  return static_cast<double>(components) * components * std::min(2.0 * edges + mesh.nodes(), std::pow(free_nodes, 2.0));
}

void validate(const MeshEquation& equation) {
  Mistakes mistakes;
  if (equation.pde != Pde::poisson && equation.pde != Pde::diffusion && equation.pde != Pde::elasticity) {
    mistakes.add(format_text("problem.generate.pde is {}; a mesh has poisson, diffusion or elasticity",
                             to_string(equation.pde)));
  }
  const MeshConditions& conditions = equation.conditions;
  check_body(equation.pde, equation.body, mistakes);
  check_constant_coefficient(equation.pde, equation.coefficient, mistakes);
  if (conditions.fixed.empty()) {
    mistakes.add(
        format_text("{} is empty, so that the matrix of the mesh would be singular; to fix all of the boundary: "
                    "fixed: {{{}: 0}}",
                    key_of("fixed"), boundary_group));
  }
  if (equation.pde == Pde::poisson && !conditions.regions.empty()) {
    mistakes.add(format_text("{} is given; pde poisson has 1 (pde diffusion takes others)", key_of("regions")));
  }
  mistakes.raise();
}

MeshProblem make_mesh_problem(Context<Host>& ctx, Mesh mesh, ElementsOfNodes around, const MeshEquation& equation) {
  validate(equation);
  MeshProblem problem;
  problem.mesh = std::move(mesh);
  problem.around = std::move(around);
  const Index nodes = problem.mesh.nodes();
  const Index elements = problem.mesh.elements();
  problem.components = equation.pde == Pde::elasticity ? problem.mesh.dimensions() : 1;
  if (problem.components == 3 && equation.body.plane == PlaneState::stress) {
    throw ConfigurationError(
        format_text("{} is stress; {} lies in space and has no plane", key_of("plane"), problem.mesh.name));
  }
  for (const auto& [rule, values] : rules(equation.conditions, problem.components)) {
    check_numbers(rule, *values);
  }
  ElasticBody unit = equation.body;
  unit.young = 1.0;
  problem.lame = lame_constants(unit);
  const double coefficient = equation.pde == Pde::elasticity ? equation.body.young : equation.coefficient;

  problem.coefficient = Buffer<double, Host>(ctx, static_cast<std::size_t>(elements));
  std::ranges::fill(problem.coefficient.span(), coefficient);
  problem.is_fixed =
      Buffer<char, Host>(ctx, static_cast<std::size_t>(nodes) * static_cast<std::size_t>(problem.components));
  std::ranges::fill(problem.is_fixed.span(), char{0});
  problem.fixed = MultiVector<double, Host>(ctx, nodes, problem.components);
  problem.load = MultiVector<double, Host>(ctx, nodes, problem.components);
  problem.source = MultiVector<double, Host>(ctx, elements, problem.components);
  for (MultiVector<double, Host>* const x : {&problem.fixed, &problem.load, &problem.source}) {
    set_zero(ctx, x->view().span());
  }

  const MeshConditions& conditions = equation.conditions;
  const Buffer<Index, Host> across = elements_across(ctx, problem.mesh, problem.around);
  const Groups groups(ctx, problem.mesh, across.span());
  fix(problem, groups, conditions.fixed);
  load_sides(problem, groups, conditions.flux);
  for_elements(problem, groups, "regions", conditions.regions, [&](Index element, const Numbers& numbers) {
    problem.coefficient[static_cast<std::size_t>(element)] = *numbers.front();
  });
  for_elements(problem, groups, "source", conditions.source, [&](Index element, const Numbers& numbers) {
    for (Index p = 0; p < problem.components; ++p) {
      problem.source.data()[std::int64_t{element} * problem.components + p] = *number_of(numbers, p);
    }
  });
  require_held(problem, across.span());
  problem.place_of_node = Buffer<Index, Host>(ctx, static_cast<std::size_t>(nodes));
  number_free_nodes(problem);
  return problem;
}

void number_free_nodes(MeshProblem& problem) {
  problem.free_nodes = 0;
  for (Index node = 0; node < problem.mesh.nodes(); ++node) {
    bool is_free = false;
    for (Index p = 0; p < problem.components; ++p) {
      is_free |= !problem.is_fixed_at(node, p);
    }
    problem.place_of_node[static_cast<std::size_t>(node)] = is_free ? problem.free_nodes++ : -1;
  }
  if (problem.free_nodes == 0) {
    throw ConfigurationError(
        format_text("{} fixes every node of {}; nothing is left to solve", key_of("fixed"), problem.mesh.name));
  }
}

MultiVector<double, Host> free_points(Context<Host>& ctx, const MeshProblem& problem) {
  const Index dimensions = problem.mesh.dimensions();
  MultiVector<double, Host> points(ctx, problem.free_nodes, dimensions);
  parallel_for(ctx, problem.mesh.nodes(), [&](std::int64_t i) {
    if (const Index place = problem.place_of_node[static_cast<std::size_t>(i)]; place >= 0) {
      std::copy_n(problem.mesh.point(static_cast<Index>(i)), dimensions,
                  points.data() + std::int64_t{place} * dimensions);
    }
  });
  return points;
}

MultiVector<double, Host> values_at_nodes(Context<Host>& ctx, const MeshProblem& problem,
                                          MultiVectorView<const double, Host> x) {
  if (x.rows != problem.unknowns()) {
    throw std::invalid_argument(
        format_text("values_at_nodes: x has {} rows, the mesh {} unknowns", x.rows, problem.unknowns()));
  }
  const Index components = problem.components;
  const std::int64_t rows = std::int64_t{problem.mesh.nodes()} * components;
  MultiVector<double, Host> all(ctx, checked_index(rows, "values at the nodes of the mesh"), x.columns);
  parallel_for(ctx, rows, [&](std::int64_t row) {
    const Index place = problem.place_of_node[static_cast<std::size_t>(row / components)];
    const std::int64_t unknown = std::int64_t{place} * components + row % components;
    for (Index j = 0; j < x.columns; ++j) {
      all.data()[row * x.columns + j] = place < 0 ? problem.fixed.data()[row] : x.data[unknown * x.columns + j];
    }
  });
  return all;
}

}  // namespace amgsolve
