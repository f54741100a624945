#pragma once

#include "core/context.hpp"
#include "problems/generated_problem.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// The matrix of a model problem, row by row in parallel: a pass that counts, a scan, a pass that fills. Entries that a
/// stencil has by its shape are stored even where they are 0, as finite elements assemble them. Nothing but the matrix
/// is allocated. The same bits for any number of threads and on a device, where the matrix is made without a copy on
/// the host.
///
/// Throws ConfigurationError (see GeneratedProblem::validate), InputError where the unknowns are more than a matrix can
/// have rows, OutOfMemoryError.
template <class T>
CsrMatrix<T, Host> generate_matrix(Context<Host>& ctx, const GeneratedProblem& problem);
template <class T>
CsrMatrix<T, Cuda> generate_matrix(Context<Cuda>& ctx, const GeneratedProblem& problem);

}  // namespace amgsolve
