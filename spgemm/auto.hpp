#pragma once

#include "spgemm/options.hpp"

namespace amgsolve {

/// C = A B on a device by the algorithm that is likely the quickest, from the sizes of the product and an estimate of
/// its rows' sizes, within limits that were measured (auto_tuning.hpp). Notes the choice in the profile.
template <class T>
SpgemmProduct<T, Cuda> multiply_auto(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                     const SpgemmOptions& options);

}  // namespace amgsolve
