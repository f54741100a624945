#pragma once

#include "core/context.hpp"
#include "problems/generated_problem.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// The matrix of a model problem, row by row in parallel: a pass that counts, a scan, a pass that fills. Entries that a
/// stencil has by its shape are stored even where they are 0, as finite elements assemble them. Nothing but the matrix
/// is allocated. The same bits for any number of threads and on a device, where the matrix is made without a copy on
/// the host.
/// @param rows  those of the strip to make, which holds them from its row 0 on and keeps the columns of the whole
/// matrix
///
/// Throws ConfigurationError (see GeneratedProblem::validate), InputError where the grid's unknowns are more than a
/// matrix can have columns, OutOfMemoryError.
template <class T, MemorySpace S>
CsrMatrix<T, S> generate_matrix(Context<S>& ctx, const GeneratedProblem& problem, RowRange rows = all_rows);

}  // namespace amgsolve
