#pragma once

#include "spgemm/options.hpp"

namespace amgsolve {

/// C = A B row by row (Gustavson 1978) with a hash table for each row in shared memory. Rows are put into bins by the
/// entries to expect and counted first ("symbolic"); a row that turns out too long for its table moves on to the next
/// larger one. Then the tables are chosen by the true number of entries, and values summed and sorted by column
/// ("numeric"). Bins are kept on the device: the host waits twice, for the number of rows past the largest table,
/// which multiply_esc_global forms ("large rows"), and for that of C's entries. Times "analysis" (products of each row,
/// bins), "symbolic", "large rows", "numeric".
///
/// The columns of a row of B must be unique: a step adds one row of B, no two threads of a step to the same entry, so
/// that plain additions sum every entry in the order of A's row. Their order is free.
/// Memory beside C: 24 bytes a row.
template <class T>
SpgemmProduct<T, Cuda> hash_in_two_passes(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B);

}  // namespace amgsolve
