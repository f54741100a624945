#pragma once

#include "spgemm/merge/tuning.hpp"
#include "spmv/csr_ref.hpp"
#include "spmv/one_pass_cuda.hpp"

/// The steps of the row merge; see row_merge.hpp.
namespace amgsolve {

/// Forms C = A B, each row by a thread, for an A whose longest row has at most merge::width entries, and a B of less
/// than 2³² entries. `staged`: entries of a row kept on chip until their place is known; longer rows are merged twice.
template <class T>
void merge_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B, Index longest_row,
                int staged, const OnePassTarget<T>& target);

/// A = S A', where the rows of A' are pieces of at most merge::width entries of the rows of A, and S adds up the pieces
/// of a row. A' refers to the entries of A.
template <class T>
struct CutRows {
  CsrMatrix<T, Cuda> pieces;
  CsrMatrix<T, Cuda> sums;
};
template <class T>
CutRows<T> cut_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A);

}  // namespace amgsolve
