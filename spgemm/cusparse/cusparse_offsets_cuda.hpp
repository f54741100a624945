#pragma once

#include "spmv/csr_matrix.hpp"

/// What cuSPARSE's sparse product, which has 32-bit row offsets, takes and gives.
namespace amgsolve {

/// narrow = wide, all of which must fit.
void narrow_offsets(Context<Cuda>& ctx, Span<const Offset, Cuda> wide, Span<std::int32_t, Cuda> narrow);

}  // namespace amgsolve
