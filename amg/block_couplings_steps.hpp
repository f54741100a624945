#pragma once

#include <type_traits>

#include "amg/block_filter.hpp"

/// The steps of strong_block_couplings().
namespace amgsolve {

/// magnitudes_I = Σ_r |B_Ir|, candidate r at unknown r of node I.
template <class T, MemorySpace S>
void candidate_magnitudes(Context<S>& ctx, std::type_identity_t<MultiVectorView<const T, S>> candidates,
                          Index block_size, std::type_identity_t<Span<T, S>> magnitudes);

/// Lumps what is dropped of A's `entries`; counts_i = the entries of row i of A_F.
template <class T, MemorySpace S>
void lump_blocks(Context<S>& ctx, const BlockFilter<T, S>& filter, Offset entries, Span<Offset, S> counts);

/// Fills A_F, whose row offsets are known.
template <class T, MemorySpace S>
void fill_filtered(Context<S>& ctx, const BlockFilter<T, S>& filter, Offset entries, CsrMatrix<T, S>& filtered);

}  // namespace amgsolve
