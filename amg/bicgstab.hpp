#pragma once

#include <vector>

#include "amg/iterative_method.hpp"
#include "amg/preconditioner.hpp"

namespace amgsolve {

/// BiCGStab (van der Vorst 1992), preconditioned from the right, for any regular A, every column with its own
/// coefficients. A step is two products with A and two applications of the preconditioner; the memory does not grow
/// with the steps as that of GMRES does, but the residual's norm may rise and fall on the way.
/// A column breaks down where an inner product that it divides by vanishes beside the norms of its factors, and
/// diverges where its residual grows by more than any condition number. One whose residual is nothing but rounding is
/// left as it is.
template <class T, MemorySpace S>
class BiCgStab : public IterativeMethod<T, S> {
 public:
  /// @param A  and the preconditioner outlive the method
  BiCgStab(Context<S>& ctx, const Operator<T, S>& A, Preconditioner<T, S>& preconditioner, Index columns);

  void restart(Context<S>& ctx, Span<const double, S> units) override;
  void step(Context<S>& ctx, MultiVectorView<T, S> x, MultiVectorView<T, S> r, std::span<StepOutcome> columns) override;
  void leave(Context<S>& /*ctx*/, std::size_t column) override { columns_[column].is_over = true; }

 private:
  struct Column {
    double unit = 1.0;
    double rho = 0.0;   ///< r̂ᵀr
    double beta = 0.0;  ///< of the next direction
    double alpha = 0.0;
    double omega = 0.0;
    double share = 0.0;  ///< ω ‖A M⁻¹ r‖: of ‖r‖, what the second half of a step takes off
    std::optional<StopReason> breakdown{};
    bool is_over = false;  ///< broken down, or converged to rounding
  };

  Span<double, S> scalar(std::size_t i) { return scalars_.span().subspan(i * columns_.size(), columns_.size()); }
  template <class Value>
  Span<const double, S> factors(Context<S>& ctx, const Value& value);
  void set_direction(Context<S>& ctx, MultiVectorView<const T, S> r);
  void move(Context<S>& ctx, double Column::*length, MultiVectorView<const T, S> direction,
            MultiVectorView<const T, S> product, MultiVectorView<T, S> x, MultiVectorView<T, S> r);

  const Operator<T, S>* A_;
  Preconditioner<T, S>* preconditioner_;
  std::vector<Column> columns_;
  MultiVector<T, S> shadow_;   ///< r̂: the residual that the round began with
  MultiVector<T, S> p_;        ///< search direction
  MultiVector<T, S> v_;        ///< A M⁻¹ p
  MultiVector<T, S> t_;        ///< A M⁻¹ r
  Buffer<double, S> scalars_;  ///< two inner products, then factors, each for all columns
  std::vector<double> host_scalars_;
  bool is_first_ = true;
};

}  // namespace amgsolve
