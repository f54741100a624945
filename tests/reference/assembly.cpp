#include "tests/reference/assembly.hpp"

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "tests/reference/matrices.hpp"

namespace amgsolve::reference {
namespace {

using Position = std::array<std::int64_t, 3>;
using Tensor = std::array<std::array<double, 3>, 3>;
using EntryMap = std::map<std::pair<Index, Index>, double>;

/// R diag(1, ε, ε) Rᵀ with R the rotation by the angle about the z axis.
Tensor tensor(const Anisotropy& anisotropy) {
  const double angle = anisotropy.angle * std::numbers::pi / 180.0;
  const Tensor R{{{std::cos(angle), -std::sin(angle), 0.0}, {std::sin(angle), std::cos(angle), 0.0}, {0.0, 0.0, 1.0}}};
  const std::array<double, 3> eigenvalues{1.0, anisotropy.epsilon, anisotropy.epsilon};
  Tensor K{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) {
        K[i][j] += R[i][k] * eigenvalues[k] * R[j][k];
      }
    }
  }
  return K;
}

/// All positions of a box of the given sizes.
std::vector<Position> positions(const Position& sizes) {
  std::vector<Position> all;
  for (std::int64_t z = 0; z < sizes[2]; ++z) {
    for (std::int64_t y = 0; y < sizes[1]; ++y) {
      for (std::int64_t x = 0; x < sizes[0]; ++x) {
        all.push_back({x, y, z});
      }
    }
  }
  return all;
}

/// The number of the unknown at a position; −1 outside the grid.
Index unknown_at(const GeneratedProblem& problem, Position position) {
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t size = problem.grid.size[d];
    if (problem.boundary == Boundary::periodic) {
      position[d] = (position[d] + size) % size;
    }
    if (position[d] < 0 || position[d] >= size) {
      return -1;
    }
  }
  return static_cast<Index>(position[0] + problem.grid.size[0] * (position[1] + problem.grid.size[1] * position[2]));
}

/// Pe w of a convection term at an unknown behind a Dirichlet boundary.
std::array<double, 3> velocity(const GeneratedProblem& problem, const Position& at) {
  const double x = static_cast<double>(at[0] + 1) / static_cast<double>(problem.cells(0));
  const double y = static_cast<double>(at[1] + 1) / static_cast<double>(problem.cells(1));
  const double p = problem.peclet;
  switch (problem.velocity) {
    case Velocity::constant:
      return problem.grid.dimensions == 2 ? std::array{0.8 * p, 0.6 * p, 0.0} : std::array{0.48 * p, 0.6 * p, 0.64 * p};
    case Velocity::rotating:
      return {p * (1 - 2 * y), p * (2 * x - 1), 0.0};
    case Velocity::recirculating:
      break;
  }
  return {p * 4 * x * (x - 1) * (1 - 2 * y), -p * 4 * y * (y - 1) * (1 - 2 * x), 0.0};
}

/// Adds h² Pe w·∇, with the values on the boundary left out.
void add_convection(const GeneratedProblem& problem, EntryMap& entries) {
  const double h = problem.spacing();
  for (const Position& at : positions(problem.grid.size)) {
    const Index row = unknown_at(problem, at);
    for (std::size_t d = 0; d < static_cast<std::size_t>(problem.grid.dimensions); ++d) {
      const double speed = h * velocity(problem, at)[d];
      Position before = at;
      Position after = at;
      --before[d];
      ++after[d];
      const auto add = [&](const Position& where, double value) {
        if (const Index col = unknown_at(problem, where); col >= 0) {
          entries[{row, col}] += value;
        }
      };
      if (problem.scheme == Scheme::central) {
        add(after, speed / 2);
        add(before, -speed / 2);
      } else if (speed > 0) {
        add(at, speed);
        add(before, -speed);
      } else {
        add(after, speed);
        add(at, -speed);
      }
    }
  }
}

