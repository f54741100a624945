#pragma once

#include <filesystem>

#include "core/context.hpp"
#include "problems/rows_file.hpp"
#include "problems/vtk_writer.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// What a solution may be written with, besides its numbers.
struct SolutionPlaces {
  bool has_grid = false;
  bool has_points = false;
};

/// Throws ConfigurationError where a solution cannot be written to this path: an extension other than .mtx, .npy, .amg,
/// .vti and .vtu, .vti for a problem without a grid or .vtu for one whose points are not known. To be asked before the
/// solve, not after.
void check_solution_path(const std::filesystem::path& path, SolutionPlaces places);

/// Write a solution in the format of the path's extension, with all its bits:
/// - .mtx: Matrix Market array, a column each;
/// - .npy: NumPy's (problems/numpy.hpp);
/// - .amg: our own (problems/amg_file.hpp);
/// - .vti, .vtu: for ParaView (problems/vtk_writer.hpp).
/// The file appears when it is complete; throws OutputError (core/output_file.hpp).
/// @param image   the grid of the unknowns, for .vti; may be null for the others
/// @param points  where the unknowns lie, for .vtu; may be empty for the others
/// @param fields  for ParaView alone
/// Throws ConfigurationError as check_solution_path does, std::invalid_argument where x does not have the rows
/// of all points.
template <class T>
void write_solution(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x,
                    const ImageGeometry* image = nullptr, const PointGeometry& points = {},
                    const PointFields<T>& fields = {});

/// Whether a path's format is one that all ranks of several write together: .npy, .amg.
bool is_written_by_all(const std::filesystem::path& path);

/// write_solution() to such a path, where each rank has rows of x in the order of the ranks; all together may be more
/// than 2³¹. See write_rows_file(). Throws std::invalid_argument where the rows of a rank would begin within one of the
/// 8-byte words that .amg sums up: after an odd number of floats. Collective.
template <class T>
Writers write_own_rows(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x);

}  // namespace amgsolve
