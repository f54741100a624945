#pragma once

#include "amg/nullspace.hpp"
#include "amg/options.hpp"
#include "amg/preconditioner.hpp"
#include "amg/result.hpp"
#include "core/context.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {

/// How A x = b is solved, beside SolverOptions.
struct SystemTraits {
  Method method = Method::cg;  ///< never automatic
  Index block_size = 1;
  bool rows_differ = false;  ///< see differ_in_size()
  bool is_two_sided = true;  ///< A takes the null space to zero, and not its transpose alone
  bool is_symmetric = true;
};

/// Solves A x = b, of a singular A in what is known of its range: see ProjectedSystem.
///
/// Where none is known, and the solve of a symmetric A that is stored ends as those of singular ones do, null vectors
/// are looked for in the x of that, and the system is solved again from x = 0 with those that were found, which the
/// result tells: its iterations are those of the last solve. What breaks down or stagnates hands over x = 0 in place of
/// columns that are worse by their residual, and by the scaled one where rows differ. Collective.
/// @param nullspace  null where none is known
template <class T, MemorySpace S>
SolveResult solve_system(Context<S>& ctx, const Operator<T, S>& A, Preconditioner<T, S>& preconditioner,
                         const Nullspace<T, S>* nullspace, MultiVectorView<const T, S> b, MultiVectorView<T, S> x,
                         const SolverOptions& options, const SystemTraits& traits);

}  // namespace amgsolve
