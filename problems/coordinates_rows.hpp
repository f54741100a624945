#pragma once

#include <algorithm>

#include "core/instantiate.hpp"
#include "problems/coordinates.hpp"
#include "problems/grid_point.hpp"

/// The body of problems/coordinates.hpp, written once for both memory spaces: parallel_for is that of the context.
namespace amgsolve {

/// A grid as kernels take it.
struct GridGeometry {
  std::int64_t size[3];
  double first[3];
  double spacing;
};

/// The points of a range. Throws as problems/coordinates.hpp says.
RowRange checked_points(const GeneratedProblem& problem, Index rows, Index columns, RowRange range);

template <class T, MemorySpace S>
void grid_coordinates(Context<S>& ctx, const GeneratedProblem& problem, MultiVectorView<T, S> x, RowRange range) {
  const RowRange points = checked_points(problem, x.rows, x.columns, range);
  GridGeometry grid{{}, {}, problem.spacing()};
  std::copy(problem.grid.size.begin(), problem.grid.size.end(), grid.size);
  for (int d = 0; d < 3; ++d) {
    grid.first[d] = problem.first_unknown(d);
  }
  const std::int64_t first = points.first;
  parallel_for(ctx, x.rows, [grid, x, first] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const GridPoint point = grid_point(grid.size, first + i);
    const std::int64_t position[3] = {point.x, point.y, point.z};
    for (Index d = 0; d < x.columns; ++d) {
      x.data[i * x.columns + d] = static_cast<T>((static_cast<double>(position[d]) + grid.first[d]) * grid.spacing);
    }
  });
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template void grid_coordinates(Context<S>&, const GeneratedProblem&, MultiVectorView<T, S>, RowRange);

}  // namespace amgsolve
