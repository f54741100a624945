#pragma once

#include "amg/couplings.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// strong_couplings() between nodes of b unknowns, for k ≥ b candidates of which the first b, the translations of an
/// elastic body say, are independent at a node.
///
/// Strength, the choice of what A_F keeps and the dropped weight are those of strong_couplings() on the matrix of the
/// blocks' signed traces (amalgamate()), with β_I = Σ_r |B_Ir| of candidate r at unknown r of node I for a candidate.
/// The graph has a vertex a node. A_F keeps or drops whole blocks. Dropped ones are lumped on the diagonal block,
///   D_F,I = D_I + (Σ_dropped A_IJ B̄_J) B̄_I⁻¹,   B̄_I: the first b candidates at node I, b × b,
/// so that A_F B̄ = A B̄: for k = b, as on every coarse level, A_F does to all candidates what A does. For k > b it
/// does so to the first b alone; the others, the rotations of an elastic body say, it keeps as far as they are near
/// translations over the length of a coupling. A candidate that those before it span at a node, as at the aggregates of
/// too few nodes, takes no part there. A node whose lumped diagonal would have an entry of next to nothing
/// (least_lumped_diagonal) keeps its D_I.
///
/// With b = k = 1 this is strong_couplings(). Deterministic, the same on host and device. O(nnz + n b²). Synchronises.
/// Throws std::invalid_argument where the sizes do not match.
/// @param window  of the nodes where A is a strip of a matrix that ranks share, as the square one of its window
///                (square_of()), which has whole nodes. Then collective, and the candidates are those of the own rows
template <class T, MemorySpace S>
Couplings<T, S> strong_block_couplings(Context<S>& ctx, const CsrMatrix<T, S>& A,
                                       std::type_identity_t<MultiVectorView<const T, S>> candidates, Index block_size,
                                       double threshold, bool filter,
                                       std::type_identity_t<const Layout<S>*> window = nullptr);

/// A_F for new values of A, with the blocks kept that it kept: that of strong_block_couplings() bit by bit where A has
/// the values that it had there.
template <class T, MemorySpace S>
CsrMatrix<T, S> filter_blocks(Context<S>& ctx, const CsrMatrix<T, S>& A,
                              std::type_identity_t<MultiVectorView<const T, S>> candidates, Index block_size,
                              const CsrMatrix<T, S>& kept_blocks);

}  // namespace amgsolve
