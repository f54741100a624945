#pragma once

#include "amg/check_matrix.hpp"
#include "amg/options.hpp"
#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

/// What the options that are left to AmgSolver are for a matrix.
namespace amgsolve {

/// How a matrix is solved.
struct Approach {
  Method method = Method::cg;  ///< never automatic
  MatrixKind kind = MatrixKind::definite;
  bool is_negated = false;  ///< what is set up is −A

  bool operator==(const Approach&) const = default;
};

/// The approach to A; what is not the usual one is noted in ctx.profile(). Throws InputError naming an entry where the
/// method that was asked for is not for the matrix, and BreakdownError where a diagonal that is not of one sign is to
/// be smoothed by: neither minres was asked for, nor a method that takes any matrix, where that is factored.
template <class T, MemorySpace S>
Approach find_approach(Context<S>& ctx, const CsrMatrix<T, S>& A, const MatrixFindings& findings, const AmgOptions& amg,
                       Method wanted);

/// The approach to a matrix with a positive diagonal that the method is for.
Approach approach_to(bool is_symmetric, const AmgOptions& amg, Method wanted);

/// For a report to tell: that −A x = −b is solved.
void note_negated(Profile& profile);

/// Whether the method is for symmetric matrices alone.
bool needs_symmetry(Method method);

/// The method where `wanted` may be automatic.
Method method_for(Method wanted, const AmgOptions& amg, bool is_symmetric);

/// The cycle where `wanted` may be automatic, which stays as it is where Cycle knows.
CycleType cycle_for(CycleType wanted, MatrixKind kind, Method method);

/// The precision of the hierarchy where `wanted` may be automatic, which stays as it is where the matrix decides: the
/// one of A under gmres, which takes M⁻¹ to be linear as far as its own precision tells.
Precision precision_for(Precision wanted, Method method);

/// The options of the hierarchy, with those that depend on the approach.
AmgOptions options_for(const Approach& approach, AmgOptions amg, Index block_size);

}  // namespace amgsolve
