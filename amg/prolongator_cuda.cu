#include "amg/prolongator.hpp"
#include "core/algorithms.hpp"
#include "core/parallel_cuda.cuh"

namespace amgsolve {

template <class T>
CsrMatrix<T, Cuda> tentative_to_csr(Context<Cuda>& ctx, const Aggregates<Cuda>& aggregates, Index block_size,
                                    const Tentative<T, Cuda>& tentative) {
  const Index k = tentative.basis.columns();
  const Index* of_node = aggregates.of_node.data();
  const T* basis = tentative.basis.data();
  CsrMatrix<T, Cuda> P;
  P.rows = tentative.basis.rows();
  P.cols = tentative.coarse_candidates.rows();
  P.row_offsets = Buffer<Offset, Cuda>(ctx, static_cast<std::size_t>(P.rows) + 1);
  Offset* offsets = P.row_offsets.data();
  parallel_for(ctx, P.rows, [=] __device__(std::int64_t row) {
    offsets[row + 1] = of_node[row / block_size] == Aggregates<Cuda>::none ? 0 : k;
  });
  const Offset nnz = counts_to_offsets(ctx, P.row_offsets);
  P.col_indices = Buffer<Index, Cuda>(ctx, static_cast<std::size_t>(nnz));
  P.values = Buffer<T, Cuda>(ctx, static_cast<std::size_t>(nnz));
  Index* col_indices = P.col_indices.data();
  T* values = P.values.data();
  parallel_for(ctx, static_cast<std::int64_t>(tentative.basis.size()), [=] __device__(std::int64_t i) {
    const std::int64_t row = i / k;
    const auto c = static_cast<Index>(i % k);
    if (const Index aggregate = of_node[row / block_size]; aggregate != Aggregates<Cuda>::none) {
      col_indices[offsets[row] + c] = aggregate * k + c;
      values[offsets[row] + c] = basis[i];
    }
  });
  return P;
}

template CsrMatrix<float, Cuda> tentative_to_csr(Context<Cuda>&, const Aggregates<Cuda>&, Index,
                                                 const Tentative<float, Cuda>&);
template CsrMatrix<double, Cuda> tentative_to_csr(Context<Cuda>&, const Aggregates<Cuda>&, Index,
                                                  const Tentative<double, Cuda>&);

}  // namespace amgsolve