EntryMap assemble_differences(const GeneratedProblem& problem, const CellCoefficient& coefficient) {
  const Tensor K = tensor(problem.anisotropy);
  const std::vector<Position> cells = positions(problem.grid.size);
  const auto coefficient_at = [&](const Position& p) { return coefficient(p[0], p[1], p[2]); };
  EntryMap entries;
  for (const Position& cell : cells) {
    const Index row = unknown_at(problem, cell);
    for (const Position& corner : positions({3, 3, problem.grid.dimensions == 3 ? 3 : 1})) {
      const Position step{corner[0] - 1, corner[1] - 1, problem.grid.dimensions == 3 ? corner[2] - 1 : 0};
      const std::int64_t length = std::abs(step[0]) + std::abs(step[1]) + std::abs(step[2]);
      if (length == 0 || (length > 1 && problem.stencil != 9 && problem.stencil != 27)) {
        continue;
      }
      const std::size_t direction = step[0] != 0 ? 0 : step[1] != 0 ? 1 : 2;
      const double weight = length == 1 ? K[direction][direction] : 1.0;
      const Index col = unknown_at(problem, {cell[0] + step[0], cell[1] + step[1], cell[2] + step[2]});
      const double own = coefficient_at(cell);
      if (col >= 0) {
        const double other = coefficient_at(cells[static_cast<std::size_t>(col)]);
        const double harmonic_mean = 2.0 / (1.0 / own + 1.0 / other);
        entries[{row, row}] += weight * harmonic_mean;
        entries[{row, col}] -= weight * harmonic_mean;
      } else {
        entries[{row, row}] += problem.boundary == Boundary::dirichlet ? weight * own : 0.0;
      }
    }
  }
  if (problem.pde == Pde::convection_diffusion) {
    add_convection(problem, entries);
  }
  return entries;
}

double shape_value(std::int64_t corner, double x) { return corner == 1 ? x : 1.0 - x; }
double shape_slope(std::int64_t corner) { return corner == 1 ? 1.0 : -1.0; }

std::array<double, 3> shape_gradient(const Position& corner, const std::array<double, 3>& point,
                                     std::size_t dimensions) {
  std::array<double, 3> gradient{};
  for (std::size_t d = 0; d < dimensions; ++d) {
    gradient[d] = shape_slope(corner[d]);
    for (std::size_t other = 0; other < dimensions; ++other) {
      gradient[d] *= other == d ? 1.0 : shape_value(corner[other], point[other]);
    }
  }
  return gradient;
}

/// ∫ ∇φ_a · K ∇φ_b over the unit square or cube.
double element_integral(const Tensor& K, const Position& a, const Position& b, int dimensions) {
  const double offset = 0.5 / std::sqrt(3.0);
  const std::vector<Position> gauss_points = positions({2, 2, dimensions == 3 ? 2 : 1});
  double integral = 0.0;
  for (const Position& gauss : gauss_points) {
    std::array<double, 3> point{};
    for (std::size_t d = 0; d < 3; ++d) {
      point[d] = 0.5 + (gauss[d] == 1 ? offset : -offset);
    }
    const auto gradient_a = shape_gradient(a, point, static_cast<std::size_t>(dimensions));
    const auto gradient_b = shape_gradient(b, point, static_cast<std::size_t>(dimensions));
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        integral += gradient_a[i] * K[i][j] * gradient_b[j] / static_cast<double>(gauss_points.size());
      }
    }
  }
  return integral;
}

EntryMap assemble_elements(const GeneratedProblem& problem, const CellCoefficient& coefficient) {
  const Tensor K = tensor(problem.anisotropy);
  const int dimensions = problem.grid.dimensions;
  Position elements = problem.grid.size;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
    elements[d] += problem.boundary == Boundary::dirichlet ? 1 : problem.boundary == Boundary::neumann ? -1 : 0;
  }
  // With Dirichlet boundaries the first element's first corner lies on the boundary and is no unknown.
  const std::int64_t shift = problem.boundary == Boundary::dirichlet ? -1 : 0;
  const std::vector<Position> corners = positions({2, 2, dimensions == 3 ? 2 : 1});
  EntryMap entries;
  for (const Position& element : positions(elements)) {
    const double c = coefficient(element[0], element[1], element[2]);
    const auto node = [&](const Position& corner) {
      const std::int64_t z = dimensions == 3 ? element[2] + corner[2] + shift : 0;
      return unknown_at(problem, {element[0] + corner[0] + shift, element[1] + corner[1] + shift, z});
    };
    for (const Position& a : corners) {
      for (const Position& b : corners) {
        if (node(a) >= 0 && node(b) >= 0) {
          entries[{node(a), node(b)}] += c * element_integral(K, a, b, dimensions);
        }
      }
    }
  }
  return entries;
}

}  // namespace

CsrMatrix<double, Host> assemble(Context<Host>& ctx, const GeneratedProblem& problem,
                                 const CellCoefficient& coefficient) {
  const EntryMap map = problem.discretization == Discretization::fd ? assemble_differences(problem, coefficient)
                                                                    : assemble_elements(problem, coefficient);
  std::vector<Entry> entries;
  for (const auto& [position, value] : map) {
    entries.push_back({position.first, position.second, value});
  }
  const auto rows = static_cast<Index>(problem.grid.unknowns());
  return matrix_from_entries<double>(ctx, rows, rows, std::move(entries));
}

}  // namespace amgsolve::reference
