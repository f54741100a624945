#include <utility>

#include "core/algorithms.hpp"
#include "core/instantiate.hpp"
#include "core/reduce_cuda.cuh"
#include "core/search.hpp"
#include "spmv/conversions.hpp"
#include "spmv/index_bits.hpp"
#include "spmv/row_lanes_cuda.cuh"
#include "spmv/shapes.hpp"

namespace amgsolve {
namespace {

/// Sort keys of entries in row order: the row above the bits of the column.
struct EntryKey {
  int column_bits;

  __device__ std::uint64_t operator()(std::int64_t row, Index column) const {
    return (static_cast<std::uint64_t>(row) << column_bits) | static_cast<std::uint64_t>(column);
  }
  __device__ Index column(std::uint64_t key) const {
    return static_cast<Index>(key & ((std::uint64_t{1} << column_bits) - 1));
  }
};

template <class T>
void check_indices(Context<Cuda>& ctx, const CooMatrix<T, Cuda>& A) {
  const Index rows = A.rows;
  const Index cols = A.cols;
  const Index* row_indices = A.row_indices.data();
  const Index* col_indices = A.col_indices.data();
  const std::int64_t first = find_first(ctx, A.nnz(), [=] __device__(std::int64_t entry) {
    return row_indices[entry] < 0 || row_indices[entry] >= rows || col_indices[entry] < 0 || col_indices[entry] >= cols;
  });
  if (first < A.nnz()) {
    const auto entry = static_cast<std::size_t>(first);
    throw_entry_outside(first, element(ctx, A.row_indices.span(), entry), element(ctx, A.col_indices.span(), entry),
                        shape_of(A));
  }
}

}  // namespace

template <class T>
CsrMatrix<T, Cuda> coo_to_csr(Context<Cuda>& ctx, const CooMatrix<T, Cuda>& A, Offset* duplicates) {
  check_indices(ctx, A);
  const Offset n = A.nnz();
  const auto size = static_cast<std::size_t>(n);
  const EntryKey make_key{bits_below(A.cols)};
  WorkspaceScope scope(ctx.workspace());
  const auto key_span = scope.take<std::uint64_t>(size);
  const auto order_span = scope.take<Offset>(size);
  std::uint64_t* const keys = key_span.data();
  Offset* const order = order_span.data();
  const Index* row_indices = A.row_indices.data();
  const Index* col_indices = A.col_indices.data();
  parallel_for(ctx, n, [=] __device__(std::int64_t entry) {
    keys[entry] = make_key(row_indices[entry], col_indices[entry]);
    order[entry] = entry;
  });
  sort_pairs(ctx, key_span, order_span, bits_below(A.rows) + make_key.column_bits);

  // Where the entry that a sorted triplet is merged into will be: the number of different keys before its own.
  const auto position_span = scope.take<Offset>(size + 1);
  Offset* const positions = position_span.data();
  parallel_for(ctx, n, [=] __device__(std::int64_t i) { positions[i + 1] = i == 0 || keys[i] != keys[i - 1]; });
  CsrMatrix<T, Cuda> B(ctx, A.rows, A.cols, counts_to_offsets(ctx, position_span));
  Offset* const row_offsets = B.row_offsets.data();
  parallel_for(ctx, std::int64_t{A.rows} + 1, [=] __device__(std::int64_t row) {
    row_offsets[row] = positions[lower_bound(keys, 0, n, make_key(row, 0))];
  });
  const T* values = A.values.data();
  Index* const columns_out = B.col_indices.data();
  T* const values_out = B.values.data();
  parallel_for(ctx, n, [=] __device__(std::int64_t i) {
    const std::uint64_t key = keys[i];
    if (i > 0 && keys[i - 1] == key) {
      return;
    }
    T sum = values[order[i]];
    for (Offset next = i + 1; next < n && keys[next] == key; ++next) {
      sum += values[order[next]];
    }
    columns_out[positions[i]] = make_key.column(key);
    values_out[positions[i]] = sum;
  });
  if (duplicates != nullptr) {
    *duplicates = n - B.nnz();
  }
  return B;
}

template <class T>
void sort_rows(Context<Cuda>& ctx, CsrMatrix<T, Cuda>& A) {
  const Offset* row_offsets = A.row_offsets.data();
  Index* const columns = A.col_indices.data();
  T* const values = A.values.data();
  const std::int64_t unsorted = find_first(ctx, A.rows, [=] __device__(std::int64_t row) {
    bool is_sorted = true;
    for (Offset entry = row_offsets[row] + 1; is_sorted && entry < row_offsets[row + 1]; ++entry) {
      is_sorted = columns[entry - 1] <= columns[entry];
    }
    return !is_sorted;
  });
  if (unsorted == A.rows) {
    return;
  }
  const auto size = static_cast<std::size_t>(A.nnz());
  const EntryKey make_key{bits_below(A.cols)};
  WorkspaceScope scope(ctx.workspace());
  const auto key_span = scope.take<std::uint64_t>(size);
  const auto order_span = scope.take<Offset>(size);
  std::uint64_t* const keys = key_span.data();
  Offset* const order = order_span.data();
  parallel_entries(ctx, A.rows, A.nnz(), row_offsets, [=] __device__(std::int64_t row, Offset entry) {
    keys[entry] = make_key(row, columns[entry]);
    order[entry] = entry;
  });
  sort_pairs(ctx, key_span, order_span, bits_below(A.rows) + make_key.column_bits);

  const auto unordered_span = scope.take<T>(size);
  copy(ctx, std::as_const(A.values).span(), unordered_span);
  const T* unordered = unordered_span.data();
  parallel_for(ctx, A.nnz(), [=] __device__(std::int64_t i) {
    columns[i] = make_key.column(keys[i]);
    values[i] = unordered[order[i]];
  });
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                   \
  template CsrMatrix<T, S> coo_to_csr(Context<S>&, const CooMatrix<T, S>&, Offset*); \
  template void sort_rows(Context<S>&, CsrMatrix<T, S>&);
AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE, Cuda)

}  // namespace amgsolve
