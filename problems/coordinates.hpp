#pragma once

#include "core/context.hpp"
#include "problems/generated_problem.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// Where the points of a generated problem's grid lie, a column for each dimension; see GeneratedProblem. The same bits
/// for any number of threads and on a device.
/// @param points  those of the whole grid that the rows of x are
/// Throws std::invalid_argument where x does not have that many rows, or not the grid's dimensions as columns.
template <class T, MemorySpace S>
void grid_coordinates(Context<S>& ctx, const GeneratedProblem& problem, MultiVectorView<T, S> x,
                      RowRange points = all_rows);

}  // namespace amgsolve
