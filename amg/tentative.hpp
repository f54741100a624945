#pragma once

#include "amg/aggregation.hpp"
#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// The tentative prolongator T, block-sparse with one block row per node: row r of a node in aggregate a has the k
/// entries basis(r, ·) in columns a k … a k + k − 1; the rows of a node in no aggregate are empty. TᵀT = I, but for
/// columns that the candidates of an aggregate do not span: those are zero.
template <class T, MemorySpace S>
struct Tentative {
  MultiVector<T, S> basis;              ///< rows × k
  MultiVector<T, S> coarse_candidates;  ///< (count k) × k: B_coarse with T B_coarse = B on the aggregated nodes
};

/// Restricts the candidates B (n × k) to each aggregate and orthonormalises them there, B_a = Q_a R_a, by modified
/// Gram–Schmidt applied twice (the second pass makes Q orthonormal to working precision); Q_a fills T, R_a becomes the
/// coarse candidates (Vaněk, Mandel, Brezina 1996). A candidate that depends on those before it within an aggregate (by
/// less than √ε of its norm remaining) gets a zero column. n = nodes × block_size. O(n k²).
template <class T, MemorySpace S>
Tentative<T, S> tentative_prolongator(Context<S>& ctx, const Aggregates<S>& aggregates, Index block_size,
                                      std::type_identity_t<MultiVectorView<const T, S>> candidates);

/// The same of candidates that lie in the basis, where they become Q; rows of nodes in no aggregate are left. Returns
/// R.
template <class T, MemorySpace S>
MultiVector<T, S> orthonormalise_candidates(Context<S>& ctx, const Aggregates<S>& aggregates, Index block_size,
                                            std::type_identity_t<MultiVectorView<T, S>> basis);

/// The candidates of a problem that comes with none: for each of the k columns, 1 at that unknown of every node and 0
/// at the others, B_ij = [i mod k = j]. With k = 1 the constant.
/// @param first_row  the i of the first of these rows
template <class T, MemorySpace S>
void fill_constant_candidates(Context<S>& ctx, std::type_identity_t<MultiVectorView<T, S>> candidates,
                              std::int64_t first_row = 0);

}  // namespace amgsolve
