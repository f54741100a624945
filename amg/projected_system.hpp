#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "amg/iterative_method.hpp"
#include "amg/nullspace.hpp"
#include "amg/preconditioner.hpp"
#include "amg/reserved_columns.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {

/// A preconditioner of a singular A whose result is projected to be orthogonal to the null space: else what rounding
/// puts there grows from step to step, until there is nothing else left of a direction.
template <class T, MemorySpace S>
class ProjectedPreconditioner : public Preconditioner<T, S> {
 public:
  /// Both outlive this.
  ProjectedPreconditioner(Preconditioner<T, S>& preconditioner, const Nullspace<T, S>& nullspace)
      : preconditioner_(&preconditioner), nullspace_(&nullspace) {}

  MultiVectorView<const T, S> apply(Context<S>& ctx, MultiVectorView<const T, S> r) override {
    columns_.reserve(ctx.communicator(), r.columns, [&] { z_ = MultiVector<T, S>(ctx, r.rows, r.columns); });
    copy<T, T>(ctx, preconditioner_->apply(ctx, r), z_);
    nullspace_->project(ctx, z_);
    return z_;
  }

 private:
  Preconditioner<T, S>* preconditioner_;
  const Nullspace<T, S>* nullspace_;
  MultiVector<T, S> z_;
  ReservedColumns columns_;  ///< of z_
};

/// A method for a singular A that takes from x what rounding has put into the null space, whenever x is judged.
template <class T, MemorySpace S>
class ProjectedMethod : public IterativeMethod<T, S> {
 public:
  /// @param nullspace  outlives this
  ProjectedMethod(std::unique_ptr<IterativeMethod<T, S>> method, const Nullspace<T, S>& nullspace)
      : method_(std::move(method)), nullspace_(&nullspace) {}

  void restart(Context<S>& ctx, Span<const double, S> units) override { method_->restart(ctx, units); }
  void step(Context<S>& ctx, MultiVectorView<T, S> x, MultiVectorView<T, S> r,
            std::span<StepOutcome> columns) override {
    method_->step(ctx, x, r, columns);
  }
  void leave(Context<S>& ctx, std::size_t column) override { method_->leave(ctx, column); }
  bool keeps_x() const override { return method_->keeps_x(); }
  void finish(Context<S>& ctx, MultiVectorView<T, S> x) override {
    method_->finish(ctx, x);
    nullspace_->project(ctx, x);
  }

 private:
  std::unique_ptr<IterativeMethod<T, S>> method_;
  const Nullspace<T, S>* nullspace_;
};

/// A x = b as a method takes it: of a singular A b without what no A x reaches, and where A takes the same to zero from
/// both sides a first guess, a preconditioner and a method that stay orthogonal to that; of any other A what there is.
template <class T, MemorySpace S>
class ProjectedSystem {
 public:
  /// Throws where norms_of_rhs() does, and leaves x as it is then, and where it is not finite, which no method takes.
  /// @param nullspace     of Aᵀ; null where A is not singular; outlives this, as the preconditioner does
  /// @param is_two_sided  whether it is that of A, too
  ProjectedSystem(Context<S>& ctx, const Nullspace<T, S>* nullspace, bool is_two_sided,
                  Preconditioner<T, S>& preconditioner, MultiVectorView<const T, S> b, MultiVectorView<T, S> x)
      : nullspace_(nullspace), preconditioner_(&preconditioner), b_(b) {
    if (nullspace_ == nullptr) {
      return;
    }
    norms_of_rhs<T>(ctx, b);
    in_range_ = nullspace_->in_range(ctx, b);
    b_ = std::as_const(in_range_.b);
    if (is_two_sided) {
      if (std::ranges::all_of(norms<T>(ctx, x), [](double norm) { return std::isfinite(norm); })) {
        nullspace_->project(ctx, x);
      }
      projected_.emplace(preconditioner, *nullspace_);
    }
  }
  ProjectedSystem(const ProjectedSystem&) = delete;
  ProjectedSystem& operator=(const ProjectedSystem&) = delete;

  MultiVectorView<const T, S> b() const { return b_; }
  Preconditioner<T, S>& preconditioner() {
    return projected_ ? static_cast<Preconditioner<T, S>&>(*projected_) : *preconditioner_;
  }

  /// A method that was made with preconditioner(), to iterate with.
  std::unique_ptr<IterativeMethod<T, S>> projecting(std::unique_ptr<IterativeMethod<T, S>> method) const {
    return projected_ ? std::make_unique<ProjectedMethod<T, S>>(std::move(method), *nullspace_) : std::move(method);
  }

  /// Tells what was left out of b: see Projected.
  void tell(SolveResult& result) const {
    result.outside_range = in_range_.outside_range;
    result.outside_column = in_range_.outside_column;
  }

 private:
  const Nullspace<T, S>* nullspace_;
  Preconditioner<T, S>* preconditioner_;
  MultiVectorView<const T, S> b_;
  Projected<T, S> in_range_{};
  std::optional<ProjectedPreconditioner<T, S>> projected_{};
};

}  // namespace amgsolve
