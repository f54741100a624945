#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// Whether the rows of a matrix repeat themselves, values and all, as those of a grid with constant coefficients do: of
/// a sample of at most 256 slices of 32 rows no more than half are different in the lengths or the values of rows. The
/// same for all ranks, however they share the rows, and not always what a rank's own slices are, which begin at its
/// first row. Columns are not looked at. Collective; synchronises.
/// @param first_row  of all ranks' rows, which A's first is
/// @param rows       of all ranks
template <class T, MemorySpace S>
bool has_alike_slices(Context<S>& ctx, const CsrMatrix<T, S>& A, std::int64_t first_row, std::int64_t rows);

}  // namespace amgsolve
