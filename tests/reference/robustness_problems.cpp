#include "tests/reference/robustness_problems.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include "problems/text_file.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"

namespace amgsolve::reference {
namespace {

using Cell = std::array<Index, 3>;

Index number(const Cell& cells, const Cell& cell) { return (cell[2] * cells[1] + cell[1]) * cells[0] + cell[0]; }

bool is_inside(const Cell& cells, const Cell& cell) {
  return std::ranges::all_of(std::array{0, 1, 2}, [&](int d) {
    const auto i = static_cast<std::size_t>(d);
    return cell[i] >= 0 && cell[i] < cells[i];
  });
}

template <class Visit>
void for_each_cell(const Cell& cells, const Visit& visit) {
  for (Index z = 0; z < cells[2]; ++z) {
    for (Index y = 0; y < cells[1]; ++y) {
      for (Index x = 0; x < cells[0]; ++x) {
        visit(Cell{x, y, z});
      }
    }
  }
}

/// Sums what elements add to the entries of a matrix.
class Assembly {
 public:
  explicit Assembly(Index rows) : rows_(static_cast<std::size_t>(rows)) {}

  void add(Index i, Index j, double value) { rows_[static_cast<std::size_t>(i)][j] += value; }

  CsrMatrix<double, Host> matrix(Context<Host>& ctx) const {
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (const auto& [j, value] : rows_[i]) {
        entries.push_back({static_cast<Index>(i), j, value});
      }
    }
    const auto n = static_cast<Index>(rows_.size());
    return matrix_from_entries<double>(ctx, n, n, entries);
  }

 private:
  std::vector<std::map<Index, double>> rows_;
};

/// diag(1, ε) rotated by an angle in radians: xx, xy, yy.
std::array<double, 3> rotated(double epsilon, double angle) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  return {c * c + epsilon * s * s, (1 - epsilon) * c * s, s * s + epsilon * c * c};
}

}  // namespace

CsrMatrix<double, Host> finite_volumes(Context<Host>& ctx, Cell cells, const Conductance& conductance) {
  Assembly A(cells[0] * cells[1] * cells[2]);
  for_each_cell(cells, [&](const Cell& cell) {
    const Index i = number(cells, cell);
    for (int d = 0; d < 3; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      if (cells[axis] == 1) {
        continue;
      }
      for (const Index step : {-1, 1}) {
        Cell neighbour = cell;
        neighbour[axis] += step;
        const double c = conductance(d, step < 0 ? neighbour : cell);
        A.add(i, i, c);
        if (is_inside(cells, neighbour)) {
          A.add(i, number(cells, neighbour), -c);
        }
      }
    }
  });
  return A.matrix(ctx);
}

Conductance harmonic(Cell cells, std::function<double(const Cell&)> coefficient) {
  return [cells, coefficient = std::move(coefficient)](int d, const Cell& cell) {
    Cell next = cell;
    ++next[static_cast<std::size_t>(d)];
    const double a = coefficient(is_inside(cells, cell) ? cell : next);
    const double b = coefficient(is_inside(cells, next) ? next : cell);
    return 2.0 * a * b / (a + b);
  };
}

std::function<double(const Cell&)> log_normal(Cell cells, double sigma, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(static_cast<std::size_t>(cells[0]) * static_cast<std::size_t>(cells[1]) *
                             static_cast<std::size_t>(cells[2]));
  for (double& value : values) {
    // Box and Muller's method, since the standard library's differs between implementations.
    const double u = static_cast<double>((random() >> 11) + 1) * 0x1p-53;
    const double v = static_cast<double>(random() >> 11) * 0x1p-53;
    value = std::exp(sigma * std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * M_PI * v));
  }
  return [cells, values = std::move(values)](const Cell& cell) {
    return values[static_cast<std::size_t>(number(cells, cell))];
  };
}

