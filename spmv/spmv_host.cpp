#include "spmv/spmv_steps_host.hpp"

#include <algorithm>

namespace amgsolve::detail {

void find_slice_widths(Context<Host>& ctx, Span<const Offset, Host> row_offsets, Span<Index, Host> widths) {
  const auto rows = static_cast<std::int64_t>(row_offsets.size()) - 1;
  parallel_fixed_blocks(ctx, rows, slice_rows, [&](std::int64_t slice, std::int64_t begin, std::int64_t end) {
    Offset width = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      width = std::max(width, row_offsets.data()[row + 1] - row_offsets.data()[row]);
    }
    widths.data()[slice] = static_cast<Index>(width);
  });
}

#define AMGSOLVE_INSTANTIATE_PRODUCTS(T, Ref)                                                                          \
  template void multiply_rows(Context<Host>&, const Ref&, MultiVectorView<const T, Host>, int, const MultiplyAdd<T>&); \
  template void multiply_rows(Context<Host>&, const Ref&, MultiVectorView<const T, Host>, int, const Residual<T>&);    \
  template void multiply_rows(Context<Host>&, const Ref&, MultiVectorView<const T, Host>, int,                         \
                              const JudgedResidual<T>&);                                                               \
  template void multiply_rows(Context<Host>&, const Ref&, MultiVectorView<const T, Host>, int,                         \
                              const SmoothingStep<T>&);                                                                \
  template void store_entries(Context<Host>&, const CsrRef<T>&, const Ref&, Span<Index, Host>, Span<T, Host>);         \
  template CsrMatrix<T, Host> collect_entries(Context<Host>&, const Ref&, Index, Offset);

AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE_PRODUCTS, float)
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE_PRODUCTS, double)
#undef AMGSOLVE_INSTANTIATE_PRODUCTS

}  // namespace amgsolve::detail
