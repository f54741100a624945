#pragma once

#include "spmv/csr_matrix.hpp"

/// What a TransposePlan is made of.
namespace amgsolve::detail {

/// The pattern of Aᵀ, and for each of its entries the place that it has in its row of A, counted from 0: with the row,
/// which is the entry's column in Aᵀ, that finds the value and needs only 32 bits.
/// @param row_offsets  of Aᵀ, A.cols + 1
template <class T, MemorySpace S>
void find_transpose(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<Offset, S> row_offsets, Span<Index, S> col_indices,
                    Span<Index, S> places);

/// values_k = the value at place places_k of row rows_k of A.
template <class T, MemorySpace S>
void gather_values(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<const Index, S>> rows,
                   std::type_identity_t<Span<const Index, S>> places, Span<T, S> values);

}  // namespace amgsolve::detail
