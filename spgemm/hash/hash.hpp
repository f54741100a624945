#pragma once

#include "spgemm/options.hpp"

namespace amgsolve {

/// C = A B row by row (Gustavson 1978) with a hash table for each row in shared memory: in one pass where rows are much
/// alike (hash_one_pass.hpp), else in two (hash_two_pass.hpp).
template <class T>
SpgemmProduct<T, Cuda> multiply_hash(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, const CsrMatrix<T, Cuda>& B,
                                     const SpgemmOptions& options);

}  // namespace amgsolve
