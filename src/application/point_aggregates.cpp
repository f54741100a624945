#include "src/application/point_aggregates.hpp"

#include <iterator>
#include <utility>

#include "core/parallel_host.hpp"

namespace amgsolve {

std::vector<std::vector<Index>> aggregates_of_points(Context<Host>& ctx,
                                                     const std::vector<std::vector<Index>>& aggregates,
                                                     std::int64_t rows, std::int64_t components, RowRange points,
                                                     const MeshProblem* mesh) {
  constexpr Index none = -1;
  std::vector<std::vector<Index>> result;
  for (const std::vector<Index>& of_node : aggregates) {
    const std::vector<Index>* const finer = result.empty() ? nullptr : &result.back();
    const std::int64_t unknowns_of_node = rows / std::ssize(of_node);  // of the finest level
    std::vector<Index> of_point(static_cast<std::size_t>(points.count()));
    parallel_for(ctx, points.count(), [&](std::int64_t i) {
      const auto point = static_cast<std::size_t>(i);
      const std::int64_t number = points.first + i;
      const std::int64_t place = mesh != nullptr ? mesh->place_of_node[static_cast<std::size_t>(number)] : number;
      const std::int64_t node = finer != nullptr ? (*finer)[point]
                                : place < 0      ? place
                                                 : place * components / unknowns_of_node;
      of_point[point] = node < 0 ? none : of_node[static_cast<std::size_t>(node)];
    });
    result.push_back(std::move(of_point));
  }
  return result;
}

}  // namespace amgsolve
