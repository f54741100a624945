#include "bench/meshes.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "core/algorithms.hpp"
#include "core/hash.hpp"
#include "core/parallel_host.hpp"
#include "spmv/conversions.hpp"
#include "spmv/random.hpp"

namespace amgsolve::bench {
namespace {

using Point = std::array<double, 3>;

Point operator-(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The nodes of a grid, (n + 2)^dim with those of the boundary, spaced by 1 before they are moved.
class Nodes {
 public:
  Nodes(Context<Host>& ctx, int dimension, Index n, Index block, double distortion)
      : dimension_(dimension),
        side_(n + 2),
        numbers_(static_cast<std::size_t>(count())),
        points_(static_cast<std::size_t>(count())) {
    std::vector<std::int64_t> order;
    for (std::int64_t node = 0; node < count(); ++node) {
      if (is_inside(node)) {
        order.push_back(node);
      }
    }
    std::vector<std::array<std::uint64_t, 2>> keys(numbers_.size());
    const std::int64_t blocks = (side_ + block - 1) / block;
    parallel_for(ctx, count(), [&](std::int64_t node) {
      const auto [x, y, z] = position(node);
      const std::int64_t block_of_node = (z / block * blocks + y / block) * blocks + x / block;
      keys[static_cast<std::size_t>(node)] = {static_cast<std::uint64_t>(block_of_node), random_rank(node)};
      Point& point = points_[static_cast<std::size_t>(node)];
      point = {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
      for (int d = 0; d < dimension && is_inside(node); ++d) {
        point[static_cast<std::size_t>(d)] += distortion * random_uniform(1, static_cast<std::uint64_t>(3 * node + d));
      }
    });
    std::ranges::sort(order, {}, [&](std::int64_t node) { return keys[static_cast<std::size_t>(node)]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      numbers_[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
    }
    unknowns_ = static_cast<Index>(order.size());
  }

  Index unknowns() const { return unknowns_; }
  std::int64_t side() const { return side_; }
  std::int64_t count() const { return side_ * side_ * (dimension_ == 3 ? side_ : 1); }

  std::int64_t node(std::int64_t x, std::int64_t y, std::int64_t z) const { return (z * side_ + y) * side_ + x; }

  /// The row of a node's unknown; −1 for one of the boundary.
  Index number(std::int64_t node) const { return is_inside(node) ? numbers_[static_cast<std::size_t>(node)] : -1; }

  const Point& point(std::int64_t node) const { return points_[static_cast<std::size_t>(node)]; }

  /// A random order of all nodes.
  static std::uint64_t random_rank(std::int64_t node) { return hash64(static_cast<std::uint64_t>(node)); }

 private:
  std::array<std::int64_t, 3> position(std::int64_t node) const {
    return {node % side_, node / side_ % side_, node / side_ / side_};
  }
  bool is_inside(std::int64_t node) const {
    const auto position = this->position(node);
    return std::all_of(position.begin(), position.begin() + dimension_,
                       [&](std::int64_t x) { return x > 0 && x < side_ - 1; });
  }

  int dimension_;
  std::int64_t side_;
  std::vector<Index> numbers_;
  std::vector<Point> points_;
  Index unknowns_ = 0;
};

/// The stiffness of the elements of one cell between its 4 or 8 corners, and which of these share an element.
template <std::size_t Corners>
struct Cell {
  std::array<std::int64_t, Corners> nodes;
  std::array<std::array<double, Corners>, Corners> stiffness{};
  std::array<std::array<bool, Corners>, Corners> coupled{};
  bool valid = true;  ///< no element is turned inside out

  void add(std::size_t i, std::size_t j, double value) {
    stiffness[i][j] += value;
    coupled[i][j] = true;
  }
};

/// ∫ ∇φᵢ·∇φⱼ = eᵢ·eⱼ / (4 area), with eᵢ the edge opposite to corner i.
void add_triangle(const Nodes& nodes, const std::array<std::size_t, 3>& corners, Cell<4>& cell) {
  std::array<Point, 3> p;
  for (std::size_t i = 0; i < 3; ++i) {
    p[i] = nodes.point(cell.nodes[corners[i]]);
  }
  const double twice_area = cross(p[1] - p[0], p[2] - p[0])[2];
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      cell.add(corners[i], corners[j],
               dot(p[(i + 2) % 3] - p[(i + 1) % 3], p[(j + 2) % 3] - p[(j + 1) % 3]) / (2.0 * twice_area));
    }
  }
  cell.valid &= twice_area > 0.0;
}

/// ∫ ∇φᵢ·∇φⱼ = nᵢ·nⱼ / (36 volume), with nᵢ the normal of the face opposite to corner i, twice its area long.
/// @param orientation  1 where corners 1, 2, 3 turn counter-clockwise as seen against the direction from corner 0, else
///                     −1
void add_tetrahedron(const Nodes& nodes, const std::array<std::size_t, 4>& corners, double orientation, Cell<8>& cell) {
  std::array<Point, 4> p;
  for (std::size_t i = 0; i < 4; ++i) {
    p[i] = nodes.point(cell.nodes[corners[i]]);
  }
  const Point a = p[1] - p[0];
  const Point b = p[2] - p[0];
  const Point c = p[3] - p[0];
  std::array<Point, 4> normals{Point{}, cross(b, c), cross(c, a), cross(a, b)};
  for (std::size_t d = 0; d < 3; ++d) {
    normals[0][d] = -(normals[1][d] + normals[2][d] + normals[3][d]);
  }
  const double six_volumes = orientation * dot(a, cross(b, c));
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      cell.add(corners[i], corners[j], dot(normals[i], normals[j]) / (6.0 * six_volumes));
    }
  }
  cell.valid &= six_volumes > 0.0;
}

/// The square with its lower left corner at (x, y); corners counter-clockwise.
Cell<4> make_square(const Nodes& nodes, std::int64_t x, std::int64_t y) {
  Cell<4> cell{{nodes.node(x, y, 0), nodes.node(x + 1, y, 0), nodes.node(x + 1, y + 1, 0), nodes.node(x, y + 1, 0)}};
  const std::size_t first = hash64(Nodes::random_rank(cell.nodes[0])) % 2;
  add_triangle(nodes, {first, first + 1, first + 2}, cell);
  add_triangle(nodes, {first, first + 2, (first + 3) % 4}, cell);
  return cell;
}

/// The corners of a cube's face in a circle; corner c lies at (c & 1, c >> 1 & 1, c >> 2) of the cube.
std::array<std::size_t, 4> face_corners(std::size_t direction, std::size_t side) {
  const std::size_t normal = std::size_t{1} << direction;
  const std::size_t u = std::size_t{1} << (direction + 1) % 3;
  const std::size_t v = std::size_t{1} << (direction + 2) % 3;
  const std::size_t base = side * normal;
  return {base, base + u, base + u + v, base + v};
}

Cell<8> make_cube(const Nodes& nodes, std::int64_t x, std::int64_t y, std::int64_t z) {
  Cell<8> cell{};
  for (std::size_t c = 0; c < 8; ++c) {
    cell.nodes[c] = nodes.node(x + static_cast<std::int64_t>(c & 1), y + static_cast<std::int64_t>(c >> 1 & 1),
                               z + static_cast<std::int64_t>(c >> 2));
  }
  const auto rank = [&](std::size_t corner) { return Nodes::random_rank(cell.nodes[corner]); };
  std::size_t first = 0;
  for (std::size_t c = 1; c < 8; ++c) {
    first = rank(c) < rank(first) ? c : first;
  }
  for (std::size_t direction = 0; direction < 3; ++direction) {
    const std::size_t opposite_side = 1 - (first >> direction & 1);
    std::array<std::size_t, 4> face = face_corners(direction, opposite_side);
    std::ranges::rotate(face, std::ranges::min_element(face, {}, rank));
    for (const std::size_t third : {std::size_t{2}, std::size_t{3}}) {
      add_tetrahedron(nodes, {first, face[0], face[third - 1], face[third]}, opposite_side == 1 ? 1.0 : -1.0, cell);
    }
  }
  return cell;
}

/// The matrix of the cells make(0) … make(cells − 1), each of which is made twice: to count, and to fill.
template <class T, class Make>
CsrMatrix<T, Host> assemble(Context<Host>& ctx, const Nodes& nodes, std::int64_t cells, const Make& make) {
  const auto for_entries = [&](std::int64_t index, auto&& body) {
    const auto cell = make(index);
    for (std::size_t i = 0; i < cell.nodes.size(); ++i) {
      for (std::size_t j = 0; j < cell.nodes.size(); ++j) {
        if (cell.coupled[i][j] && nodes.number(cell.nodes[i]) >= 0 && nodes.number(cell.nodes[j]) >= 0) {
          body(nodes.number(cell.nodes[i]), nodes.number(cell.nodes[j]), cell.stiffness[i][j]);
        }
      }
    }
    return cell.valid;
  };
  Buffer<Offset, Host> offsets(ctx, static_cast<std::size_t>(cells) + 1);
  const bool valid = parallel_reduce(
      ctx, cells, true,
      [&](std::int64_t begin, std::int64_t end) {
        bool block_valid = true;
        for (std::int64_t index = begin; index < end; ++index) {
          Offset& count = offsets.data()[index + 1] = 0;
          block_valid &= for_entries(index, [&](Index, Index, double) { ++count; });
        }
        return block_valid;
      },
      [](bool a, bool b) { return a && b; });
  if (!valid) {
    throw std::logic_error("a mesh has an element that is turned inside out");
  }
  CooMatrix<T, Host> triplets(ctx, nodes.unknowns(), nodes.unknowns(), counts_to_offsets(ctx, offsets));
  parallel_for(ctx, cells, [&](std::int64_t index) {
    Offset k = offsets.data()[index];
    for_entries(index, [&](Index row, Index col, double value) {
      triplets.row_indices.data()[k] = row;
      triplets.col_indices.data()[k] = col;
      triplets.values.data()[k] = static_cast<T>(value);
      ++k;
    });
  });
  return coo_to_csr(ctx, triplets);
}

}  // namespace

template <class T>
CsrMatrix<T, Host> triangle_mesh_matrix(Context<Host>& ctx, Index n) {
  const Nodes nodes(ctx, 2, n, 32, 0.2);
  const std::int64_t side = nodes.side() - 1;
  return assemble<T>(ctx, nodes, side * side,
                     [&](std::int64_t cell) { return make_square(nodes, cell % side, cell / side); });
}

template <class T>
CsrMatrix<T, Host> tetrahedron_mesh_matrix(Context<Host>& ctx, Index n) {
  const Nodes nodes(ctx, 3, n, 8, 0.08);
  const std::int64_t side = nodes.side() - 1;
  return assemble<T>(ctx, nodes, side * side * side, [&](std::int64_t cell) {
    return make_cube(nodes, cell % side, cell / side % side, cell / side / side);
  });
}

template CsrMatrix<float, Host> triangle_mesh_matrix(Context<Host>&, Index);
template CsrMatrix<double, Host> triangle_mesh_matrix(Context<Host>&, Index);
template CsrMatrix<float, Host> tetrahedron_mesh_matrix(Context<Host>&, Index);
template CsrMatrix<double, Host> tetrahedron_mesh_matrix(Context<Host>&, Index);

}  // namespace amgsolve::bench
