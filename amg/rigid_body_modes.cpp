#include "amg/rigid_body_modes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "amg/rigid_body_modes_steps.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/vector_error.hpp"

namespace amgsolve {
namespace {

/// Nodes that lie no farther from an axis than this part of their distance from the centre lie on it.
template <class T>
constexpr double on_axis = sizeof(T) == sizeof(double) ? 1e-10 : 1e-5;

template <class T, MemorySpace S>
std::array<double, 3> centre_of(Context<S>& ctx, MultiVectorView<const T, S> x) {
  MultiVector<T, S> ones(ctx, x.rows, x.columns);
  fill<T>(ctx, T{1}, ones);
  Buffer<double, S> sums(ctx, static_cast<std::size_t>(x.columns));
  dot<T>(ctx, x, std::as_const(ones), sums);
  std::array<double, 3> centre{};
  to_host(ctx, std::as_const(sums).span(), centre.data());
  for (double& c : centre) {
    c /= std::max(x.rows, Index{1});
  }
  return centre;
}

}  // namespace

void expect_dimensions(Index columns) {
  if (columns != 2 && columns != 3) {
    throw VectorError(VectorError::Role::coordinates,
                      format_text("coordinates of nodes have 2 or 3 columns; there are {}", columns));
  }
}

template <class T, MemorySpace S>
MultiVector<T, S> rigid_body_modes(Context<S>& ctx, std::type_identity_t<MultiVectorView<const T, S>> coordinates,
                                   Index block_size) {
  const Index d = coordinates.columns;
  expect_dimensions(d);
  const Index rotations = d == 2 ? 1 : 3;
  if (block_size != d && block_size != d + rotations) {
    throw VectorError(
        VectorError::Role::coordinates,
        format_text("rigid-body modes in {} dimensions are of {} or {} unknowns a node; there are {} nodes of {}: "
                    "give the coordinates of all nodes, or no near-nullspace",
                    d, d, d + rotations, coordinates.rows, block_size));
  }
  const std::array<double, 3> centre = centre_of<T>(ctx, coordinates);
  MultiVector<T, S> x(ctx, coordinates.rows, d);
  detail::subtract_centre<T>(ctx, coordinates, {centre[0], centre[1], centre[2]}, x);
  std::vector<double> extent = norms<T>(ctx, std::as_const(x));
  const double distance = std::hypot(std::hypot(extent[0], extent[1]), d == 3 ? extent[2] : 0.0);
  if (!std::isfinite(distance)) {
    throw VectorError(VectorError::Role::coordinates, "the coordinates of a node are not finite");
  }
  const double unit = distance / std::sqrt(std::max(coordinates.rows, Index{1}));
  detail::ModesShape shape{d, block_size, 0, {}, unit > 0.0 ? unit : 1.0};
  for (const detail::RotationAxes axes : {detail::RotationAxes{0, 1}, {1, 2}, {2, 0}}) {
    const bool is_there = std::max(axes.a, axes.b) < d;
    if (is_there && (block_size > d || std::hypot(extent[static_cast<std::size_t>(axes.a)],
                                                  extent[static_cast<std::size_t>(axes.b)]) > on_axis<T> * distance)) {
      shape.axes[shape.rotations++] = axes;
    }
  }
  const Index rows = checked_index(std::int64_t{coordinates.rows} * block_size, "unknowns of a body");
  MultiVector<T, S> modes(ctx, rows, d + shape.rotations);
  detail::fill_modes<T>(ctx, std::as_const(x), shape, modes);
  return modes;
}

#define AMGSOLVE_INSTANTIATE(T, S) \
  template MultiVector<T, S> rigid_body_modes<T>(Context<S>&, MultiVectorView<const T, S>, Index);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
