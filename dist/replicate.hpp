#pragma once

#include "dist/local_matrix.hpp"
#include "spmv/blas1.hpp"

/// What every rank gets whole. Collective.
namespace amgsolve {

/// The whole matrix of which the ranks have the rows. Throws InputError where it has 2³¹ rows or columns, and
/// OutOfMemoryError where one rank has not the memory, on all ranks.
template <class T>
CsrMatrix<T, Host> replicate(Context<Host>& ctx, const LocalMatrix<T>& A);

/// all = the rows of all ranks, which do not lie within it. Throws std::invalid_argument where sizes do not match.
template <class T>
void replicate_rows(Context<Host>& ctx, const Partition& partition, Same<MultiVectorView<const T, Host>> own,
                    Same<MultiVectorView<T, Host>> all);

}  // namespace amgsolve
