#pragma once

#include <array>
#include <filesystem>

#include "core/context.hpp"
#include "problems/structured_grid.hpp"
#include "spmv/multi_vector.hpp"

/// VTK's XML files for ParaView, with the arrays as raw bytes behind the XML: point data "u", or "u0", "u1", … for
/// several columns; of the two or three unknowns of a point vectors. The file appears when it is complete; all throw
/// OutputError, and std::invalid_argument where x does not have the rows of all points.
namespace amgsolve {

/// Where the unknowns of a grid lie: those of point (i, j, k) at origin + (i, j, k) ∘ spacing.
struct ImageGeometry {
  StructuredGrid grid;
  Index components = 1;  ///< unknowns of a point
  std::array<double, 3> origin{0.0, 0.0, 0.0};
  std::array<double, 3> spacing{1.0, 1.0, 1.0};
};

/// ImageData of a grid.
template <class T>
void write_vti(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x,
               const ImageGeometry& image);

/// An UnstructuredGrid of points, each a cell of its own. As many consecutive rows of x as there are unknowns a point
/// belong to each.
/// @param points  n × 2 or 3
template <class T>
void write_vtu(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x,
               MultiVectorView<const double, Host> points);

}  // namespace amgsolve
