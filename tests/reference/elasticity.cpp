#include "tests/reference/elasticity.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "tests/reference/matrices.hpp"

namespace amgsolve::reference {
namespace {

/// The four corners of an element.
constexpr std::array<std::array<Index, 2>, 4> corners = {{{0, 0}, {1, 0}, {0, 1}, {1, 1}}};

/// The stiffness of an element between unknown p of corner a and unknown q of corner b: ∫ λ ∂_p φ_a ∂_q φ_b +
/// μ (∂_q φ_a ∂_p φ_b + δ_pq ∇φ_a·∇φ_b) by 2 × 2 Gauss points, which is exact.
double stiffness(std::size_t a, std::size_t p, std::size_t b, std::size_t q, double height) {
  constexpr double poisson = 0.3;
  constexpr double lambda = poisson / ((1 + poisson) * (1 - 2 * poisson));
  constexpr double mu = 1 / (2 * (1 + poisson));
  const auto gradient = [&](std::size_t corner, double x, double y) {
    const double sx = corners[corner][0] == 0 ? -1.0 : 1.0;
    const double sy = corners[corner][1] == 0 ? -1.0 : 1.0;
    const double fx = corners[corner][0] == 0 ? 1.0 - x : x;
    const double fy = corners[corner][1] == 0 ? 1.0 - y : y;
    return std::array<double, 2>{sx * fy, fx * sy / height};
  };
  double sum = 0.0;
  for (const double x : {0.5 - 0.5 / std::sqrt(3.0), 0.5 + 0.5 / std::sqrt(3.0)}) {
    for (const double y : {0.5 - 0.5 / std::sqrt(3.0), 0.5 + 0.5 / std::sqrt(3.0)}) {
      const auto ga = gradient(a, x, y);
      const auto gb = gradient(b, x, y);
      sum += 0.25 * height *
             (lambda * ga[p] * gb[q] + mu * ga[q] * gb[p] + (p == q ? mu * (ga[0] * gb[0] + ga[1] * gb[1]) : 0.0));
    }
  }
  return sum;
}

using Point = std::array<double, 3>;
using Node = std::array<std::int64_t, 3>;

std::vector<Node> nodes_of_box(std::int64_t x, std::int64_t y, std::int64_t z) {
  std::vector<Node> all;
  for (std::int64_t k = 0; k < z; ++k) {
    for (std::int64_t j = 0; j < y; ++j) {
      for (std::int64_t i = 0; i < x; ++i) {
        all.push_back({i, j, k});
      }
    }
  }
  return all;
}

/// A part of a unit cell with a rule of quadrature: the corners that have basis functions there, and for each point of
/// the rule its weight, the values of the functions and their gradients.
struct Part {
  struct Sample {
    double weight;
    std::vector<double> values;
    std::vector<Point> gradients;
  };
  std::vector<Node> corners;
  std::vector<Sample> samples;
};

Part multilinear_cell(int dimensions) {
  Part part{nodes_of_box(2, 2, dimensions == 3 ? 2 : 1), {}};
  for (const Node& gauss : part.corners) {
    Part::Sample sample{1.0 / static_cast<double>(part.corners.size()), {}, {}};
    for (const Node& corner : part.corners) {
      Point values{1.0, 1.0, 1.0};
      Point slopes{};
      for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
        const double x = 0.5 + (gauss[d] == 1 ? 0.5 : -0.5) / std::sqrt(3.0);
        values[d] = corner[d] == 1 ? x : 1.0 - x;
        slopes[d] = corner[d] == 1 ? 1.0 : -1.0;
      }
      sample.values.push_back(values[0] * values[1] * values[2]);
      sample.gradients.push_back(
          {slopes[0] * values[1] * values[2], values[0] * slopes[1] * values[2], values[0] * values[1] * slopes[2]});
    }
    part.samples.push_back(sample);
  }
  return part;
}

double determinant(const std::array<Point, 3>& M) {
  return M[0][0] * (M[1][1] * M[2][2] - M[1][2] * M[2][1]) - M[0][1] * (M[1][0] * M[2][2] - M[1][2] * M[2][0]) +
         M[0][2] * (M[1][0] * M[2][1] - M[1][1] * M[2][0]);
}

/// The simplices of a cell around its diagonal. In 2D the third edge is a unit vector across the plane.
std::vector<Part> simplices_of_cell(int dimensions) {
  const auto d = static_cast<std::size_t>(dimensions);
  std::vector<Part> parts;
  std::array<std::size_t, 3> order{0, 1, 2};
  do {
    Part part{{Node{}}, {}};
    for (std::size_t k = 0; k < d; ++k) {
      Node corner = part.corners.back();
      ++corner[order[k]];
      part.corners.push_back(corner);
    }
    std::array<Point, 3> edges{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (std::size_t k = 0; k < d; ++k) {
      for (std::size_t i = 0; i < 3; ++i) {
        edges[k][i] = static_cast<double>(part.corners[k + 1][i]);
      }
    }
    const double volume = std::abs(determinant(edges)) / (dimensions == 2 ? 2.0 : 6.0);
    // The gradient g of function k has g · edge_l = δ_kl: by Cramer's rule.
    Part::Sample sample{volume, std::vector<double>(d + 1, 1.0 / static_cast<double>(d + 1)), {Point{}}};
    for (std::size_t k = 0; k < d; ++k) {
      Point gradient{};
      for (std::size_t i = 0; i < 3; ++i) {
        std::array<Point, 3> replaced = edges;
        for (std::size_t l = 0; l < 3; ++l) {
          replaced[l][i] = l == k ? 1.0 : 0.0;
        }
        gradient[i] = determinant(replaced) / determinant(edges);
        sample.gradients.front()[i] -= gradient[i];
      }
      sample.gradients.push_back(gradient);
    }
    part.samples.push_back(sample);
    parts.push_back(part);
  } while (std::next_permutation(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(d)));
  return parts;
}

std::vector<Part> parts_of_cell(const GeneratedProblem& problem) {
  return problem.discretization == Discretization::p1 ? simplices_of_cell(problem.grid.dimensions)
                                                      : std::vector<Part>{multilinear_cell(problem.grid.dimensions)};
}

using Voigt = std::array<double, 6>;  ///< xx, yy, zz, yz, xz, xy

/// The strain of a displacement φ in direction p.
Voigt strain(const Point& gradient, std::size_t p) {
  const auto& [x, y, z] = gradient;
  return p == 0 ? Voigt{x, 0, 0, 0, z, y} : p == 1 ? Voigt{0, y, 0, z, 0, x} : Voigt{0, 0, z, y, x, 0};
}

/// σ = C ε from Young's modulus and Poisson's ratio; in plane stress with the ε_zz that makes σ_zz vanish.
Voigt stress(const ElasticBody& body, Voigt e) {
  const double nu = body.poisson;
  if (body.plane == PlaneState::stress) {
    e[2] = -nu / (1 - nu) * (e[0] + e[1]);
  }
  const double normal = body.young / ((1 + nu) * (1 - 2 * nu));
  const double shear = body.young / (2 * (1 + nu));
  return {normal * ((1 - nu) * e[0] + nu * (e[1] + e[2])),
          normal * ((1 - nu) * e[1] + nu * (e[0] + e[2])),
          normal * ((1 - nu) * e[2] + nu * (e[0] + e[1])),
          shear * e[3],
          shear * e[4],
          shear * e[5]};
}

/// The numbers of the nodes at the corners of a part of a cell; −1 where they are fixed.
std::vector<Index> numbers_of(const GeneratedProblem& problem, const Node& cell, const Part& part) {
  std::vector<Index> numbers;
  for (const Node& corner : part.corners) {
    std::int64_t number = 0;
    for (const std::size_t d : {2U, 1U, 0U}) {
      const bool fixed = static_cast<int>(d) < problem.grid.dimensions && problem.is_fixed_before(static_cast<int>(d));
      const std::int64_t i = cell[d] + corner[d] - (fixed ? 1 : 0);
      number = number < 0 || i < 0 || i >= problem.grid.size[d] ? -1 : number * problem.grid.size[d] + i;
    }
    numbers.push_back(static_cast<Index>(number));
  }
  return numbers;
}

/// Calls visit(cell, part, numbers of its corners) for all parts of all cells.
void for_each_part(const GeneratedProblem& problem,
                   const std::function<void(const Node&, const Part&, const std::vector<Index>&)>& visit) {
  const std::vector<Part> parts = parts_of_cell(problem);
  const bool plane = problem.grid.dimensions == 2;
  for (const Node& cell : nodes_of_box(problem.cells(0), problem.cells(1), plane ? 1 : problem.cells(2))) {
    for (const Part& part : parts) {
      visit(cell, part, numbers_of(problem, cell, part));
    }
  }
}

}  // namespace

CsrMatrix<double, Host> assemble_elasticity(Context<Host>& ctx, const GeneratedProblem& problem) {
  const auto d = static_cast<std::size_t>(problem.grid.dimensions);
  std::map<std::pair<Index, Index>, double> sums;
  for_each_part(problem, [&](const Node&, const Part& part, const std::vector<Index>& numbers) {
    for (std::size_t a = 0; a < numbers.size(); ++a) {
      for (std::size_t b = 0; b < numbers.size(); ++b) {
        for (std::size_t p = 0; numbers[a] >= 0 && numbers[b] >= 0 && p < d; ++p) {
          for (std::size_t q = 0; q < d; ++q) {
            const auto row = numbers[a] * static_cast<Index>(d) + static_cast<Index>(p);
            const auto col = numbers[b] * static_cast<Index>(d) + static_cast<Index>(q);
            for (const Part::Sample& sample : part.samples) {
              const Voigt e = strain(sample.gradients[a], p);
              const Voigt s = stress(problem.body, strain(sample.gradients[b], q));
              for (std::size_t i = 0; i < 6; ++i) {
                sums[{row, col}] += sample.weight * e[i] * s[i];
              }
            }
          }
        }
      }
    }
  });
  std::vector<Entry> entries;
  for (const auto& [place, value] : sums) {
    entries.push_back({place.first, place.second, value});
  }
  const auto n = static_cast<Index>(problem.unknowns());
  return matrix_from_entries<double>(ctx, n, n, entries);
}

std::vector<double> assemble_load(const GeneratedProblem& problem) {
  const auto d = static_cast<std::size_t>(problem.grid.dimensions);
  const double h = problem.spacing();
  const bool is_traction = problem.body.load != Load::gravity;
  const std::size_t direction = problem.body.load == Load::tension ? 0 : d - 1;
  std::vector<double> b(static_cast<std::size_t>(problem.unknowns()));
  for_each_part(problem, [&](const Node& cell, const Part& part, const std::vector<Index>& numbers) {
    // The side of largest x has the corners with x = 1, on a simplex all but one of them or none that matter.
    double on_side = 0.0;
    for (const Node& corner : part.corners) {
      on_side += static_cast<double>(corner[0]);
    }
    const bool is_simplex = part.corners.size() == d + 1 && problem.discretization == Discretization::p1;
    const bool has_side = cell[0] == problem.cells(0) - 1 && (!is_simplex || on_side == static_cast<double>(d));
    const double area = is_simplex && d == 3 ? 0.5 : 1.0;
    for (std::size_t a = 0; a < numbers.size(); ++a) {
      double value = 0.0;
      for (const Part::Sample& sample : part.samples) {
        value -= h * h * sample.weight * sample.values[a];
      }
      if (is_traction) {
        value = has_side && part.corners[a][0] == 1 ? h * area / on_side : 0.0;
      }
      if (numbers[a] >= 0) {
        b[static_cast<std::size_t>(numbers[a]) * d + direction] += value;
      }
    }
  });
  return b;
}

CsrMatrix<double, Host> plane_strain(Context<Host>& ctx, std::array<Index, 2> cells, double height) {
  const auto node = [&](Index x, Index y) { return y * cells[0] + x - 1; };  // Those with x = 0 are clamped.
  std::map<std::pair<Index, Index>, double> sums;
  for (Index y = 0; y < cells[1]; ++y) {
    for (Index x = 0; x < cells[0]; ++x) {
      for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < 4; ++b) {
          if (x + corners[a][0] == 0 || x + corners[b][0] == 0) {
            continue;
          }
          for (std::size_t p = 0; p < 2; ++p) {
            for (std::size_t q = 0; q < 2; ++q) {
              const Index i = 2 * node(x + corners[a][0], y + corners[a][1]) + static_cast<Index>(p);
              const Index j = 2 * node(x + corners[b][0], y + corners[b][1]) + static_cast<Index>(q);
              sums[{i, j}] += stiffness(a, p, b, q, height);
            }
          }
        }
      }
    }
  }
  std::vector<Entry> entries;
  for (const auto& [place, value] : sums) {
    entries.push_back({place.first, place.second, value});
  }
  const Index n = 2 * cells[0] * (cells[1] + 1);
  return matrix_from_entries<double>(ctx, n, n, entries);
}

MultiVector<double, Host> rigid_body_modes(Context<Host>& ctx, std::array<Index, 2> cells, double height,
                                           Index columns) {
  MultiVector<double, Host> modes(ctx, 2 * cells[0] * (cells[1] + 1), columns);
  for (Index node = 0; node < modes.rows() / 2; ++node) {
    const double x = node % cells[0] + 1;
    const double y = height * static_cast<double>(node / cells[0]);
    const std::array<std::array<double, 3>, 2> values = {{{1.0, 0.0, -y}, {0.0, 1.0, x}}};
    for (Index r = 0; r < 2; ++r) {
      for (Index c = 0; c < columns; ++c) {
        modes.data()[(2 * node + r) * columns + c] = values[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
      }
    }
  }
  return modes;
}

}  // namespace amgsolve::reference
