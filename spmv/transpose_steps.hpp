#pragma once

#include "spmv/csr_matrix.hpp"

/// What a TransposePlan is made of.
namespace amgsolve::detail {

/// The pattern of Aᵀ, and for each of its entries the place that it has in its row of A, counted from 0: with the row,
/// which is the entry's column in Aᵀ, that finds the value and needs only 32 bits.
/// @param row_offsets  of Aᵀ, A.cols + 1
template <class T>
void find_transpose(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<Offset, Host> row_offsets,
                    Span<Index, Host> col_indices, Span<Index, Host> places);
template <class T>
void find_transpose(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<Offset, Cuda> row_offsets,
                    Span<Index, Cuda> col_indices, Span<Index, Cuda> places);

/// values_k = the value at place places_k of row rows_k of A.
template <class T>
void gather_values(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const Index, Host> rows,
                   Span<const Index, Host> places, Span<T, Host> values);
template <class T>
void gather_values(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Span<const Index, Cuda> rows,
                   Span<const Index, Cuda> places, Span<T, Cuda> values);

}  // namespace amgsolve::detail
