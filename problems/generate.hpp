#pragma once

#include "core/context.hpp"
#include "problems/generated_problem.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/global_rows.hpp"

namespace amgsolve {

/// The matrix of a model problem, row by row in parallel: a pass that counts, a scan, a pass that fills. Entries that a
/// stencil has by its shape are stored even where they are 0, as finite elements assemble them. Nothing but the matrix
/// is allocated. The same bits for any number of threads and on a device, where the matrix is made without a copy on
/// the host.
///
/// Throws ConfigurationError (see GeneratedProblem::validate), InputError where the grid's unknowns are more than a
/// matrix can have rows, OutOfMemoryError.
template <class T, MemorySpace S>
CsrMatrix<T, S> generate_matrix(Context<S>& ctx, const GeneratedProblem& problem);

/// Some rows of it, to the same bits, of a grid with any number of unknowns: with 64 bits a column where 32 do not do.
/// Throws InputError where these rows are more than a matrix can have, and what generate_matrix() throws else.
template <class T, MemorySpace S>
RankRows<T, S> generate_strip(Context<S>& ctx, const GeneratedProblem& problem, RowRange rows);

}  // namespace amgsolve
