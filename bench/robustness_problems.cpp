#include "bench/robustness_problems.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include "problems/text_file.hpp"
#include "spmv/conversions.hpp"

namespace amgsolve::bench {
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
  explicit Assembly(Index rows) : rows_(rows) {}

  void add(Index i, Index j, double value) {
    row_indices_.push_back(i);
    col_indices_.push_back(j);
    values_.push_back(value);
  }

  CsrMatrix<double, Host> matrix(Context<Host>& ctx) const {
    CooMatrix<double, Host> entries(ctx, rows_, rows_, static_cast<Offset>(values_.size()));
    std::ranges::copy(row_indices_, entries.row_indices.data());
    std::ranges::copy(col_indices_, entries.col_indices.data());
    std::ranges::copy(values_, entries.values.data());
    return coo_to_csr(ctx, entries);
  }

 private:
  Index rows_;
  std::vector<Index> row_indices_;
  std::vector<Index> col_indices_;
  std::vector<double> values_;
};

/// In (0, 1], since the standard library's distributions differ between implementations.
double uniform(std::mt19937_64& random) { return static_cast<double>((random() >> 11) + 1) * 0x1p-53; }

/// Box and Muller's method.
double normal(std::mt19937_64& random) {
  const double u = uniform(random);
  const double v = static_cast<double>(random() >> 11) * 0x1p-53;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * M_PI * v);
}

/// diag(1, ε) rotated by an angle in radians: xx, xy, yy.
std::array<double, 3> rotated(double epsilon, double angle) {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  return {c * c + epsilon * s * s, (1 - epsilon) * c * s, s * s + epsilon * c * c};
}

using Vector = std::array<double, 3>;

Vector difference(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double inner(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The corners of an element but one, ascending.
std::vector<std::size_t> sorted_face(std::vector<std::size_t> element, std::size_t opposite) {
  element.erase(element.begin() + static_cast<std::ptrdiff_t>(opposite));
  std::ranges::sort(element);
  return element;
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

std::function<double(const Cell&)> log_normal(Cell cells, double sigma, Index correlation, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(static_cast<std::size_t>(cells[0]) * static_cast<std::size_t>(cells[1]) *
                             static_cast<std::size_t>(cells[2]));
  std::ranges::generate(values, [&] { return normal(random); });
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Index window = std::min(correlation, cells[axis]);
    const std::vector<double> before = values;
    for_each_cell(cells, [&](const Cell& cell) {
      double sum = 0.0;
      Cell other = cell;
      for (Index k = 0; k < window; ++k) {
        other[axis] = (cell[axis] + k) % cells[axis];
        sum += before[static_cast<std::size_t>(number(cells, other))];
      }
      values[static_cast<std::size_t>(number(cells, cell))] = sum / std::sqrt(window);
    });
  }
  for (double& value : values) {
    value = std::exp(sigma * value);
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

CsrMatrix<double, Host> simplices(Context<Host>& ctx, const std::filesystem::path& mesh, double epsilon,
                                  double degrees) {
  std::istringstream in(std::string(TextFile(ctx, mesh).text()));
  std::string line;
  std::getline(in, line);  // where it comes from
  std::size_t point_count = 0;
  std::size_t element_count = 0;
  std::size_t dimensions = 0;
  std::size_t corners = 0;
  in >> point_count >> dimensions >> element_count >> corners;
  std::vector<Vector> points(point_count);
  for (Vector& point : points) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      in >> point[d];
    }
  }
  std::vector<std::vector<std::size_t>> elements(element_count, std::vector<std::size_t>(corners));
  std::map<std::vector<std::size_t>, int> faces;
  for (auto& element : elements) {
    for (std::size_t& corner : element) {
      in >> corner;
    }
    for (std::size_t c = 0; c < corners; ++c) {
      ++faces[sorted_face(element, c)];
    }
  }
  std::vector<Index> unknown(point_count, -1);
  for (const auto& element : elements) {
    for (const std::size_t corner : element) {
      unknown[corner] = 0;
    }
  }
  for (const auto& [face, count] : faces) {
    for (const std::size_t corner : face) {
      unknown[corner] = count == 1 ? -1 : unknown[corner];
    }
  }
  Index n = 0;
  for (Index& i : unknown) {
    i = i < 0 ? -1 : n++;
  }
  const auto [xx, xy, yy] = rotated(epsilon, degrees * M_PI / 180);
  const std::array<Vector, 3> K = {{{xx, xy, 0}, {xy, yy, 0}, {0, 0, epsilon}}};
  Assembly A(n);
  for (const auto& element : elements) {
    // The gradient of a corner's barycentric coordinate, times d! volumes: the normal of the face opposite to it.
    std::vector<Vector> normals;
    double volumes = 0.0;
    for (std::size_t c = 0; c < corners; ++c) {
      const std::vector<std::size_t> face = sorted_face(element, c);
      const Vector& foot = points[face[0]];
      const Vector across = dimensions == 2 ? Vector{0, 0, 1} : difference(points[face[2]], foot);
      normals.push_back(cross(difference(points[face[1]], foot), across));
      volumes = inner(normals[c], difference(points[element[c]], foot));
      for (double& component : normals[c]) {
        component *= volumes < 0 ? -1.0 : 1.0;
      }
    }
    const double scale = (dimensions == 2 ? 2.0 : 6.0) * std::abs(volumes);
    for (std::size_t a = 0; a < corners; ++a) {
      for (std::size_t b = 0; b < corners; ++b) {
        const Index i = unknown[element[a]];
        const Index j = unknown[element[b]];
        if (i >= 0 && j >= 0) {
          const Vector flux{inner(K[0], normals[b]), inner(K[1], normals[b]), inner(K[2], normals[b])};
          A.add(i, j, inner(normals[a], flux) / scale);
        }
      }
    }
  }
  return A.matrix(ctx);
}

std::vector<double> random_units(Index rows, double sigma) {
  std::mt19937_64 random(1);
  std::vector<double> units(static_cast<std::size_t>(rows));
  std::ranges::generate(units, [&] { return std::exp(sigma * normal(random)); });
  return units;
}

CsrMatrix<double, Host> in_units(CsrMatrix<double, Host> A, const std::vector<double>& units) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      A.values[k] *= units[i] * units[static_cast<std::size_t>(A.col_indices[k])];
    }
  }
  return A;
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

CsrMatrix<double, Host> random_network(Context<Host>& ctx, Index nodes, Index unknowns, const Coupling& coupling) {
  std::mt19937_64 random(1);
  Assembly A(nodes * unknowns);
  const auto add = [&](Index I, Index J, double factor, const std::vector<double>& W) {
    for (Index r = 0; r < unknowns; ++r) {
      for (Index c = 0; c < unknowns; ++c) {
        A.add(I * unknowns + r, J * unknowns + c, factor * W[static_cast<std::size_t>(r * unknowns + c)]);
      }
    }
  };
  for (Index I = 0; I < nodes; ++I) {
    for (Index r = 0; r < unknowns; ++r) {
      A.add(I * unknowns + r, I * unknowns + r, 0.01);
    }
    for (int edge = 0; edge < 2; ++edge) {
      const auto J = static_cast<Index>(random() % static_cast<std::uint64_t>(nodes));
      const double size = 0.1 + uniform(random);
      const std::vector<double> W = coupling(random);
      if (J != I) {
        add(I, I, size, W);
        add(J, J, size, W);
        add(I, J, -size, W);
        add(J, I, -size, W);
      }
    }
  }
  return A.matrix(ctx);
}

}  // namespace amgsolve::bench
