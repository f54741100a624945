#pragma once

#include "spmv/counting_sort_host.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/parallel_rows_host.hpp"
#include "spmv/transpose_parts.hpp"

namespace amgsolve {

/// The entries of A as EntriesByColumn visits them.
template <class T>
struct ColumnVisit {
  const CsrMatrix<T, Host>* A;

  template <class Sink>
  void operator()(std::int64_t chunk, std::int64_t chunks, const Sink& sink) const {
    const Offset* const offsets = A->row_offsets.data();
    const Index* const columns = A->col_indices.data();
    const Index last = balanced_split(A->rows, offsets, chunk + 1, chunks);
    for (Index row = balanced_split(A->rows, offsets, chunk, chunks); row < last; ++row) {
      for (Offset k = offsets[row]; k < offsets[row + 1]; ++k) {
        sink(columns[k], row, k);
      }
    }
  }
};

/// See transpose_rows.hpp. By counting, stably; all that it allocates it does when it is made.
template <class T>
class EntriesByColumn<T, Host> {
 public:
  EntriesByColumn(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<Offset, Host> row_offsets)
      : sort_(ctx, A.nnz(), A.cols, row_offsets, ColumnVisit<T>{&A}) {}

  template <class Write>
  void for_all(Context<Host>& ctx, const Write& write) {
    sort_.place(
        ctx, [](Index) { return true; }, write);
  }
  template <class Write>
  void for_rows(Context<Host>& ctx, const TransposedRows& rows, const Write& write) {
    if (rows.begin < rows.stop) {
      sort_.place(
          ctx, [rows](Index row) { return rows.has(row); }, write);
    }
  }
  template <class Write>
  void for_other_rows(Context<Host>& ctx, const TransposedRows& rows, const Write& write) {
    sort_.place(
        ctx, [rows](Index row) { return !rows.has(row); }, write);
  }

 private:
  CountingSort<ColumnVisit<T>> sort_;
};

}  // namespace amgsolve
