#pragma once

#include "spmv/csr_ref.hpp"

/// The two passes over the rows of a bin; see hash_two_pass.hpp.
namespace amgsolve {

/// Tables in shared memory, one for each row at work, at most half full.
struct HashTables {
  int slots;    ///< of a table, a power of two ≥ 32
  int threads;  ///< that work on a row together: 4, 8, 16 or 32 lanes of a warp, or hash::threads_of_block

  /// Entries of a row that a table takes.
  Index limit() const { return slots / 2; }
};

/// Rows on the device whose number the host does not know.
struct RowList {
  Index* rows;
  Offset* length;
};

/// counts_i = entries of row i of A B, for the rows in the list; those with more than the limit are appended to
/// `too_long` instead.
template <class T>
void count_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, const HashTables& tables,
                RowList list, RowList too_long, Span<Offset, Cuda> counts);

/// Forms the rows in the list, none longer than the limit; C has its row offsets.
template <class T>
void form_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, const HashTables& tables,
               RowList list, CsrMatrix<T, Cuda>& C);

}  // namespace amgsolve
