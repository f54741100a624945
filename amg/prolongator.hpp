#pragma once

#include "amg/tentative.hpp"

namespace amgsolve {

/// T as a general sparse matrix.
template <class T>
CsrMatrix<T, Host> tentative_to_csr(Context<Host>& ctx, const Aggregates<Host>& aggregates, Index block_size,
                                    const Tentative<T, Host>& tentative);
template <class T>
CsrMatrix<T, Cuda> tentative_to_csr(Context<Cuda>& ctx, const Aggregates<Cuda>& aggregates, Index block_size,
                                    const Tentative<T, Cuda>& tentative);

/// The smoothed prolongator P = (I − ω D_F⁻¹ A_F) T (Vaněk, Mandel, Brezina 1996), where A_F is A without the weak
/// connections, whose values are added to the diagonal D_F so that row sums stay. No general sparse product: T has one
/// block a row, so a row of P is the row of A with its columns renamed to aggregates and equal ones contracted.
/// Rows are sorted; values are summed in the order of A's row. O(nnz k) on the host; on a device a row takes its length
/// times the aggregates it touches, divided by the lanes that share it, and P keeps memory for some per cent more
/// entries than it has, by a sample of the rows. Synchronises.
///
/// @param strong   graph of the strong connections between nodes; null: none are filtered
/// @param damping  ω
template <class T>
CsrMatrix<T, Host> smoothed_prolongator(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const Graph<Host>* strong,
                                        const Aggregates<Host>& aggregates, Index block_size,
                                        const Tentative<T, Host>& tentative, std::type_identity_t<T> damping);
template <class T>
CsrMatrix<T, Cuda> smoothed_prolongator(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const Graph<Cuda>* strong,
                                        const Aggregates<Cuda>& aggregates, Index block_size,
                                        const Tentative<T, Cuda>& tentative, std::type_identity_t<T> damping);

}  // namespace amgsolve
