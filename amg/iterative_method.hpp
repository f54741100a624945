#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "amg/convergence.hpp"
#include "amg/options.hpp"
#include "amg/result.hpp"
#include "core/context.hpp"
#include "core/vector_error.hpp"
#include "spmv/multi_vector.hpp"
#include "spmv/operator.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

/// Growth of ‖r‖, or of rᵀz, that no converging method shows: more than the condition number of anything that can be
/// solved in double.
inline constexpr double diverging_growth = 1e16;

/// A method that improves x step by step. Beside it a recurrence keeps the residual of every column in a unit of its
/// own, unit_j r_j = b_j − A x_j, which begins with ‖r_j‖ in [1, 2): so nothing over- or underflows, whatever the size
/// of b and x.
template <class T, MemorySpace S>
class IterativeMethod {
 public:
  virtual ~IterativeMethod() = default;

  /// Forget the steps before: x, r and the units are new.
  /// @param units  powers of two; stay where they are until the next restart
  virtual void restart(Context<S>& ctx, Span<const double, S> units) = 0;

  /// One iteration: updates x and r, or what becomes of them in finish(), tells of every column ‖r_j‖, without its
  /// unit, and why the method cannot go on with it, if so; x gets no worse then. Synchronises.
  virtual void step(Context<S>& ctx, MultiVectorView<T, S> x, MultiVectorView<T, S> r,
                    std::span<StepOutcome> columns) = 0;

  /// Steps until the next restart leave this column's x and r as they are: nothing more is to be gained in it. For a
  /// method whose residuals never grow: nothing.
  virtual void leave(Context<S>& /*ctx*/, std::size_t /*column*/) {}

  /// Whether x has all that the steps have gained: then it may be judged, after finish(), also within a round.
  virtual bool keeps_x() const { return true; }

  /// Gives x what the steps since the restart owe it; before x is judged, again where it was interrupted. For a method
  /// that updates x in every step: nothing.
  virtual void finish(Context<S>& /*ctx*/, MultiVectorView<T, S> /*x*/) {}
};

/// Iterates until every column of b − A x has converged by options.tolerance, or nothing more is to be gained. What the
/// method's recurrence calls converged is checked against the true residual, every product and (compensated) sum of
/// which is formed in double whatever T is; where that is still larger, the method goes on from it.
///
/// Where the tolerance cannot be met, options.stopping says what an x counts as whose backward error
/// η = ‖b − A x‖ / ‖|b| + |A| |x|‖ is at rounding level (Euclidean norms): it is the exact solution of a system that
/// differs from this one by rounding errors, and no solver that works in T gets a smaller one but by chance. η lies
/// between the normwise backward error ‖b − A x‖ / (‖b‖ + ‖|A|‖ ‖x‖) (Rigal, Gaches 1967) and the componentwise one,
/// max_i |b − A x|_i / (|b| + |A| |x|)_i (Oettli, Prager 1964), and does not change where A or b is scaled. Rounding
/// level is (L + 3) u, for a unit roundoff u of T and rows of L entries on average: rounding the exact solution to T
/// changes the residual by at most u |A| |x|, and forming a residual in T by (L + 2) u (|b| + |A| |x|). Where the
/// tolerance is not far below, another round tries to meet it first. A round whose residual has not been halved in
/// stalled_iterations ends, too, where x turns out to be at rounding level, or the recurrence has reached what may be
/// rounding errors of the residual that the round began with; that takes vectors of its own, once in as many
/// iterations.
///
/// Where rows differ in size, as beside penalties, ‖r‖ tells of the largest alone. What has converged is then asked by
/// how much a step of Jacobi would change x: with ‖D⁻¹ r‖ = ‖D⁻¹ A (x − x*)‖ the error is no less than that over ‖D⁻¹
/// A‖, some 2. Up to three rounds follow where it is most_jacobi_change tolerances of ‖x‖ and more;
/// nobody asks where there is no memory for two more vectors.
///
/// What has not converged with a symmetric A is then judged by the residual of D^(−1/2) A D^(−1/2) y = D^(−1/2) b, too,
/// where D is positive and there is memory for that: whatever the units of the unknowns are, it is the same. Rounding
/// errors of large rows may be more than all of b, and yet no x be better. x is at rounding level where one of the two
/// residuals says so, and A singular where both do.
///
/// Interrupted in a round (Context::set_stop()), it takes the true residual of the last x and returns; throws
/// InterruptedError before the first, and OutOfStepError anywhere.
/// @param rows_differ   whether some rows of A are far larger than others: see differ_in_size()
/// @param is_symmetric  whether A is known to be
template <class T, MemorySpace S>
SolveResult iterate(Context<S>& ctx, const Operator<T, S>& A, IterativeMethod<T, S>& method,
                    MultiVectorView<const T, S> b, MultiVectorView<T, S> x, const SolverOptions& options,
                    bool rows_differ = false, bool is_symmetric = false);

/// Whether rows differ so much that the norm of a residual may show the largest alone: else a step of Jacobi changes an
/// x that has converged by less than most_jacobi_change tolerances.
bool differ_in_size(const RowMagnitudes& magnitudes);

/// Throws VectorError naming the first row, of those of all ranks, with a value that is NaN or infinite. One pass.
/// Synchronises.
/// @param role  right_hand_side or initial_guess
template <class T, MemorySpace S>
void expect_finite(Context<S>& ctx, std::type_identity_t<MultiVectorView<const T, S>> X, VectorError::Role role);

/// ‖b_j‖ of the columns of a right-hand side. Throws VectorError where one is not finite, as iterate() does.
template <class T, MemorySpace S>
std::vector<double> norms_of_rhs(Context<S>& ctx, std::type_identity_t<MultiVectorView<const T, S>> b);

}  // namespace amgsolve
