#pragma once

#include "core/context.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve::detail {

/// packed = the rows of own that `rows` lists, one after another.
template <class T>
void pack_rows(Context<Host>& ctx, Span<const Index, Host> rows, MultiVectorView<const T, Host> own,
               Span<T, Host> packed);
template <class T>
void pack_rows(Context<Cuda>& ctx, Span<const Index, Cuda> rows, MultiVectorView<const T, Cuda> own,
               Span<T, Cuda> packed);

/// INSTANTIATE(T) for the values that are exchanged.
#define AMGSOLVE_FOR_EXCHANGED(INSTANTIATE) \
  INSTANTIATE(float)                        \
  INSTANTIATE(double)                       \
  INSTANTIATE(Index)                        \
  INSTANTIATE(std::uint32_t)                \
  INSTANTIATE(std::uint8_t)

}  // namespace amgsolve::detail
