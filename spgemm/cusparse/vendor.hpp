#pragma once

#include "spgemm/options.hpp"

namespace amgsolve {

/// C = A B by cuSPARSE's default algorithm, for comparison; its rows are sorted where it leaves them unsorted. It knows
/// 32-bit row offsets only, so they are converted: throws InputError where A, B or C has 2³¹ entries or more, and
/// DeviceError where cuSPARSE refuses for want of memory of its own.
template <class T>
SpgemmProduct<T, Cuda> multiply_cusparse(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                         const SpgemmOptions& options);

}  // namespace amgsolve
