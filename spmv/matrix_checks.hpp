#pragma once

#include "spmv/csr_matrix.hpp"
#include "spmv/statistics.hpp"

/// What the checks of statistics.hpp that are written once for both memory spaces are made of. All synchronise.
namespace amgsolve::detail {

/// The first row that ends before it begins; −1 where there is none.
/// @param row_offsets  rows + 1
template <MemorySpace S>
Index find_decreasing_row(Context<S>& ctx, std::type_identity_t<Span<const Offset, S>> row_offsets);

/// The first entry whose column lies outside the matrix or not behind that of the entry before it in its row. The row
/// offsets are valid.
template <class T, MemorySpace S>
EntryPosition find_wrong_column(Context<S>& ctx, const CsrMatrix<T, S>& A);

}  // namespace amgsolve::detail
