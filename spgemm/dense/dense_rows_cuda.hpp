#pragma once

#include "spgemm/rows/row_selection_cuda.hpp"
#include "spmv/csr_ref.hpp"

/// The two passes of the thin product over its rows; see thin.hpp.
namespace amgsolve::thin {

/// counts_i = entries of row i of A B, for the rows selected, by a warp a row. `columns`: of a chunk, a multiple of 32.
template <class T>
void count_rows_by_warps(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Index columns,
                         const RowSelection& selection, Span<Offset, Cuda> counts);

/// Forms the rows selected; C has its row offsets.
template <class T>
void form_rows_by_warps(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Index columns,
                        const RowSelection& selection, CsrMatrix<T, Cuda>& C);

/// The same by a block a row.
template <class T>
void count_rows_by_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Index columns,
                          const RowSelection& selection, Span<Offset, Cuda> counts);
template <class T>
void form_rows_by_blocks(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Index columns,
                         const RowSelection& selection, CsrMatrix<T, Cuda>& C);

}  // namespace amgsolve::thin
