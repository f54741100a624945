#pragma once

#include "spgemm/csr_ref_cuda.hpp"
#include "spgemm/esc_rows_cuda.hpp"

/// The two passes of the thin product over its rows; see thin_cuda.hpp.
namespace amgsolve::thin {

/// Columns of a chunk for a B of so many columns: a multiple of 32.
Index chunk_columns(Index cols);

/// counts_i = entries of row i of A B, for the rows selected.
template <class T>
void count_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                const esc::RowSelection& selection, Span<Offset, Cuda> counts);

/// Forms the rows selected; C has its row offsets.
template <class T>
void form_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
               const esc::RowSelection& selection, CsrMatrix<T, Cuda>& C);

}  // namespace amgsolve::thin
