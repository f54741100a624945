#include "tests/reference/meshes.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "core/format.hpp"
#include "core/hash.hpp"
#include "spmv/random.hpp"

namespace amgsolve::reference {
namespace {

using Cell = std::array<Index, 3>;

/// The corners of the simplices of a cell: ways from its first corner to its last one, a step in each direction.
std::vector<std::vector<Cell>> simplices_of(const Cell& cell, int dimensions) {
  std::vector<std::vector<Cell>> simplices;
  std::vector<std::size_t> order(static_cast<std::size_t>(dimensions));
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    std::vector<Cell> corners{cell};
    for (const std::size_t d : order) {
      corners.push_back(corners.back());
      ++corners.back()[d];
    }
    int inversions = 0;
    for (std::size_t a = 0; a < order.size(); ++a) {
      for (std::size_t b = a + 1; b < order.size(); ++b) {
        inversions += order[a] > order[b] ? 1 : 0;
      }
    }
    if (inversions % 2 == 1) {
      std::swap(corners[0], corners[1]);
    }
    simplices.push_back(corners);
  } while (std::ranges::next_permutation(order).found);
  return simplices;
}

/// The nodes of the simplices of the groups of a name and a dimension.
std::vector<std::vector<Index>> simplices_of_group(const Mesh& mesh, const std::string& name, int dimension) {
  const auto nodes_of = [&](Index e) { return std::vector<Index>(mesh.element(e).begin(), mesh.element(e).end()); };
  std::vector<std::vector<Index>> simplices;
  for (const MeshGroup& group : mesh.groups) {
    if (group.name != name || group.dimension != dimension) {
      continue;
    }
    if (dimension == mesh.dimensions()) {
      std::ranges::transform(group.members, std::back_inserter(simplices), nodes_of);
      continue;
    }
    for (auto node = group.members.begin(); node != group.members.end(); node += dimension + 1) {
      simplices.emplace_back(node, node + dimension + 1);
    }
  }
  std::map<std::vector<Index>, int> elements_at_side;
  for (Index e = 0; e < mesh.elements(); ++e) {
    if (name == domain_group && dimension == mesh.dimensions()) {
      simplices.push_back(nodes_of(e));
    }
    for (const Index corner : mesh.element(e)) {
      std::vector<Index> side = nodes_of(e);
      std::erase(side, corner);
      std::ranges::sort(side);
      ++elements_at_side[side];
    }
  }
  for (const auto& [side, elements] : elements_at_side) {
    if (name == boundary_group && dimension == mesh.dimensions() - 1 && elements == 1) {
      simplices.push_back(side);
    }
  }
  return simplices;
}

/// What is given to the groups of some dimensions: visit(nodes of a simplex, component, number), of later ones later.
template <class Visit>
void for_given(const Mesh& mesh, Index components, const GroupValues& values, int lowest, int highest,
               const Visit& visit) {
  for (const auto& [name, numbers] : values) {
    for (int dimension = lowest; dimension <= highest; ++dimension) {
      for (const std::vector<Index>& nodes : simplices_of_group(mesh, name, dimension)) {
        for (Index p = 0; p < components; ++p) {
          if (const auto number = numbers.size() == 1 ? numbers[0] : numbers[static_cast<std::size_t>(p)]) {
            visit(nodes, p, *number);
          }
        }
      }
    }
  }
}

/// Of the simplex at points, by the determinant of its edges' products.
double volume_of(const Mesh& mesh, const std::vector<Index>& nodes) {
  const auto edges = static_cast<Eigen::Index>(nodes.size()) - 1;
  const Eigen::Map<const Eigen::MatrixXd> points(mesh.points.data(), mesh.dimensions(), mesh.nodes());
  Eigen::MatrixXd E(mesh.dimensions(), edges);
  double factorial = 1.0;
  for (Eigen::Index k = 0; k < edges; ++k) {
    E.col(k) = points.col(nodes[static_cast<std::size_t>(k) + 1]) - points.col(nodes[0]);
    factorial *= static_cast<double>(k + 1);
  }
  return std::sqrt((E.transpose() * E).determinant()) / factorial;
}

/// Lamé's constants for a Young's modulus of 1.
LameConstants unit_lame(const ElasticBody& body) {
  const double nu = body.poisson;
  return {.lambda = body.plane == PlaneState::stress ? nu / (1 - nu * nu) : nu / ((1 + nu) * (1 - 2 * nu)),
          .mu = 0.5 / (1 + nu)};
}

}  // namespace

