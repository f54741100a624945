#pragma once

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// Y = α A X + β Y for a matrix that is multiplied by a few times, as in a setup; see Operator for one that a solve
/// multiplies by, and for how sums are formed. A is n × m, X has m rows, Y n rows, both k columns; Y and X must not
/// overlap. β = 0 does not read Y. Throws std::invalid_argument naming both sizes where they do not match, books its
/// minimum bytes and flops in ctx.profile(). Cost: 2 nnz k flops. Of several ranks one may call by itself: A is all of
/// a matrix, whose mean row length says how a device sums its rows. A rank's rows of one are for an Operator.
///
/// The value type is deduced from the matrix; the other arguments convert from vectors.
template <class T, MemorySpace S>
void spmv(Context<S>& ctx, std::type_identity_t<T> alpha, const CsrMatrix<T, S>& A,
          std::type_identity_t<MultiVectorView<const T, S>> X, std::type_identity_t<T> beta,
          std::type_identity_t<MultiVectorView<T, S>> Y);

}  // namespace amgsolve
