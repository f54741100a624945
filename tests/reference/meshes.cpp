#include "tests/reference/meshes.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

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

DenseSystem assemble(const MeshProblem& problem) {
  const Mesh& mesh = problem.mesh;
  const Index components = problem.components;
  const auto all = static_cast<Eigen::Index>(mesh.nodes()) * components;
  const auto D = static_cast<Eigen::Index>(mesh.dimensions());
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(all, all);
  Eigen::VectorXd f = Eigen::VectorXd::Zero(all);
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
    const double c = problem.coefficient[static_cast<std::size_t>(e)];
    for (Eigen::Index a = 0; a <= D; ++a) {
      for (Index p = 0; p < components; ++p) {
        const Eigen::Index row = mesh.element(e)[static_cast<std::size_t>(a)] * components + p;
        f(row) += volume / static_cast<double>(D + 1) * problem.source.data()[std::int64_t{e} * components + p];
        for (Eigen::Index b = 0; b <= D; ++b) {
          for (Index q = 0; q < components; ++q) {
            // The strains of the displacements φ_a e_p and φ_b e_q.
            const auto strain = [&](Eigen::Index corner, Index direction) {
              Eigen::MatrixXd gradient = Eigen::MatrixXd::Zero(D, D);
              gradient.row(direction) = gradients.col(corner);
              return Eigen::MatrixXd(0.5 * (gradient + gradient.transpose()));
            };
            const Eigen::Index col = mesh.element(e)[static_cast<std::size_t>(b)] * components + q;
            K(row, col) +=
                c * volume *
                (components == 1 ? gradients.col(a).dot(gradients.col(b))
                                 : problem.lame.lambda * strain(a, p).trace() * strain(b, q).trace() +
                                       2.0 * problem.lame.mu * strain(a, p).cwiseProduct(strain(b, q)).sum());
          }
        }
      }
    }
  }
  const auto is_fixed = [&](Eigen::Index i) { return problem.is_fixed[static_cast<std::size_t>(i)] != 0; };
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < all; ++i) {
    if (problem.place_of_node[static_cast<std::size_t>(i / components)] >= 0) {
      rows.push_back(i);
    }
  }
  DenseSystem system;
  for (const Eigen::Index i : rows) {
    double b = f(i) + problem.load.data()[i];
    for (Eigen::Index j = 0; j < all; ++j) {
      b -= is_fixed(j) ? K(i, j) * problem.fixed.data()[j] : 0.0;
    }
    system.b.push_back(is_fixed(i) ? K(i, i) * problem.fixed.data()[i] : b);
    std::vector<double>& row = system.A.emplace_back();
    for (const Eigen::Index j : rows) {
      row.push_back(i == j || (!is_fixed(i) && !is_fixed(j)) ? K(i, j) : 0.0);
    }
  }
  return system;
}

}  // namespace amgsolve::reference
