#pragma once

#include <cstdint>
#include <vector>

#include "core/context.hpp"
#include "problems/mesh_problem.hpp"
#include "problems/structured_grid.hpp"

namespace amgsolve {

/// Of each level the aggregate that the unknowns of each of some points belong to, or −1 where it has none.
/// @param aggregates  of the nodes of each level, see MultigridPreconditioner
/// @param rows        unknowns of all points
/// @param components  unknowns of a point, one point's after the other's
/// @param points      with a mesh its nodes
/// @param mesh        may be null
std::vector<std::vector<Index>> aggregates_of_points(Context<Host>& ctx,
                                                     const std::vector<std::vector<Index>>& aggregates,
                                                     std::int64_t rows, std::int64_t components, RowRange points,
                                                     const MeshProblem* mesh);

}  // namespace amgsolve
