#pragma once

#include "amg/block_filter.hpp"

/// The steps of strong_block_couplings() that each memory space has its own of.
namespace amgsolve {

/// magnitudes_I = Σ_r |B_Ir|, candidate r at unknown r of node I.
template <class T>
void candidate_magnitudes(Context<Host>& ctx, FatView<const T, Host> candidates, Index block_size,
                          Span<T, Host> magnitudes);
template <class T>
void candidate_magnitudes(Context<Cuda>& ctx, FatView<const T, Cuda> candidates, Index block_size,
                          Span<T, Cuda> magnitudes);

/// Lumps what is dropped; counts_i = the entries of row i of A_F.
template <class T>
void lump_blocks(Context<Host>& ctx, const BlockFilter<T, Host>& filter, Span<Offset, Host> counts);
template <class T>
void lump_blocks(Context<Cuda>& ctx, const BlockFilter<T, Cuda>& filter, Span<Offset, Cuda> counts);

/// Fills A_F, whose row offsets are known.
template <class T>
void fill_filtered(Context<Host>& ctx, const BlockFilter<T, Host>& filter, CsrMatrix<T, Host>& filtered);
template <class T>
void fill_filtered(Context<Cuda>& ctx, const BlockFilter<T, Cuda>& filter, CsrMatrix<T, Cuda>& filtered);

}  // namespace amgsolve
