#pragma once

#include <optional>
#include <span>

#include "amg/options.hpp"
#include "amg/result.hpp"
#include "core/context.hpp"
#include "spmv/fat_vector.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {

/// A method that improves x step by step and keeps the residual r = b − A x (or its recurrence) beside it.
template <class T, MemorySpace S>
class IterativeMethod {
 public:
  virtual ~IterativeMethod() = default;

  /// Forget the steps before: x and r are new.
  virtual void restart(Context<S>& ctx) = 0;

  /// One iteration: updates x and r, puts Σ_i r_ij² of every column into residual_squared (host memory; synchronises).
  /// Returns why the method cannot go on, if so.
  virtual std::optional<StopReason> step(Context<S>& ctx, FatView<T, S> x, FatView<T, S> r,
                                         std::span<double> residual_squared) = 0;
};

/// Iterates until every column of b − A x has converged by options.tolerance, or the method must stop. What the
/// method's recurrence calls converged is checked against the true residual, every product and sum of which is formed
/// in double whatever T is; where that is still larger, the method goes on from it, until it no longer halves.
template <class T, MemorySpace S>
SolveResult iterate(Context<S>& ctx, const Operator<T, S>& A, IterativeMethod<T, S>& method, FatView<const T, S> b,
                    FatView<T, S> x, const SolverOptions& options);

}  // namespace amgsolve
