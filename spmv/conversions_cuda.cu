#include "core/algorithms.hpp"
#include "core/reduce_cuda.cuh"
#include "spmv/conversions.hpp"
#include "spmv/parallel_entries_cuda.cuh"

namespace amgsolve {
namespace {

/// The arrays of a matrix in ELL format for kernels. A thread works through a row, its neighbours through neighbouring
/// ones.
template <class T>
struct EllArrays {
  std::int64_t rows;
  Index width;
  const Index* col_indices;
  const T* values;

  explicit EllArrays(const EllMatrix<T, Cuda>& A)
      : rows(A.rows), width(A.width), col_indices(A.col_indices.data()), values(A.values.data()) {}

  /// Calls visit(column, value) for the entries of a row without the padding.
  template <class Visit>
  __device__ void for_entries(std::int64_t row, const Visit& visit) const {
    for (Index k = 0; k < width; ++k) {
      const std::int64_t position = k * rows + row;
      if (col_indices[position] != EllMatrix<T, Cuda>::padding) {
        visit(col_indices[position], values[position]);
      }
    }
  }
};

}  // namespace

template <class T>
CooMatrix<T, Cuda> csr_to_coo(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  CooMatrix<T, Cuda> B(ctx, A.rows, A.cols, A.nnz());
  Index* const row_indices = B.row_indices.data();
  parallel_entries(ctx, A.rows, A.row_offsets.data(),
                   [=] __device__(std::int64_t row, Offset entry) { row_indices[entry] = static_cast<Index>(row); });
  copy(ctx, A.col_indices.span(), B.col_indices.span());
  copy(ctx, A.values.span(), B.values.span());
  return B;
}

template <class T>
EllMatrix<T, Cuda> csr_to_ell(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  const Offset* row_offsets = A.row_offsets.data();
  const Offset longest = transform_reduce(
      ctx, A.rows, Offset{0}, [=] __device__(std::int64_t row) { return row_offsets[row + 1] - row_offsets[row]; },
      [] __device__(Offset a, Offset b) { return a < b ? b : a; });
  EllMatrix<T, Cuda> B(ctx, A.rows, A.cols, checked_index(longest, "the longest row"), A.nnz());
  const std::int64_t rows = A.rows;
  const Index width = B.width;
  const Index* columns = A.col_indices.data();
  const T* values = A.values.data();
  Index* const columns_out = B.col_indices.data();
  T* const values_out = B.values.data();
  // A thread a row: neighbours write neighbouring entries.
  parallel_for(ctx, rows, [=] __device__(std::int64_t row) {
    const Offset begin = row_offsets[row];
    const Offset length = row_offsets[row + 1] - begin;
    for (Index k = 0; k < width; ++k) {
      const bool is_stored = k < length;
      columns_out[k * rows + row] = is_stored ? columns[begin + k] : EllMatrix<T, Cuda>::padding;
      values_out[k * rows + row] = is_stored ? values[begin + k] : T{0};
    }
  });
  return B;
}

template <class T>
CsrMatrix<T, Cuda> ell_to_csr(Context<Cuda>& ctx, const EllMatrix<T, Cuda>& A) {
  CsrMatrix<T, Cuda> B(ctx, A.rows, A.cols, A.nnz);
  const EllArrays<T> a(A);
  Offset* const row_offsets = B.row_offsets.data();
  parallel_for(ctx, A.rows, [=] __device__(std::int64_t row) {
    Offset count = 0;
    a.for_entries(row, [&](Index, T) { ++count; });
    row_offsets[row + 1] = count;
  });
  counts_to_offsets(ctx, B.row_offsets.span());
  Index* const columns = B.col_indices.data();
  T* const values = B.values.data();
  parallel_for(ctx, A.rows, [=] __device__(std::int64_t row) {
    Offset position = row_offsets[row];
    a.for_entries(row, [&](Index column, T value) {
      columns[position] = column;
      values[position] = value;
      ++position;
    });
  });
  return B;
}

template <class T>
CsrMatrix<T, Cuda> drop_zeros(Context<Cuda>& ctx, CsrMatrix<T, Cuda> A) {
  WorkspaceScope<Cuda> scope(ctx.workspace());
  // Where an entry will be: the number of entries kept before it.
  const auto position_span = scope.take<Offset>(static_cast<std::size_t>(A.nnz()) + 1);
  Offset* const positions = position_span.data();
  const T* values = A.values.data();
  parallel_for(ctx, A.nnz(), [=] __device__(std::int64_t k) { positions[k + 1] = values[k] != T{0}; });
  const Offset nnz = counts_to_offsets(ctx, position_span);
  if (nnz == A.nnz()) {
    return A;
  }
  CsrMatrix<T, Cuda> kept(ctx, A.rows, A.cols, nnz);
  const Offset* row_offsets = A.row_offsets.data();
  const Index* columns = A.col_indices.data();
  Offset* const offsets_out = kept.row_offsets.data();
  Index* const columns_out = kept.col_indices.data();
  T* const values_out = kept.values.data();
  parallel_for(ctx, std::int64_t{A.rows} + 1,
               [=] __device__(std::int64_t row) { offsets_out[row] = positions[row_offsets[row]]; });
  parallel_for(ctx, A.nnz(), [=] __device__(std::int64_t k) {
    if (values[k] != T{0}) {
      columns_out[positions[k]] = columns[k];
      values_out[positions[k]] = values[k];
    }
  });
  return kept;
}

template <class U, class T>
CsrMatrix<U, Cuda> convert_values(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A) {
  CsrMatrix<U, Cuda> B(ctx, A.rows, A.cols, A.nnz());
  copy(ctx, A.row_offsets.span(), B.row_offsets.span());
  copy(ctx, A.col_indices.span(), B.col_indices.span());
  const T* from = A.values.data();
  U* const to = B.values.data();
  parallel_for(ctx, A.nnz(), [=] __device__(std::int64_t k) { to[k] = static_cast<U>(from[k]); });
  return B;
}

#define AMGSOLVE_INSTANTIATE(T)                                                                     \
  template CooMatrix<T, Cuda> csr_to_coo(Context<Cuda>&, const CsrMatrix<T, Cuda>&);                \
  template EllMatrix<T, Cuda> csr_to_ell(Context<Cuda>&, const CsrMatrix<T, Cuda>&);                \
  template CsrMatrix<T, Cuda> ell_to_csr(Context<Cuda>&, const EllMatrix<T, Cuda>&);                \
  template CsrMatrix<T, Cuda> drop_zeros(Context<Cuda>&, CsrMatrix<T, Cuda>);                       \
  template CsrMatrix<float, Cuda> convert_values<float>(Context<Cuda>&, const CsrMatrix<T, Cuda>&); \
  template CsrMatrix<double, Cuda> convert_values<double>(Context<Cuda>&, const CsrMatrix<T, Cuda>&);

AMGSOLVE_INSTANTIATE(float)
AMGSOLVE_INSTANTIATE(double)
#undef AMGSOLVE_INSTANTIATE

}  // namespace amgsolve
