#include "spmv/spmv_steps_cuda.cuh"

namespace amgsolve::detail {

void find_slice_widths(Context<Cuda>& ctx, Span<const Offset, Cuda> row_offsets, Span<Index, Cuda> widths) {
  const Offset* offsets = row_offsets.data();
  const auto rows = static_cast<std::int64_t>(row_offsets.size()) - 1;
  Index* const found = widths.data();
  static_assert(slice_rows == warp_size);
  parallel_for(ctx, static_cast<std::int64_t>(widths.size()) * slice_rows, [=] __device__(std::int64_t row) {
    const auto length = row < rows ? static_cast<Index>(offsets[row + 1] - offsets[row]) : Index{0};
    const Index longest = __reduce_max_sync(all_lanes, length);
    if (row % slice_rows == 0) {
      found[row / slice_rows] = longest;
    }
  });
}

#define AMGSOLVE_INSTANTIATE_PRODUCTS(T, Ref)                                                                          \
  template void multiply_rows(Context<Cuda>&, const Ref&, MultiVectorView<const T, Cuda>, int, const MultiplyAdd<T>&); \
  template void multiply_rows(Context<Cuda>&, const Ref&, MultiVectorView<const T, Cuda>, int, const Residual<T>&);    \
  template void multiply_rows(Context<Cuda>&, const Ref&, MultiVectorView<const T, Cuda>, int,                         \
                              const JudgedResidual<T>&);                                                               \
  template void multiply_rows(Context<Cuda>&, const Ref&, MultiVectorView<const T, Cuda>, int,                         \
                              const SmoothingStep<T>&);                                                                \
  template void store_entries(Context<Cuda>&, const CsrRef<T>&, const Ref&, Span<Index, Cuda>, Span<T, Cuda>);

AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE_PRODUCTS, float)
AMGSOLVE_FOR_STORAGES(AMGSOLVE_INSTANTIATE_PRODUCTS, double)
#undef AMGSOLVE_INSTANTIATE_PRODUCTS

}  // namespace amgsolve::detail
