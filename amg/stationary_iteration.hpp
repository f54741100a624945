#pragma once

#include <vector>

#include "amg/column_units.hpp"
#include "amg/iterative_method.hpp"
#include "amg/preconditioner.hpp"

namespace amgsolve {

/// x += M⁻¹(b − A x): the preconditioner alone, for example multigrid cycles.
template <class T, MemorySpace S>
class StationaryIteration : public IterativeMethod<T, S> {
 public:
  /// @param A  and the preconditioner outlive the method
  StationaryIteration(Context<S>& ctx, const Operator<T, S>& A, Preconditioner<T, S>& preconditioner, Index columns);

  void restart(Context<S>& ctx, Span<const double, S> units) override;
  void step(Context<S>& ctx, MultiVectorView<T, S> x, MultiVectorView<T, S> r, std::span<StepOutcome> columns) override;
  void leave(Context<S>& ctx, std::size_t column) override { units_.leave(ctx, column); }

 private:
  const Operator<T, S>* A_;
  Preconditioner<T, S>* preconditioner_;
  MultiVector<T, S> q_;        ///< A z
  Buffer<double, S> squares_;  ///< rᵀr of all columns, then qᵀq
  std::vector<double> host_squares_;
  ColumnUnits<S> units_;
};

}  // namespace amgsolve
