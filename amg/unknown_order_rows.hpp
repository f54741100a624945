#pragma once

#include "amg/unknown_order.hpp"
#include "amg/unknown_order_steps.hpp"
#include "core/host_device.hpp"
#include "core/instantiate.hpp"
#include "spmv/csr_ref.hpp"

/// The bodies of amg/unknown_order.hpp, written once for both memory spaces: parallel_for is that of the context.
namespace amgsolve {

/// Plain values that kernels take as they are.
struct UnknownOrder {
  std::int64_t nodes;
  std::int64_t block_size;

  AMGSOLVE_HOST_DEVICE std::int64_t by_field(std::int64_t i) const { return i % block_size * nodes + i / block_size; }
  AMGSOLVE_HOST_DEVICE std::int64_t by_node(std::int64_t i) const { return i % nodes * block_size + i / nodes; }
};

template <class T, MemorySpace S>
void detail::count_rows_by_node(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, Span<Offset, S> counts) {
  const UnknownOrder order{A.rows / block_size, block_size};
  const CsrRef<T> a = ref_of(A);
  Offset* const lengths = counts.data();
  parallel_for(ctx, A.rows, [order, a, lengths] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const std::int64_t from = order.by_field(i);
    lengths[i] = a.row_offsets[from + 1] - a.row_offsets[from];
  });
}

template <class T, MemorySpace S>
void detail::fill_rows_by_node(Context<S>& ctx, const CsrMatrix<T, S>& A, Index block_size, CsrMatrix<T, S>& ordered) {
  const UnknownOrder order{A.rows / block_size, block_size};
  const CsrRef<T> a = ref_of(A);
  const Offset* const offsets = ordered.row_offsets.data();
  Index* const cols = ordered.col_indices.data();
  T* const values = ordered.values.data();
  parallel_for(ctx, A.rows, [order, a, offsets, cols, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    const std::int64_t from = order.by_field(i);
    Offset next = offsets[i];
    for (Offset k = a.row_offsets[from]; k < a.row_offsets[from + 1]; ++k, ++next) {
      cols[next] = static_cast<Index>(order.by_node(a.col_indices[k]));
      values[next] = a.values[k];
    }
  });
}

template <class T, MemorySpace S>
void order_by_node(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, Index block_size,
                   Same<MultiVectorView<T, S>> y) {
  const UnknownOrder order{x.rows / block_size, block_size};
  parallel_for(ctx, x.rows, [order, x, y] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    for (Index j = 0; j < x.columns; ++j) {
      y.data[i * x.columns + j] = x.data[order.by_field(i) * x.columns + j];
    }
  });
}

template <class T, MemorySpace S>
void order_by_field(Context<S>& ctx, Same<MultiVectorView<const T, S>> x, Index block_size,
                    Same<MultiVectorView<T, S>> y) {
  const UnknownOrder order{x.rows / block_size, block_size};
  parallel_for(ctx, x.rows, [order, x, y] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    for (Index j = 0; j < x.columns; ++j) {
      y.data[i * x.columns + j] = x.data[order.by_node(i) * x.columns + j];
    }
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                        \
  template void detail::count_rows_by_node(Context<S>&, const CsrMatrix<T, S>&, Index, Span<Offset, S>);  \
  template void detail::fill_rows_by_node(Context<S>&, const CsrMatrix<T, S>&, Index, CsrMatrix<T, S>&);  \
  template void order_by_node<T>(Context<S>&, MultiVectorView<const T, S>, Index, MultiVectorView<T, S>); \
  template void order_by_field<T>(Context<S>&, MultiVectorView<const T, S>, Index, MultiVectorView<T, S>);

}  // namespace amgsolve
