#pragma once

#include "amg/nullspace.hpp"
#include "amg/preconditioner.hpp"
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
    if (z_.rows() != r.rows || z_.columns() != r.columns) {
      z_ = MultiVector<T, S>(ctx, r.rows, r.columns);
    }
    copy<T, T>(ctx, preconditioner_->apply(ctx, r), z_);
    nullspace_->project(ctx, z_);
    return z_;
  }

 private:
  Preconditioner<T, S>* preconditioner_;
  const Nullspace<T, S>* nullspace_;
  MultiVector<T, S> z_;
};

}  // namespace amgsolve
