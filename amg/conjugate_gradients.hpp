#pragma once

#include "amg/iterative_method.hpp"
#include "amg/preconditioner.hpp"

namespace amgsolve {

/// Preconditioned conjugate gradients (Hestenes, Stiefel 1952), every column with its own coefficients; flexible (Notay
/// 2000): β from the newest residual, for a preconditioner that changes from step to step, at one more dot product.
template <class T, MemorySpace S>
class ConjugateGradients : public IterativeMethod<T, S> {
 public:
  /// @param A  and the preconditioner outlive the method
  ConjugateGradients(Context<S>& ctx, const Operator<T, S>& A, Preconditioner<T, S>& preconditioner, Index columns,
                     bool flexible);

  void restart(Context<S>& ctx) override;
  std::optional<StopReason> step(Context<S>& ctx, FatView<T, S> x, FatView<T, S> r,
                                 std::span<double> residual_squared) override;

 private:
  Span<double, S> scalar(std::size_t i) { return scalars_.span().subspan(i * columns_, columns_); }

  const Operator<T, S>* A_;
  Preconditioner<T, S>* preconditioner_;
  bool flexible_;
  std::size_t columns_;
  FatVector<T, S> p_;          ///< search direction
  FatVector<T, S> q_;          ///< A p
  Buffer<double, S> scalars_;  ///< those of a step, each for all columns, in the vectors' memory
  std::vector<double> host_scalars_;
  std::size_t rho_ = 0;  ///< which of the scalars is rᵀz of this step; the other of the first two is the last step's
};

}  // namespace amgsolve
