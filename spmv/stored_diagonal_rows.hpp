#pragma once

#include "core/host_device.hpp"
#include "spmv/stored_diagonal.hpp"

/// The body of stored_diagonal(), written once for both memory spaces: parallel_for is that of the context.
namespace amgsolve::detail {

template <class Ref, class T, MemorySpace S>
void stored_diagonal(Context<S>& ctx, const Ref& A, Index first_own, Span<T, S> d) {
  T* const diagonal = d.data();
  parallel_for(ctx, A.rows, [A, first_own, diagonal] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    T sum = 0;
    const auto entries = A.row(i);
    for (Index e = 0; e < entries.count; ++e) {
      sum += entries.column(e) == first_own + i ? A.values[entries.place(e)] : T{0};
    }
    diagonal[i] = sum;
  });
}

}  // namespace amgsolve::detail
