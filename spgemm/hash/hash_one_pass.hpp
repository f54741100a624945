#pragma once

#include <optional>

#include "spgemm/options.hpp"
#include "spgemm/rows/row_size_estimate.hpp"

namespace amgsolve {

/// C = A B by Gustavson's method with hash tables as hash_in_two_passes(), but in one pass over tables of one size: for
/// rows that are much alike. Nothing where the estimate says that they are not, or a row did not fit after all. Memory
/// beside C: what the guess of its entries was too large by, usually less than a hundredth of C, and a byte a row.
/// @param margins  beside the entries of C
template <class T>
std::optional<SpgemmProduct<T, Cuda>> hash_in_one_pass(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A,
                                                       const CsrMatrix<T, Cuda>& B, const RowSizeEstimate& estimate,
                                                       const RowMargins& margins);

}  // namespace amgsolve
