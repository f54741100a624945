#pragma once

#include "amg/iterative_method.hpp"
#include "amg/preconditioner.hpp"

namespace amgsolve {

/// Multigrid cycles alone: x += z with z one cycle on the residual.
template <class T, class M, MemorySpace S>
class MultigridIteration : public IterativeMethod<T, S> {
 public:
  MultigridIteration(Context<S>& ctx, const CsrMatrix<T, S>& A, AmgPreconditioner<T, M, S>& preconditioner,
                     FatView<const T, S> b)
      : A_(&A), preconditioner_(&preconditioner), b_(b), scalars_(ctx, static_cast<std::size_t>(b.columns)) {}

  void restart(Context<S>&) override {}
  std::optional<StopReason> step(Context<S>& ctx, FatView<T, S> x, FatView<T, S> r,
                                 std::span<double> residual_squared) override;

 private:
  const CsrMatrix<T, S>* A_;
  AmgPreconditioner<T, M, S>* preconditioner_;
  FatView<const T, S> b_;
  Buffer<double, S> scalars_;
};

}  // namespace amgsolve
