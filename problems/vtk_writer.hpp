#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/context.hpp"
#include "problems/rows_file.hpp"
#include "problems/structured_grid.hpp"
#include "spmv/multi_vector.hpp"

/// VTK's XML files for ParaView, with the arrays as raw bytes behind the XML: point data "u", or "u0", "u1", … for
/// several columns; of the two or three unknowns of a point vectors; and beside it what fields are given. Each rank has
/// rows of x, and all know the points. All throw std::invalid_argument where x does not have the rows of all points.
/// Collective.
namespace amgsolve {

/// Where the unknowns of a grid lie: those of point (i, j, k) at origin + (i, j, k) ∘ spacing.
struct ImageGeometry {
  StructuredGrid grid;
  Index components = 1;  ///< unknowns of a point
  std::array<double, 3> origin{0.0, 0.0, 0.0};
  std::array<double, 3> spacing{1.0, 1.0, 1.0};
};

/// The points whose first unknown is one of these rows.
RowRange points_in_rows(RowRange rows, std::int64_t components);

/// What stands beside x. Each rank has what belongs to its rows.
template <class T>
struct PointFields {
  std::optional<MultiVectorView<const T, Host>> error{};  ///< x less the solution, "error" or "error0", …
  /// Of each level those of the rank's points_in_rows(), or −1: "aggregate0", …
  std::span<const std::vector<Index>> aggregates{};
};

/// ImageData of a grid.
template <class T>
std::vector<RowsSection> vti_file(Context<Host>& ctx, MultiVectorView<const T, Host> x, const ImageGeometry& image,
                                  const PointFields<T>& fields = {});

/// Where the unknowns of points without a grid lie.
struct PointGeometry {
  MultiVectorView<const double, Host> points{};  ///< n × 2 or 3
  /// Nodes of the triangles (2 columns of points) or tetrahedra between them; empty: each point is a cell of its own.
  Span<const Index, Host> elements{};
};

/// An UnstructuredGrid of points. As many consecutive rows of x as there are unknowns a point belong to each.
template <class T>
std::vector<RowsSection> vtu_file(Context<Host>& ctx, MultiVectorView<const T, Host> x, const PointGeometry& geometry,
                                  const PointFields<T>& fields = {});

}  // namespace amgsolve
