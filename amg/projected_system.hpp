#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "amg/iterative_method.hpp"
#include "amg/nullspace.hpp"
#include "amg/preconditioner.hpp"
#include "core/collectively.hpp"
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
    if (columns_ != r.columns) {
      columns_ = 0;  // until they are there on all ranks
      collectively(ctx.communicator(), [&] { z_ = MultiVector<T, S>(ctx, r.rows, r.columns); });
      columns_ = r.columns;
    }
    copy<T, T>(ctx, preconditioner_->apply(ctx, r), z_);
    nullspace_->project(ctx, z_);
    return z_;
  }

 private:
  Preconditioner<T, S>* preconditioner_;
  const Nullspace<T, S>* nullspace_;
  MultiVector<T, S> z_;
  Index columns_ = 0;  ///< of z_, the same on all ranks
};

/// A x = b as a method takes it: of a singular A b without what no A x reaches, and where A takes the same to zero from
/// both sides a first guess and a preconditioner that stay orthogonal to that; of any other A what there is.
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
    in_range_ = nullspace_->in_range(ctx, b);
    b_ = std::as_const(in_range_.b);
    if (is_two_sided) {
      norms_of_rhs<T>(ctx, b_);
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

  /// Takes from x what rounding has put there, and tells the result what was left out of b.
  void finish(Context<S>& ctx, MultiVectorView<T, S> x, SolveResult& result) const {
    if (projected_) {
      nullspace_->project(ctx, x);
    }
    result.outside_range = in_range_.outside_range;
  }

 private:
  const Nullspace<T, S>* nullspace_;
  Preconditioner<T, S>* preconditioner_;
  MultiVectorView<const T, S> b_;
  Projected<T, S> in_range_{};
  std::optional<ProjectedPreconditioner<T, S>> projected_{};
};

}  // namespace amgsolve
