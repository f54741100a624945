#pragma once

#include "amg/iterative_method.hpp"
#include "amg/preconditioner.hpp"

namespace amgsolve {

/// x += M⁻¹(b − A x): the preconditioner alone, for example multigrid cycles.
template <class T, MemorySpace S>
class StationaryIteration : public IterativeMethod<T, S> {
 public:
  /// @param A  and the preconditioner and b outlive the method
  StationaryIteration(Context<S>& ctx, const Operator<T, S>& A, Preconditioner<T, S>& preconditioner,
                      FatView<const T, S> b)
      : A_(&A), preconditioner_(&preconditioner), b_(b), scalars_(ctx, static_cast<std::size_t>(b.columns)) {}

  void restart(Context<S>&) override {}
  std::optional<StopReason> step(Context<S>& ctx, FatView<T, S> x, FatView<T, S> r,
                                 std::span<double> residual_squared) override;

 private:
  const Operator<T, S>* A_;
  Preconditioner<T, S>* preconditioner_;
  FatView<const T, S> b_;
  Buffer<double, S> scalars_;
};

}  // namespace amgsolve
