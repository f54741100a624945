#include "amg/conjugate_gradients.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <variant>

#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

// The scalars of a step.
constexpr std::size_t rho = 0;              // rᵀz
constexpr std::size_t last_rho = 1;         // of the step before
constexpr std::size_t curvature = 2;        // pᵀA p
constexpr std::size_t residual_square = 3;  // rᵀr
constexpr std::size_t conjugation = 4;      // zᵀA p of the last p, for the flexible β
constexpr std::size_t cg_scalars = 5;

std::optional<StopReason> breakdown(double rTz, double pAp, double first_rTz) {
  if (!std::isfinite(rTz) || !std::isfinite(pAp)) {
    return StopReason::not_finite;
  }
  if (rTz < 0.0) {
    return StopReason::indefinite_preconditioner;
  }
  if (rTz == 0.0) {
    return StopReason::exhausted;
  }
  if (pAp <= 0.0) {
    return StopReason::indefinite_matrix;
  }
  return rTz > diverging_growth * first_rTz ? std::optional(StopReason::diverged) : std::nullopt;
}

}  // namespace

template <class T, MemorySpace S>
ConjugateGradients<T, S>::ConjugateGradients(Context<S>& ctx, const Operator<T, S>& A,
                                             Preconditioner<T, S>& preconditioner, Index columns, bool flexible)
    : A_(&A),
      preconditioner_(&preconditioner),
      flexible_(flexible),
      columns_(static_cast<std::size_t>(columns)),
      p_(ctx, A.rows(), columns, A.margins()),
      q_(ctx, A.rows(), columns),
      scalars_(ctx, cg_scalars * columns_),
      host_scalars_(cg_scalars * columns_),
      units_(ctx, columns) {
  // A fresh direction is z + 0 p; p must be finite all the same.
  fill<T>(ctx, T{0}, p_);
  fill<T>(ctx, T{0}, q_);
}

template <class T, MemorySpace S>
void ConjugateGradients<T, S>::restart(Context<S>& ctx, Span<const double, S> units) {
  // A denominator of 0 makes β = 0.
  fill<double>(ctx, 0.0, MultiVectorView<double, S>(scalars_.data(), static_cast<Index>(scalars_.size())));
  first_rho_.clear();
  units_.restart(ctx, units);
  is_rounded_ = false;
}

template <class T, MemorySpace S>
void ConjugateGradients<T, S>::step(Context<S>& ctx, MultiVectorView<T, S> x, MultiVectorView<T, S> r,
                                    std::span<StepOutcome> columns) {
  const MultiVectorView<float, S> rounded = preconditioner_->rounded(ctx, r);
  if (rounded.data != nullptr && !is_rounded_) {
    ScopedTimer timer(ctx, "conversion");
    copy<T, float>(ctx, r, rounded);
    is_rounded_ = true;
  }
  const WorkArguments arguments{std::bit_cast<std::uintptr_t>(x.data), std::bit_cast<std::uintptr_t>(r.data)};
  if (A_->is_stored()) {
    repeated_.run(ctx, arguments, [&] { return advance(ctx, x, r, rounded); });
  } else {  // what forms the products is not ours
    advance(ctx, x, r, rounded);
  }
  to_host(ctx, scalars_, host_scalars_.data());

  const auto value = [&](std::size_t i, std::size_t j) { return host_scalars_[i * columns_ + j]; };
  const bool is_first = first_rho_.empty();
  for (std::size_t j = 0; j < columns_; ++j) {
    if (is_first) {
      first_rho_.push_back(value(rho, j));
    }
    columns[j] = {std::sqrt(value(residual_square, j)), breakdown(value(rho, j), value(curvature, j), first_rho_[j])};
  }
}

template <class T, MemorySpace S>
std::monostate ConjugateGradients<T, S>::advance(Context<S>& ctx, MultiVectorView<T, S> x, MultiVectorView<T, S> r,
                                                 MultiVectorView<float, S> rounded) {
  const FormedVectors<T, S> formed = preconditioner_->apply_up_to_scale(ctx, r, rounded.data != nullptr);
  ScopedTimer timer(ctx, "krylov", 0);
  copy<double, double>(ctx, as_column(rho), as_column(last_rho));
  std::visit(
      [&]<class U>(MultiVectorView<const U, S> z) {
        dot<T, U>(ctx, r, z, scalar(rho));
        if (flexible_) {
          dot<T, U>(ctx, q_, z, scalar(conjugation));
          cg_direction<T, U>(ctx, scalar(conjugation), scalar(curvature), z, p_, -1.0);
        } else {
          cg_direction<T, U>(ctx, scalar(rho), scalar(last_rho), z, p_);
        }
      },
      formed);
  A_->apply(ctx, T{1}, std::as_const(p_), T{0}, q_);
  dot<T>(ctx, p_, q_, scalar(curvature));
  cg_update<T>(ctx, scalar(rho), scalar(curvature), units_.values(), p_, q_, x, r, scalar(residual_square), rounded);
  return {};
}

#define AMGSOLVE_INSTANTIATE(T, S) template class ConjugateGradients<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
