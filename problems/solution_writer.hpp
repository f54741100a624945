#pragma once

#include <array>
#include <filesystem>

#include "core/context.hpp"
#include "problems/structured_grid.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// Where the unknowns of a grid lie: those of point (i, j, k) at origin + (i, j, k) ∘ spacing.
struct ImageGeometry {
  StructuredGrid grid;
  Index components = 1;  ///< unknowns of a point
  std::array<double, 3> origin{0.0, 0.0, 0.0};
  std::array<double, 3> spacing{1.0, 1.0, 1.0};
};

/// Throws ConfigurationError where a solution cannot be written to this path: an extension other than .mtx, .npy,
/// .amg and .vti, or .vti for a problem without a grid. To be asked before the solve, not after.
void check_solution_path(const std::filesystem::path& path, bool has_grid);

/// Write a solution in the format of the path's extension, with all its bits:
/// - .mtx: Matrix Market array, a column each;
/// - .npy: NumPy format 1.0, shape (rows,) for one column, else (rows, columns) in C order;
/// - .amg: our own format (problems/amg_file.hpp);
/// - .vti: VTK ImageData for ParaView, point data "u", or "u0", "u1", … for several columns;
///   of the two or three unknowns of a point vectors.
/// The file appears when it is complete; throws OutputError (core/output_file.hpp).
/// @param image  the grid of the unknowns, for .vti; may be null for the others
/// Throws ConfigurationError as check_solution_path does, std::invalid_argument where x does not have the rows
/// of all points of the grid.
template <class T>
void write_solution(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x,
                    const ImageGeometry* image = nullptr);

}  // namespace amgsolve
