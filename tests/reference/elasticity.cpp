#include "tests/reference/elasticity.hpp"

#include <cmath>
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

}  // namespace

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

FatVector<double, Host> rigid_body_modes(Context<Host>& ctx, std::array<Index, 2> cells, double height, Index columns) {
  FatVector<double, Host> modes(ctx, 2 * cells[0] * (cells[1] + 1), columns);
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
