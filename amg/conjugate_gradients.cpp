#include "amg/conjugate_gradients.hpp"

#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

// The scalars after the two of rᵀz.
constexpr std::size_t curvature = 2;        // pᵀA p
constexpr std::size_t residual_square = 3;  // rᵀr
constexpr std::size_t conjugation = 4;      // zᵀA p of the last p, for the flexible β
constexpr std::size_t scalar_count = 5;

}  // namespace

template <class T, MemorySpace S>
ConjugateGradients<T, S>::ConjugateGradients(Context<S>& ctx, const Operator<T, S>& A,
                                             Preconditioner<T, S>& preconditioner, Index columns, bool flexible)
    : A_(&A),
      preconditioner_(&preconditioner),
      flexible_(flexible),
      columns_(static_cast<std::size_t>(columns)),
      p_(ctx, A.rows(), columns),
      q_(ctx, A.rows(), columns),
      scalars_(ctx, scalar_count * columns_),
      host_scalars_(scalar_count * columns_) {
  // A fresh direction is z + 0 p; p must be finite all the same.
  fill<T>(ctx, T{0}, p_);
  fill<T>(ctx, T{0}, q_);
}

template <class T, MemorySpace S>
void ConjugateGradients<T, S>::restart(Context<S>& ctx) {
  // A denominator of 0 makes β = 0.
  fill<double>(ctx, 0.0, FatView<double, S>(scalars_.data(), static_cast<Index>(scalars_.size())));
}

template <class T, MemorySpace S>
std::optional<StopReason> ConjugateGradients<T, S>::step(Context<S>& ctx, FatView<T, S> x, FatView<T, S> r,
                                                         std::span<double> residual_squared) {
  const FatView<const T, S> z = preconditioner_->apply(ctx, r);
  ScopedTimer timer(ctx, "krylov", 0);
  rho_ = 1 - rho_;
  dot<T>(ctx, r, z, scalar(rho_));
  if (flexible_) {
    dot<T>(ctx, z, q_, scalar(conjugation));
    cg_direction<T>(ctx, scalar(conjugation), scalar(curvature), z, p_, -1.0);
  } else {
    cg_direction<T>(ctx, scalar(rho_), scalar(1 - rho_), z, p_);
  }
  A_->apply(ctx, T{1}, std::as_const(p_), T{0}, q_);
  dot<T>(ctx, p_, q_, scalar(curvature));
  cg_update<T>(ctx, scalar(rho_), scalar(curvature), p_, q_, x, r, scalar(residual_square));
  to_host(ctx, scalars_, host_scalars_.data());

  std::optional<StopReason> breakdown;
  for (std::size_t j = 0; j < columns_; ++j) {
    residual_squared[j] = host_scalars_[residual_square * columns_ + j];
    const double rho = host_scalars_[rho_ * columns_ + j];
    if (rho < 0.0) {
      breakdown = StopReason::indefinite_preconditioner;
    } else if (rho > 0.0 && host_scalars_[curvature * columns_ + j] <= 0.0) {
      breakdown = StopReason::indefinite_matrix;
    }
  }
  return breakdown;
}

#define AMGSOLVE_INSTANTIATE(T, S) template class ConjugateGradients<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