Conductance stretched(Cell cells, double ratio, std::array<bool, 3> directions) {
  const auto edge = [=](std::size_t d, Index i) {
    const Index n = cells[d];
    return directions[d] && n > 1 ? std::pow(ratio, static_cast<double>(std::clamp(i, 0, n - 1)) / (n - 1)) : 1.0;
  };
  return [=](int d, const Cell& cell) {
    const auto axis = static_cast<std::size_t>(d);
    double area = 1.0;
    for (std::size_t other = 0; other < 3; ++other) {
      area *= other == axis ? 1.0 : edge(other, cell[other]);
    }
    return area / (0.5 * (edge(axis, cell[axis]) + edge(axis, cell[axis] + 1)));
  };
}

CsrMatrix<double, Host> trilinear(Context<Host>& ctx, Index n, std::array<double, 3> k) {
  constexpr std::array<double, 3> stiffness = {-1.0, 2.0, -1.0};
  constexpr std::array<double, 3> mass = {1.0 / 6, 4.0 / 6, 1.0 / 6};
  const Cell cells{n, n, n};
  Assembly A(n * n * n);
  for_each_cell(cells, [&](const Cell& cell) {
    for_each_cell({3, 3, 3}, [&](const Cell& offset) {
      const Cell other{cell[0] + offset[0] - 1, cell[1] + offset[1] - 1, cell[2] + offset[2] - 1};
      if (!is_inside(cells, other)) {
        return;
      }
      double sum = 0.0;
      for (std::size_t d = 0; d < 3; ++d) {
        double product = k[d];
        for (std::size_t e = 0; e < 3; ++e) {
          product *= (d == e ? stiffness : mass)[static_cast<std::size_t>(offset[e])];
        }
        sum += product;
      }
      A.add(number(cells, cell), number(cells, other), sum);
    });
  });
  return A.matrix(ctx);
}

CsrMatrix<double, Host> circular_field(Context<Host>& ctx, Index n, double epsilon) {
  Assembly A(n * n);
  for (Index ey = 0; ey <= n; ++ey) {
    for (Index ex = 0; ex <= n; ++ex) {
      const double angle = std::atan2(ey - 0.5 * n, ex - 0.5 * n) + M_PI / 2;
      const auto [xx, xy, yy] = rotated(epsilon, angle);
      for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
          const double sx = (a % 2 == b % 2) ? 1.0 : -1.0;
          const double sy = (a / 2 == b / 2) ? 1.0 : -1.0;
          const double ax = a % 2 == 0 ? -0.5 : 0.5;
          const double ay = a / 2 == 0 ? -0.5 : 0.5;
          const double bx = b % 2 == 0 ? -0.5 : 0.5;
          const double by = b / 2 == 0 ? -0.5 : 0.5;
          const double value = xx * sx * (sy > 0 ? 1.0 / 3 : 1.0 / 6) + yy * sy * (sx > 0 ? 1.0 / 3 : 1.0 / 6) +
                               xy * (ax * by + ay * bx);
          const Index ix = ex - 1 + a % 2;
          const Index iy = ey - 1 + a / 2;
          const Index jx = ex - 1 + b % 2;
          const Index jy = ey - 1 + b / 2;
          if (std::min({ix, iy, jx, jy}) >= 0 && std::max({ix, iy, jx, jy}) < n) {
            A.add(iy * n + ix, jy * n + jx, value);
          }
        }
      }
    }
  }
  return A.matrix(ctx);
}

