#pragma once

#include "amg/graph.hpp"
#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// The matrix of the Frobenius norms of A's blocks: entry (I, J) is ‖A_{b I … b I + b − 1, b J … b J + b − 1}‖_F.
/// Strength between nodes of b unknowns is judged on it. A is square and its size a multiple of b. O(nnz).
template <class T>
CsrMatrix<T, Host> amalgamate(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Index block_size);
template <class T>
CsrMatrix<T, Cuda> amalgamate(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, Index block_size);

/// The graph of strong connections by the symmetric measure (Vaněk, Mandel, Brezina 1996): i and j ≠ i are neighbours
/// where |a_ij| > θ √(a_ii a_jj). θ = 0 keeps every nonzero. O(nnz).
/// @param diagonal  of A, A.rows entries
template <class T>
Graph<Host> strength_graph(Context<Host>& ctx, const CsrMatrix<T, Host>& A,
                           Span<const std::type_identity_t<T>, Host> diagonal, double threshold);
template <class T>
Graph<Cuda> strength_graph(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                           Span<const std::type_identity_t<T>, Cuda> diagonal, double threshold);

}  // namespace amgsolve
