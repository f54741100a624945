#pragma once

#include "amg/graph.hpp"
#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// The graph of strong connections by the symmetric measure (Vaněk, Mandel, Brezina 1996): i and j ≠ i are neighbours
/// where |a_ij| > θ √|a_ii a_jj|. θ = 0 keeps every nonzero. O(nnz).
/// @param diagonal  of A, A.rows entries; rows where it is zero have no strong connections
/// Throws std::invalid_argument naming both sizes where they do not match. Synchronises.
template <class T, MemorySpace S>
Graph<S> strength_graph(Context<S>& ctx, const CsrMatrix<T, S>& A, std::type_identity_t<Span<const T, S>> diagonal,
                        double threshold);

}  // namespace amgsolve
