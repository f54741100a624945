#pragma once

#include "core/context.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// Throws InputError where coordinates have other columns than 2 or 3.
void expect_dimensions(Index columns);

/// The rigid-body modes of an elastic body from where its nodes lie: the near-nullspace of its stiffness matrix, which
/// it is of a body that is fixed nowhere. Of d dimensions d translations, then the rotations about the nodes' centre,
/// one in the plane and three in space (about z, x and y), with lengths in units of the nodes' root mean square
/// distance from it, so that the entries of all modes are about 1 wherever the body lies and however large it is. A
/// rotation that moves no node, as that of a straight bar about itself, is left out. In T, but for the centre.
/// @param coordinates  nodes × d, d = 2 or 3
/// @param block_size   unknowns a node, by node: d displacements, or those and then the rotations of the node, θ or
///                     θ_x, θ_y, θ_z, as frames and shells have them
/// @return             (nodes · block_size) × (3 or 6, less those left out)
/// Throws InputError where the block size is neither, d is another, or coordinates are not finite. O(nodes).
/// Synchronises.
template <class T, MemorySpace S>
MultiVector<T, S> rigid_body_modes(Context<S>& ctx, std::type_identity_t<MultiVectorView<const T, S>> coordinates,
                                   Index block_size);

}  // namespace amgsolve
