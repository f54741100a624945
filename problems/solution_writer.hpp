#pragma once

#include <filesystem>

#include "core/context.hpp"
#include "problems/rows_file.hpp"
#include "problems/vtk_writer.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// Write a solution, of which each rank has rows, in the format of the path's extension, with all its bits:
/// - .mtx: Matrix Market array, a column each;
/// - .npy: NumPy's (problems/numpy.hpp);
/// - .amg: our own (problems/amg_file.hpp);
/// - .vti, .vtu: for ParaView (problems/vtk_writer.hpp).
/// All ranks write together, see write_rows_file(); all their rows may be more than 2³¹. The file appears when it is
/// complete; throws OutputError (core/output_file.hpp).
/// @param image   the grid of the unknowns, for .vti; may be null for the others
/// @param points  where the unknowns lie, for .vtu; may be empty for the others
/// @param fields  for ParaView alone
/// Throws std::invalid_argument where the path ends otherwise, what its format needs is not given, or x does not have
/// the rows of all points. Collective.
template <class T>
Writers write_solution(Context<Host>& ctx, const std::filesystem::path& path, MultiVectorView<const T, Host> x,
                       const ImageGeometry* image = nullptr, const PointGeometry& points = {},
                       const PointFields<T>& fields = {});

}  // namespace amgsolve
