#include "amg/prolongator_steps.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve {

void count_tentative_entries(Context<Cuda>& ctx, const Aggregates<Cuda>& aggregates, Index block_size, Index k,
                             Span<Offset, Cuda> counts) {
  const Index* of_node = aggregates.of_node.data();
  Offset* entries = counts.data();
  parallel_for(ctx, static_cast<std::int64_t>(counts.size()), [=] __device__(std::int64_t row) {
    entries[row] = of_node[row / block_size] == Aggregates<Cuda>::none ? 0 : k;
  });
}

template <class T>
void fill_tentative_entries(Context<Cuda>& ctx, const Aggregates<Cuda>& aggregates, Index block_size,
                            const MultiVector<T, Cuda>& basis, CsrMatrix<T, Cuda>& P) {
  const Index k = basis.columns();
  const Index* of_node = aggregates.of_node.data();
  const T* basis_values = basis.data();
  const Offset* offsets = P.row_offsets.data();
  Index* col_indices = P.col_indices.data();
  T* values = P.values.data();
  parallel_for(ctx, static_cast<std::int64_t>(basis.size()), [=] __device__(std::int64_t i) {
    const std::int64_t row = i / k;
    const auto c = static_cast<Index>(i % k);
    if (const Index aggregate = of_node[row / block_size]; aggregate != Aggregates<Cuda>::none) {
      col_indices[offsets[row] + c] = aggregate * k + c;
      values[offsets[row] + c] = basis_values[i];
    }
  });
}

template void fill_tentative_entries(Context<Cuda>&, const Aggregates<Cuda>&, Index, const MultiVector<float, Cuda>&,
                                     CsrMatrix<float, Cuda>&);
template void fill_tentative_entries(Context<Cuda>&, const Aggregates<Cuda>&, Index, const MultiVector<double, Cuda>&,
                                     CsrMatrix<double, Cuda>&);

}  // namespace amgsolve
