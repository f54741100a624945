#pragma once

#include "spmv/csr_matrix.hpp"
#include "spmv/fat_vector.hpp"
#include "spmv/statistics.hpp"

/// What the checks of statistics.hpp that are written once for both memory spaces are made of. All synchronise.
namespace amgsolve::detail {

/// The first row that ends before it begins; −1 where there is none.
template <class T>
Index find_decreasing_row(Context<Host>& ctx, const CsrMatrix<T, Host>& A);
template <class T>
Index find_decreasing_row(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A);

/// The first entry whose column lies outside the matrix or not behind that of the entry before it in its row. The row
/// offsets are valid.
template <class T>
EntryPosition find_wrong_column(Context<Host>& ctx, const CsrMatrix<T, Host>& A);
template <class T>
EntryPosition find_wrong_column(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A);

/// Σ x_i², in double.
template <class T>
double sum_of_squares(Context<Host>& ctx, Span<const T, Host> x);
template <class T>
double sum_of_squares(Context<Cuda>& ctx, Span<const T, Cuda> x);

/// Σ_i u_i0 v_i1 − u_i1 v_i0 of two vectors of two columns, in double.
template <class T>
double cross_difference(Context<Host>& ctx, FatView<const T, Host> u, FatView<const T, Host> v);
template <class T>
double cross_difference(Context<Cuda>& ctx, FatView<const T, Cuda> u, FatView<const T, Cuda> v);

}  // namespace amgsolve::detail
