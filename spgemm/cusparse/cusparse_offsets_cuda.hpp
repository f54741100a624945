#pragma once

#include "spmv/csr_matrix.hpp"

/// What cuSPARSE's sparse product, which has 32-bit row offsets, takes and gives.
namespace amgsolve {

/// narrow = wide, all of which must fit.
void narrow_offsets(Context<Cuda>& ctx, Span<const Offset, Cuda> wide, Span<std::int32_t, Cuda> narrow);

/// Whether the columns of every row ascend. Synchronises.
bool has_sorted_rows(Context<Cuda>& ctx, Span<const Offset, Cuda> row_offsets, Span<const Index, Cuda> col_indices);

}  // namespace amgsolve