Mesh box_mesh(Context<Host>& ctx, int dimensions, Index n, double distortion) {
  const Index side = n + 1;
  const Index nodes = dimensions == 2 ? side * side : side * side * side;
  std::vector<Index> number(static_cast<std::size_t>(nodes));
  std::iota(number.begin(), number.end(), Index{0});
  std::ranges::sort(number, {}, [](Index i) { return hash64(static_cast<std::uint64_t>(i)); });
  const auto node_at = [&](const Cell& at) {
    return number[static_cast<std::size_t>(at[0] + side * (at[1] + side * at[2]))];
  };

  Mesh mesh{.name = "box", .points = MultiVector<double, Host>(ctx, nodes, dimensions), .corners = {}, .groups = {}};
  std::vector<Index> corners;
  MeshGroup left{"left", dimensions - 1, {}};
  MeshGroup right{"right", dimensions - 1, {}};
  MeshGroup near{"near", dimensions, {}};
  MeshGroup far{"far", dimensions, {}};
  for (Index z = 0; z < (dimensions == 3 ? side : 1); ++z) {
    for (Index y = 0; y < side; ++y) {
      for (Index x = 0; x < side; ++x) {
        const Cell at{x, y, z};
        const Index node = node_at(at);
        bool is_inside = true;
        for (int d = 0; d < dimensions; ++d) {
          is_inside &= at[static_cast<std::size_t>(d)] > 0 && at[static_cast<std::size_t>(d)] < n;
        }
        for (int d = 0; d < dimensions; ++d) {
          const double step = random_uniform(7, static_cast<std::uint64_t>(3 * node + d));
          mesh.points.data()[node * dimensions + d] =
              (at[static_cast<std::size_t>(d)] + (is_inside ? distortion * step : 0.0)) / n;
        }
        if (x == n || y == n || (dimensions == 3 && z == n)) {
          continue;
        }
        for (const std::vector<Cell>& simplex : simplices_of(at, dimensions)) {
          (2 * x < n ? near : far).members.push_back(static_cast<Index>(corners.size()) / (dimensions + 1));
          for (MeshGroup* const group : {&left, &right}) {
            const Index wall = group == &left ? 0 : n;
            if (std::ranges::count(simplex, wall, [](const Cell& c) { return c[0]; }) == dimensions) {
              for (const Cell& corner : simplex) {
                if (corner[0] == wall) {
                  group->members.push_back(node_at(corner));
                }
              }
            }
          }
          for (const Cell& corner : simplex) {
            corners.push_back(node_at(corner));
          }
        }
      }
    }
  }
  mesh.corners = Buffer<Index, Host>(ctx, corners.size());
  std::ranges::copy(corners, mesh.corners.data());
  mesh.groups = {left, right, near, far};
  return mesh;
}

std::string text_of(const Mesh& mesh) {
  std::string text = format_text("# a mesh\n{} {} {} {}\n", mesh.nodes(), mesh.dimensions(), mesh.elements(),
                                 mesh.corners_of_element());
  const auto append = [&text](const auto* numbers, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      text += format_text("{}{}", numbers[k], k + 1 < count ? ' ' : '\n');
    }
  };
  for (Index node = 0; node < mesh.nodes(); ++node) {
    append(mesh.point(node), static_cast<std::size_t>(mesh.dimensions()));
  }
  for (Index e = 0; e < mesh.elements(); ++e) {
    append(mesh.element(e).data(), mesh.corners_of_element());
  }
  return text;
}

