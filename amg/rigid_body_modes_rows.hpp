#pragma once

#include "amg/rigid_body_modes_steps.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"

/// The bodies of the steps of rigid_body_modes(), written once for both memory spaces: parallel_for is that of the
/// context.
namespace amgsolve {

template <class T, MemorySpace S>
void detail::subtract_centre(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, const double (&centre)[3],
                             Same<MultiVectorView<T, S>> centred) {
  const double c0 = centre[0];
  const double c1 = centre[1];
  const double c2 = centre[2];
  parallel_for(ctx, x.rows, [x, c0, c1, c2, centred] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const double all[3] = {c0, c1, c2};
    for (Index j = 0; j < x.columns; ++j) {
      const std::int64_t k = i * x.columns + j;
      centred.data[k] = static_cast<T>(static_cast<double>(x.data[k]) - all[j]);
    }
  });
}

template <class T, MemorySpace S>
void detail::fill_modes(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, const ModesShape& shape,
                        Same<MultiVectorView<T, S>> modes) {
  parallel_for(ctx, modes.rows, [x, shape, modes] AMGSOLVE_HOST_DEVICE(std::int64_t row) {
    const std::int64_t node = row / shape.block_size;
    const auto r = static_cast<Index>(row % shape.block_size);
    T* const entries = modes.data + row * modes.columns;
    for (Index c = 0; c < shape.dimensions; ++c) {
      entries[c] = r == c ? T{1} : T{0};
    }
    for (Index k = 0; k < shape.rotations; ++k) {
      const auto [a, b] = shape.axes[k];
      const auto length = [&](Index axis) {
        return static_cast<T>(static_cast<double>(x.data[node * x.columns + axis]) / shape.unit);
      };
      // In space the axis of the rotation is the third one.
      const Index turned = shape.dimensions + (shape.dimensions == 3 ? 3 - a - b : 0);
      entries[shape.dimensions + k] = r == a        ? -length(b)
                                      : r == b      ? length(a)
                                      : r == turned ? static_cast<T>(1.0 / shape.unit)
                                                    : T{0};
    }
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                       \
  template void detail::subtract_centre<T>(Context<S>&, MultiVectorView<const T, S>, const double(&)[3], \
                                           MultiVectorView<T, S>);                                       \
  template void detail::fill_modes<T>(Context<S>&, MultiVectorView<const T, S>, const ModesShape&,       \
                                      MultiVectorView<T, S>);

}  // namespace amgsolve
