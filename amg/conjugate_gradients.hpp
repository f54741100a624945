#pragma once

#include <variant>
#include <vector>

#include "amg/column_units.hpp"
#include "amg/iterative_method.hpp"
#include "amg/preconditioner.hpp"
#include "core/repeated_work.hpp"

namespace amgsolve {

/// Preconditioned conjugate gradients (Hestenes, Stiefel 1952), every column with its own coefficients; flexible (Notay
/// 2000): β from the newest residual, for a preconditioner M that changes from step to step, at one more dot product.
/// The residual's norm may grow on the way, up to the root of A's condition number. A column diverges where rᵀM⁻¹r does
/// by more than 1 / u: it is at most cond(M⁻¹A) times the first one, whatever the scaling of A.
template <class T, MemorySpace S>
class ConjugateGradients : public IterativeMethod<T, S> {
 public:
  /// @param A  and the preconditioner outlive the method, and stay as they are while it lives
  ConjugateGradients(Context<S>& ctx, const Operator<T, S>& A, Preconditioner<T, S>& preconditioner, Index columns,
                     bool flexible);

  void restart(Context<S>& ctx, Span<const double, S> units) override;
  void step(Context<S>& ctx, MultiVectorView<T, S> x, MultiVectorView<T, S> r, std::span<StepOutcome> columns) override;
  void leave(Context<S>& ctx, std::size_t column) override { units_.leave(ctx, column); }

 private:
  Span<double, S> scalar(std::size_t i) { return scalars_.span().subspan(i * columns_, columns_); }
  MultiVectorView<double, S> as_column(std::size_t i) { return {scalar(i).data(), static_cast<Index>(columns_)}; }

  /// What a device does of a step.
  /// @param rounded  see Preconditioner, whose it is; has r where it is not empty, before and after
  std::monostate advance(Context<S>& ctx, MultiVectorView<T, S> x, MultiVectorView<T, S> r,
                         MultiVectorView<float, S> rounded);

  const Operator<T, S>* A_;
  Preconditioner<T, S>* preconditioner_;
  bool flexible_;
  std::size_t columns_;
  MultiVector<T, S> p_;        ///< search direction
  MultiVector<T, S> q_;        ///< A p
  Buffer<double, S> scalars_;  ///< those of a step, each for all columns, in the vectors' memory
  std::vector<double> host_scalars_;
  std::vector<double> first_rho_;  ///< of the columns, in the first step after a restart; empty before
  ColumnUnits<S> units_;
  bool is_rounded_ = false;  ///< the preconditioner has r as it is now
  RepeatedWork<std::monostate, S> repeated_;
};

}  // namespace amgsolve
