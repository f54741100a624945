#pragma once

#include "spgemm/options.hpp"
#include "spgemm/rows/row_size_estimate.hpp"

namespace amgsolve {

/// Whether C = A B can be merged in one pass: no row of A has more entries than a thread can merge rows, and 32 bits
/// count those of B.
template <class T>
bool can_merge_in_one_pass(const RowSizeEstimate& estimate, const CsrMatrix<T, Cuda>& B);

/// C = A B by merging rows of B (Gremse, Höfter, Schwen, Kiessling, Naumann 2015): a thread merges up to merge::width
/// sorted rows in registers, and C is written in one pass (one_pass_cuda.hpp). Longer rows of A are cut into pieces of
/// that length, whose results are merged in turn, log_8 of the longest row times; so their entries are summed piece by
/// piece. Memory beside C: the partial results.
/// Suits short rows. Where a row of C may have more than merge::most_products, those that do are formed by
/// multiply_esc_global, since a thread merges one entry at a time. Throws std::invalid_argument where B, or the results
/// of pieces, have 2³² entries or more.
template <class T>
SpgemmProduct<T, Cuda> multiply_row_merge(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                          const SpgemmOptions& options);

/// The same where the estimate has been made.
/// @param margins  beside the entries of C where it is merged in one pass
template <class T>
SpgemmProduct<T, Cuda> multiply_row_merge(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                          const RowSizeEstimate& estimate, const RowMargins& margins);

}  // namespace amgsolve
