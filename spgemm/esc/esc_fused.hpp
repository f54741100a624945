#pragma once

#include <optional>

#include "spgemm/options.hpp"

namespace amgsolve {

/// C = A B at the least latency, for small matrices: no analysis, two kernels, one read-back. The first kernel expands,
/// sorts and contracts every row by a warp, in registers and shared memory, and leaves it at a fixed distance from the
/// row before; the host reads how many entries there are; the second kernel sums the counts and moves the rows
/// together. Rows with more than 512 products take several rounds, in each of which the entries so far come first:
/// every entry is summed in the order of A's row. Rows of work are not sorted by it: there are fewer warps than the GPU
/// runs at once.
///
/// Room is for min(B.cols, 256, 2²¹ / A.rows) entries a row. Where a row has more, or A more than 16384 rows,
/// multiply_esc does the work. Times "fused". Memory beside C: (4 + sizeof(T)) times the room, 4 bytes a row.
template <class T>
SpgemmProduct<T, Cuda> multiply_esc_fused(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                          const SpgemmOptions& options);

/// The same; nothing where A has more rows or a row of C more entries than there is room for.
/// @param margins  beside the entries of C
template <class T>
std::optional<SpgemmProduct<T, Cuda>> fuse_rows(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                                                const CsrMatrix<T, Cuda>& B, const RowMargins& margins);

}  // namespace amgsolve
