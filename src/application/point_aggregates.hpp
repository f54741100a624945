#pragma once

#include <cstdint>
#include <vector>

#include "core/context.hpp"
#include "problems/mesh_problem.hpp"

namespace amgsolve {

/// Of each level the aggregate that each point's unknowns belong to, or −1 where it has none.
/// @param aggregates  of the nodes of each level, see MultigridPreconditioner
/// @param rows        unknowns
/// @param points      that have them, the same number each and one after the other; with a mesh its nodes
/// @param mesh        may be null
std::vector<std::vector<Index>> aggregates_of_points(Context<Host>& ctx,
                                                     const std::vector<std::vector<Index>>& aggregates,
                                                     std::int64_t rows, std::int64_t points, const MeshProblem* mesh);

}  // namespace amgsolve
