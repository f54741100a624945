#pragma once

#include "amg/translations_steps.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"

/// The bodies of the steps of with_translations(), written once for both memory spaces: parallel_for is that of the
/// context.
namespace amgsolve {

template <class T, MemorySpace S>
void detail::put_translations_before(Context<S>& ctx, Same<MultiVectorView<const T, S>> B, Index block_size,
                                     Same<MultiVectorView<T, S>> W) {
  parallel_for(ctx, W.rows, [B, block_size, W] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    T* const row = W.data + i * W.columns;
    for (Index c = 0; c < block_size; ++c) {
      row[c] = i % block_size == c ? T{1} : T{0};
    }
    for (Index j = 0; j < B.columns; ++j) {
      row[block_size + j] = B.data[i * B.columns + j];
    }
  });
}

template <class T, MemorySpace S>
void detail::spread_column(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, Index column,
                           Same<MultiVectorView<T, S>> y) {
  parallel_for(ctx, y.rows, [x, column, y] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    for (Index j = 0; j < y.columns; ++j) {
      y.data[i * y.columns + j] = x.data[i * x.columns + column];
    }
  });
}

template <class T, MemorySpace S>
void detail::copy_column(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, Index from,
                         Same<MultiVectorView<T, S>> y, Index to) {
  parallel_for(ctx, y.rows, [x, from, y, to] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    y.data[i * y.columns + to] = x.data[i * x.columns + from];
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                \
  template void detail::put_translations_before<T>(Context<S>&, MultiVectorView<const T, S>, Index,               \
                                                   MultiVectorView<T, S>);                                        \
  template void detail::spread_column<T>(Context<S>&, MultiVectorView<const T, S>, Index, MultiVectorView<T, S>); \
  template void detail::copy_column<T>(Context<S>&, MultiVectorView<const T, S>, Index, MultiVectorView<T, S>, Index);

}  // namespace amgsolve
