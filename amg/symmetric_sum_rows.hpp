#pragma once

#include <stdexcept>
#include <string>

#include "amg/symmetric_sum.hpp"
#include "core/instantiate.hpp"
#include "spmv/conversions.hpp"
#include "spmv/counted_rows.hpp"
#include "spmv/csr_ref.hpp"

/// The body of symmetric_sum(), written once for both memory spaces: parallel_for is that of the context. A row is the
/// work of one thread.
namespace amgsolve {
namespace detail {

/// The rows of A + B, whose rows are sorted.
template <class T>
struct RowSum {
  CsrRef<T> A;
  CsrRef<T> B;

  /// Calls visit(column, value) for the entries of row i, ascending.
  template <class Visit>
  AMGSOLVE_HOST_DEVICE void for_each_entry(std::int64_t i, const Visit& visit) const {
    Offset a = A.row_offsets[i];
    Offset b = B.row_offsets[i];
    const Offset a_end = A.row_offsets[i + 1];
    const Offset b_end = B.row_offsets[i + 1];
    while (a < a_end || b < b_end) {
      const Index a_col = a < a_end ? A.col_indices[a] : max_index;
      const Index b_col = b < b_end ? B.col_indices[b] : max_index;
      const Index col = b_col < a_col ? b_col : a_col;
      visit(col, (a_col == col ? A.values[a] : T{0}) + (b_col == col ? B.values[b] : T{0}));
      a += a_col == col ? 1 : 0;
      b += b_col == col ? 1 : 0;
    }
  }
};

}  // namespace detail

template <class T, MemorySpace S>
CsrMatrix<T, S> sum_of(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B) {
  const detail::RowSum<T> rows{ref_of(A), ref_of(B)};
  CsrMatrix<T, S> sum = uncounted_matrix<T>(ctx, A.rows, A.cols);
  Offset* const counts = row_counts(sum).data();
  parallel_for(ctx, A.rows, [rows, counts] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    Offset count = 0;
    rows.for_each_entry(i, [&](Index, T) { ++count; });
    counts[i] = count;
  });
  allocate_entries(ctx, sum);
  const Offset* const offsets = sum.row_offsets.data();
  Index* const cols = sum.col_indices.data();
  T* const values = sum.values.data();
  parallel_for(ctx, A.rows, [rows, offsets, cols, values] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
    Offset next = offsets[i];
    rows.for_each_entry(i, [&](Index col, T value) {
      cols[next] = col;
      values[next++] = value;
    });
  });
  ctx.profile().add(
      {.bytes = static_cast<std::int64_t>(2 * (A.bytes() + B.bytes()) + sum.bytes()), .flops = sum.nnz()});
  return sum;
}

template <class T, MemorySpace S>
CsrMatrix<T, S> symmetric_sum(Context<S>& ctx, const CsrMatrix<T, S>& A) {
  if (A.rows != A.cols) {
    throw std::invalid_argument("the symmetric sum of a " + std::to_string(A.rows) + " x " + std::to_string(A.cols) +
                                " matrix");
  }
  return sum_of(ctx, A, transpose(ctx, A));
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                              \
  template CsrMatrix<T, S> sum_of(Context<S>&, const CsrMatrix<T, S>&, const CsrMatrix<T, S>&); \
  template CsrMatrix<T, S> symmetric_sum(Context<S>&, const CsrMatrix<T, S>&);

}  // namespace amgsolve