CsrMatrix<double, Host> triangles(Context<Host>& ctx, const std::filesystem::path& mesh, double epsilon,
                                  double degrees) {
  std::istringstream in(std::string(TextFile(ctx, mesh).text()));
  std::string line;
  std::getline(in, line);  // where it comes from
  std::size_t point_count = 0;
  std::size_t element_count = 0;
  int dimensions = 0;
  int corners = 0;
  in >> point_count >> dimensions >> element_count >> corners;
  std::vector<std::array<double, 2>> points(point_count);
  for (auto& [x, y] : points) {
    in >> x >> y;
  }
  std::vector<std::array<std::size_t, 3>> elements(element_count);
  std::map<std::pair<std::size_t, std::size_t>, int> edges;
  for (auto& element : elements) {
    in >> element[0] >> element[1] >> element[2];
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t a = element[c];
      const std::size_t b = element[(c + 1) % 3];
      ++edges[{std::min(a, b), std::max(a, b)}];
    }
  }
  std::vector<Index> unknown(point_count, -1);
  for (const auto& element : elements) {
    for (const std::size_t corner : element) {
      unknown[corner] = 0;
    }
  }
  for (const auto& [edge, count] : edges) {
    if (count == 1) {
      unknown[edge.first] = unknown[edge.second] = -1;
    }
  }
  Index n = 0;
  for (Index& i : unknown) {
    i = i < 0 ? -1 : n++;
  }
  const auto [xx, xy, yy] = rotated(epsilon, degrees * M_PI / 180);
  Assembly A(n);
  for (const auto& element : elements) {
    std::array<std::array<double, 2>, 3> normal{};  // the edge opposite to a corner, turned by 90 degrees
    for (std::size_t c = 0; c < 3; ++c) {
      const auto& a = points[element[(c + 1) % 3]];
      const auto& b = points[element[(c + 2) % 3]];
      normal[c] = {a[1] - b[1], b[0] - a[0]};
    }
    const double area = 0.5 * std::abs(normal[0][0] * normal[1][1] - normal[0][1] * normal[1][0]);
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        const Index i = unknown[element[a]];
        const Index j = unknown[element[b]];
        if (i >= 0 && j >= 0) {
          A.add(i, j,
                (normal[a][0] * (xx * normal[b][0] + xy * normal[b][1]) +
                 normal[a][1] * (xy * normal[b][0] + yy * normal[b][1])) /
                    (4 * area));
        }
      }
    }
  }
  return A.matrix(ctx);
}

CsrMatrix<double, Host> grounded_laplacian(Context<Host>& ctx, const CsrMatrix<double, Host>& adjacency) {
  const auto n = static_cast<std::size_t>(adjacency.rows);
  std::vector<int> component(n, -1);
  std::vector<std::size_t> sizes;
  for (std::size_t start = 0; start < n; ++start) {
    if (component[start] >= 0) {
      continue;
    }
    const int mine = static_cast<int>(sizes.size());
    std::vector<std::size_t> stack{start};
    component[start] = mine;
    sizes.push_back(0);
    while (!stack.empty()) {
      const std::size_t i = stack.back();
      stack.pop_back();
      ++sizes.back();
      for (Offset k = adjacency.row_offsets[i]; k < adjacency.row_offsets[i + 1]; ++k) {
        const auto j = static_cast<std::size_t>(adjacency.col_indices[static_cast<std::size_t>(k)]);
        if (component[j] < 0) {
          component[j] = mine;
          stack.push_back(j);
        }
      }
    }
  }
  const auto largest = static_cast<int>(std::ranges::max_element(sizes) - sizes.begin());
  std::vector<Index> unknown(n, -1);
  Index rows = -1;  // the first node is left out
  for (std::size_t i = 0; i < n; ++i) {
    if (component[i] == largest) {
      unknown[i] = rows++;
    }
  }
  Assembly A(rows);
  for (std::size_t i = 0; i < n; ++i) {
    for (Offset k = adjacency.row_offsets[i]; unknown[i] >= 0 && k < adjacency.row_offsets[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(adjacency.col_indices[static_cast<std::size_t>(k)]);
      if (j != i) {
        A.add(unknown[i], unknown[i], 1.0);
        if (unknown[j] >= 0) {
          A.add(unknown[i], unknown[j], -1.0);
        }
      }
    }
  }
  return A.matrix(ctx);
}

}  // namespace amgsolve::reference
