#pragma once

#include "amg/tentative.hpp"
#include "spmv/row_margins.hpp"

namespace amgsolve {

/// Which rows of a prolongator are formed: those whose nodes are numbered from `first` on, with room beside them.
struct ProlongatorRows {
  Index first = 0;
  RowMargins margins = {};
};

/// The smoothed prolongator P = (I − ω D_F⁻¹ A_F) T (Vaněk, Mandel, Brezina 1996), where A_F is A without the weak
/// connections, whose values are added to the diagonal D_F so that row sums stay. Rows in no aggregate are
/// interpolated from their neighbours, with ω = 1, so that P B_c is B there, too. No general sparse product: T has one
/// block a row, so a row of P is the row of A with its columns renamed to aggregates and equal ones contracted.
/// Rows are sorted; values are summed in the order of A's row. The pattern depends on those of A and of the graph only,
/// and on whether ω is 0: then rows in aggregates are those of T. Entries that cancel to zero stay. O(nnz k) on the
/// host; on a device a row takes its length times the aggregates it touches, divided by the lanes that share it, and P
/// keeps memory for some per cent more entries than it has, by a sample of the rows. Synchronises.
///
/// @param strong   graph of the strong connections between nodes; null: none are filtered
/// @param damping  ω
/// @param rows     of the matrix, where A has some of them only: then nothing is filtered
/// Throws std::invalid_argument naming the sizes where they do not match.
template <class T, MemorySpace S>
CsrMatrix<T, S> smoothed_prolongator(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                     const std::type_identity_t<Graph<S>>* strong, const Aggregates<S>& aggregates,
                                     Index block_size, const Tentative<T, S>& tentative,
                                     std::type_identity_t<T> damping, const ProlongatorRows& rows = {});

/// Refills the values of a P that smoothed_prolongator made of the same patterns, for new values of A, T and ω, which
/// is 0 where it was: the bits that it would give. Takes no memory but scratch.
template <class T, MemorySpace S>
void update_smoothed_prolongator(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                 const std::type_identity_t<Graph<S>>* strong, const Aggregates<S>& aggregates,
                                 Index block_size, const Tentative<T, S>& tentative, std::type_identity_t<T> damping,
                                 CsrMatrix<T, S>& P);

}  // namespace amgsolve