DenseSystem assemble(const Mesh& mesh, const MeshEquation& equation) {
  const bool is_body = equation.pde == Pde::elasticity;
  const Index components = is_body ? mesh.dimensions() : 1;
  const LameConstants lame = unit_lame(equation.body);
  const auto all = static_cast<Eigen::Index>(mesh.nodes()) * components;
  const auto D = static_cast<Eigen::Index>(mesh.dimensions());
  const MeshConditions& conditions = equation.conditions;
  std::map<Eigen::Index, double> fixed;
  for_given(mesh, components, conditions.fixed, 0, mesh.dimensions(),
            [&](const std::vector<Index>& nodes, Index p, double value) {
              for (const Index node : nodes) {
                fixed[Eigen::Index{node} * components + p] = value;
              }
            });
  std::map<std::vector<Index>, double> coefficient;
  for_given(mesh, 1, conditions.regions, mesh.dimensions(), mesh.dimensions(),
            [&](const std::vector<Index>& nodes, Index, double value) { coefficient[nodes] = value; });
  std::map<std::pair<std::vector<Index>, Index>, double> source;
  for_given(mesh, components, conditions.source, mesh.dimensions(), mesh.dimensions(),
            [&](const std::vector<Index>& nodes, Index p, double value) {
              source[{nodes, p}] = value;
            });
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(all, all);
  Eigen::VectorXd f = Eigen::VectorXd::Zero(all);
  for_given(mesh, components, conditions.flux, mesh.dimensions() - 1, mesh.dimensions() - 1,
            [&](const std::vector<Index>& nodes, Index p, double value) {
              for (const Index node : nodes) {
                f(Eigen::Index{node} * components + p) +=
                    value * volume_of(mesh, nodes) / static_cast<double>(nodes.size());
              }
            });
  for (Index e = 0; e < mesh.elements(); ++e) {
    // φ_a = the row a of the inverse of [1 x y z] at the corners, times (1, x, y, z).
    Eigen::MatrixXd corners(D + 1, D + 1);
    for (Eigen::Index a = 0; a <= D; ++a) {
      corners(a, 0) = 1.0;
      for (Eigen::Index d = 0; d < D; ++d) {
        corners(a, d + 1) = mesh.point(mesh.element(e)[static_cast<std::size_t>(a)])[d];
      }
    }
    const double volume = std::abs(corners.determinant()) / (D == 2 ? 2.0 : 6.0);
    const Eigen::MatrixXd gradients = corners.inverse().bottomRows(D);  // a column for each corner
    const std::vector<Index> nodes(mesh.element(e).begin(), mesh.element(e).end());
    const double c = coefficient.contains(nodes) ? coefficient.at(nodes)
                     : is_body                   ? equation.body.young
                                                 : equation.coefficient;
    for (Eigen::Index a = 0; a <= D; ++a) {
      for (Index p = 0; p < components; ++p) {
        const Eigen::Index row = mesh.element(e)[static_cast<std::size_t>(a)] * components + p;
        f(row) += volume / static_cast<double>(D + 1) * source[{nodes, p}];
        for (Eigen::Index b = 0; b <= D; ++b) {
          for (Index q = 0; q < components; ++q) {
            // The strains of the displacements φ_a e_p and φ_b e_q.
            const auto strain = [&](Eigen::Index corner, Index direction) {
              Eigen::MatrixXd gradient = Eigen::MatrixXd::Zero(D, D);
              gradient.row(direction) = gradients.col(corner);
              return Eigen::MatrixXd(0.5 * (gradient + gradient.transpose()));
            };
            const Eigen::Index col = mesh.element(e)[static_cast<std::size_t>(b)] * components + q;
            K(row, col) += c * volume *
                           (!is_body ? gradients.col(a).dot(gradients.col(b))
                                     : lame.lambda * strain(a, p).trace() * strain(b, q).trace() +
                                           2.0 * lame.mu * strain(a, p).cwiseProduct(strain(b, q)).sum());
          }
        }
      }
    }
  }
  const auto is_fixed = [&](Eigen::Index i) { return fixed.contains(i); };
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < all; ++i) {
    bool has_unknowns = false;
    for (Index p = 0; p < components; ++p) {
      has_unknowns |= !is_fixed(i / components * components + p);
    }
    if (has_unknowns) {
      rows.push_back(i);
    }
  }
  DenseSystem system;
  for (const Eigen::Index i : rows) {
    double b = f(i);
    for (Eigen::Index j = 0; j < all; ++j) {
      b -= is_fixed(j) ? K(i, j) * fixed.at(j) : 0.0;
    }
    system.b.push_back(is_fixed(i) ? K(i, i) * fixed.at(i) : b);
    std::vector<double>& row = system.A.emplace_back();
    for (const Eigen::Index j : rows) {
      row.push_back(i == j || (!is_fixed(i) && !is_fixed(j)) ? K(i, j) : 0.0);
    }
  }
  return system;
}

}  // namespace amgsolve::reference
