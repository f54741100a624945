#include "amg/gmres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "amg/diagonal.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

double inverse(double x) { return x > 0.0 ? 1.0 / x : 0.0; }

}  // namespace

template <class T, MemorySpace S>
Gmres<T, S>::Gmres(Context<S>& ctx, const Operator<T, S>& A, Preconditioner<T, S>& preconditioner, Index columns,
                   int length, bool flexible, bool rows_differ)
    : A_(&A),
      preconditioner_(&preconditioner),
      columns_(static_cast<std::size_t>(columns)),
      length_(static_cast<std::size_t>(length)),
      flexible_(flexible),
      equilibrates_(rows_differ),
      correction_(ctx, A.rows(), columns),
      combination_(ctx, A.rows(), columns),
      scalars_(ctx, (length_ + 1) * columns_),
      host_scalars_(scalars_.size()),
      triangle_(length_ * (length_ + 1) * columns_),
      projected_(scalars_.size()),
      rotations_(length_ * columns_),
      starts_(columns_),
      first_norms_(columns_),
      kept_(columns_, 1.0) {
  if (rows_differ) {
    const auto rows = static_cast<std::size_t>(A.rows());
    other_ = MultiVector<T, S>(ctx, A.rows(), columns);
    direction_ = MultiVector<T, S>(ctx, A.rows(), columns);
    scales_ = Buffer<T, S>(ctx, rows);
    sizes_ = Buffer<T, S>(ctx, rows);
    A.extract_diagonal(ctx, sizes_.span());
    equilibrate_rows<T>(ctx, std::as_const(sizes_).span(), scales_, sizes_);
  }
}

template <class T, MemorySpace S>
void Gmres<T, S>::restart(Context<S>&, Span<const double, S> units) {
  units_ = units;
  steps_ = 0;
  std::ranges::fill(kept_, 1.0);
}

template <class T, MemorySpace S>
MultiVectorView<T, S> Gmres<T, S>::basis(std::vector<MultiVector<T, S>>& vectors, Context<S>& ctx,
                                         std::size_t i) const {
  if (i == vectors.size()) {
    collectively(ctx.communicator(), [&] { vectors.emplace_back(ctx, A_->rows(), static_cast<Index>(columns_)); });
  }
  return vectors[i];
}

/// Those of host_scalars_ from a row on.
template <class T, MemorySpace S>
Span<double, S> Gmres<T, S>::upload_factors(Context<S>& ctx, std::size_t first, std::size_t count) {
  const Span<double, S> factors = scalars_.span().subspan(first * columns_, count * columns_);
  upload<double>(ctx, {host_scalars_.data() + first * columns_, factors.size()}, factors);
  return factors;
}

template <class T, MemorySpace S>
void Gmres<T, S>::begin(Context<S>& ctx, MultiVectorView<const T, S> r) {
  ScopedTimer timer(ctx, "krylov", 0);
  const Span<double, S> squares = scalars_.span().subspan(0, columns_);
  const auto norms_of = [&](MultiVectorView<const T, S> x, std::vector<double>& results) {
    dot<T>(ctx, x, x, squares);
    to_host(ctx, squares, host_scalars_.data());
    std::ranges::transform(host_scalars_.begin(), host_scalars_.begin() + std::ssize(results), results.begin(),
                           [](double square) { return std::sqrt(square); });
  };
  norms_of(r, first_norms_);
  starts_ = first_norms_;
  MultiVectorView<const T, S> first = r;
  if (equilibrates_) {
    scale_rows<T>(ctx, std::as_const(scales_).span(), r, other_);
    first = std::as_const(other_).view();
    norms_of(first, starts_);
  }
  for (std::size_t c = 0; c < columns_; ++c) {
    projected_[c] = starts_[c];
    host_scalars_[c] = inverse(starts_[c]);
  }
  scale_columns<T, T>(ctx, upload_factors(ctx, 0, 1), first, basis(basis_, ctx, 0));
  if (equilibrates_) {
    copy<T, T>(ctx, basis_[0], direction_);
  }
}

/// The next vector of the basis from w = A M⁻¹ of the last one; the coefficients go to host_scalars_.
template <class T, MemorySpace S>
void Gmres<T, S>::orthogonalise(Context<S>& ctx, MultiVectorView<T, S> w) {
  const auto coefficient = [&](std::size_t i) { return scalars_.span().subspan(i * columns_, columns_); };
  for (std::size_t i = 0; i <= steps_; ++i) {
    dot<T>(ctx, w, basis_[i].view(), coefficient(i));
    add_columns<T>(ctx, coefficient(i), {}, basis_[i].view(), w, -1.0);
  }
  dot<T>(ctx, w, w, coefficient(steps_ + 1));
  to_host(ctx, scalars_.span().subspan(0, (steps_ + 2) * columns_), host_scalars_.data());
}

/// Brings the newest coefficients of a column to triangular form, and what is left of the residual with them.
template <class T, MemorySpace S>
std::optional<StopReason> Gmres<T, S>::rotate(std::size_t column) {
  const auto at = [&](std::size_t i) { return i * columns_ + column; };
  double square = 0.0;
  for (std::size_t i = 0; i <= steps_ + 1; ++i) {
    square += host_scalars_[at(i)] * host_scalars_[at(i)];
  }
  for (std::size_t i = 0; i <= steps_ + 1; ++i) {
    entry(i, steps_, column) = std::isfinite(square) ? host_scalars_[at(i)] : 0.0;
  }
  const auto turn = [&](const Rotation& by, double& upper, double& lower) {
    const double turned = by.cosine * upper + by.sine * lower;
    lower = by.cosine * lower - by.sine * upper;
    upper = turned;
  };
  for (std::size_t i = 0; i < steps_; ++i) {
    turn(rotations_[at(i)], entry(i, steps_, column), entry(i + 1, steps_, column));
  }
  double& pivot = entry(steps_, steps_, column);
  const double below = entry(steps_ + 1, steps_, column);
  const double length = std::hypot(pivot, below);
  const bool is_new = length > static_cast<double>(std::numeric_limits<T>::epsilon()) * std::sqrt(square);
  // A step that leads nowhere leaves the residual to the next one.
  rotations_[at(steps_)] = is_new ? Rotation{pivot / length, below / length} : Rotation{0.0, 1.0};
  pivot = is_new ? length : 0.0;
  projected_[at(steps_ + 1)] = 0.0;
  turn(rotations_[at(steps_)], projected_[at(steps_)], projected_[at(steps_ + 1)]);
  if (!std::isfinite(square)) {
    return StopReason::not_finite;
  }
  return is_new ? std::nullopt : std::optional(StopReason::exhausted);
}

/// Brings the direction of D⁻¹ r up to date, with the newest vector of the basis; ‖D q_j‖² go to host_scalars_.
template <class T, MemorySpace S>
void Gmres<T, S>::turn_direction(Context<S>& ctx, MultiVectorView<const T, S> newest) {
  for (std::size_t c = 0; c < columns_; ++c) {
    const Rotation& by = rotations_[steps_ * columns_ + c];
    host_scalars_[c] = -by.sine;
    host_scalars_[columns_ + c] = by.cosine;
  }
  const Span<const double, S> factors = upload_factors(ctx, 0, 2);
  scale_columns<T, T>(ctx, factors.subspan(0, columns_), std::as_const(direction_), direction_);
  add_columns<T>(ctx, factors.subspan(columns_, columns_), {}, newest, direction_);
  scale_rows<T>(ctx, std::as_const(sizes_).span(), std::as_const(direction_), other_);
  const Span<double, S> squares = scalars_.span().subspan(0, columns_);
  dot<T>(ctx, std::as_const(other_), std::as_const(other_), squares);
  to_host(ctx, squares, host_scalars_.data());
}

template <class T, MemorySpace S>
void Gmres<T, S>::step(Context<S>& ctx, MultiVectorView<T, S> x, MultiVectorView<T, S> r,
                       std::span<StepOutcome> columns) {
  if (steps_ == length_) {
    finish(ctx, x);
    ScopedTimer timer(ctx, "krylov", 0);
    axpby<T>(ctx, T{-1}, std::as_const(combination_), T{1}, r);
  }
  if (steps_ == 0) {
    begin(ctx, r);
  }
  MultiVectorView<const T, S> v = std::as_const(basis_[steps_]).view();
  if (equilibrates_) {
    scale_rows<T>(ctx, std::as_const(sizes_).span(), v, other_);
    v = std::as_const(other_).view();
  }
  const MultiVectorView<const T, S> z = preconditioner_->apply(ctx, v);
  ScopedTimer timer(ctx, "krylov", 0);
  if (flexible_) {
    copy<T, T>(ctx, z, basis(preconditioned_, ctx, steps_));
  }
  const MultiVectorView<T, S> w = basis(basis_, ctx, steps_ + 1);
  A_->apply(ctx, T{1}, z, T{0}, w);
  if (equilibrates_) {
    scale_rows<T>(ctx, std::as_const(scales_).span(), w, w);
  }
  orthogonalise(ctx, w);
  for (std::size_t c = 0; c < columns_; ++c) {
    double& norm = host_scalars_[(steps_ + 1) * columns_ + c];
    norm = std::sqrt(norm);
    const std::optional<StopReason> breakdown = rotate(c);
    norm = inverse(norm);
    columns[c] = {std::abs(projected_[(steps_ + 1) * columns_ + c]), breakdown};
    if (kept_[c] == 0.0) {
      columns[c] = {first_norms_[c], breakdown.value_or(StopReason::exhausted)};
    }
  }
  scale_columns<T, T>(ctx, upload_factors(ctx, steps_ + 1, 1), w, w);
  if (equilibrates_) {
    turn_direction(ctx, w);
    for (std::size_t c = 0; c < columns_; ++c) {
      columns[c].residual_norm *= kept_[c] == 0.0 ? 1.0 : std::sqrt(host_scalars_[c]);
    }
  }
  ++steps_;
}

/// x += the combination of the steps that leaves the smallest residual, where that is no larger than before.
/// combination_ becomes A times what was added, without its unit.
template <class T, MemorySpace S>
void Gmres<T, S>::finish(Context<S>& ctx, MultiVectorView<T, S> x) {
  const double slack = std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon()));
  if (steps_ == 0) {
    return;
  }
  ScopedTimer timer(ctx, "krylov", 0);
  for (std::size_t c = 0; c < columns_; ++c) {
    for (std::size_t i = steps_; i-- > 0;) {
      double sum = projected_[i * columns_ + c];
      for (std::size_t k = i + 1; k < steps_; ++k) {
        sum -= entry(i, k, c) * host_scalars_[k * columns_ + c];
      }
      const double pivot = entry(i, i, c);
      host_scalars_[i * columns_ + c] = pivot != 0.0 ? sum / pivot : 0.0;
    }
  }
  const Span<double, S> factors = upload_factors(ctx, 0, steps_);
  const MultiVectorView<T, S> sum = flexible_ ? correction_.view() : combination_.view();
  fill<T>(ctx, T{0}, sum);
  for (std::size_t i = 0; i < steps_; ++i) {
    add_columns<T>(ctx, factors.subspan(i * columns_, columns_), {}, (flexible_ ? preconditioned_ : basis_)[i].view(),
                   sum);
  }
  if (!flexible_) {
    if (equilibrates_) {
      scale_rows<T>(ctx, std::as_const(sizes_).span(), sum, sum);
    }
    copy<T, T>(ctx, preconditioner_->apply(ctx, sum), correction_);
  }
  A_->apply(ctx, T{1}, std::as_const(correction_), T{0}, combination_);
  const std::vector<double> sizes = norms<T>(ctx, std::as_const(correction_));
  MultiVectorView<const T, S> change = std::as_const(combination_).view();
  if (equilibrates_) {
    scale_rows<T>(ctx, std::as_const(scales_).span(), change, other_);
    change = std::as_const(other_).view();
  }
  dot<T>(ctx, basis_[0].view(), change, scalars_.span().subspan(0, columns_));
  dot<T>(ctx, change, change, scalars_.span().subspan(columns_, columns_));
  to_host(ctx, scalars_.span().subspan(0, 2 * columns_), host_scalars_.data());
  for (std::size_t c = 0; c < columns_; ++c) {
    const double start = starts_[c];
    const double growth = host_scalars_[columns_ + c] - 2.0 * start * host_scalars_[c];  // of the residual's square
    kept_[c] = std::isfinite(sizes[c]) && growth <= slack * start * start ? 1.0 : 0.0;
    host_scalars_[c] = kept_[c];
  }
  const Span<double, S> kept = upload_factors(ctx, 0, 1);
  for (MultiVector<T, S>* const vector : {&correction_, &combination_}) {
    scale_columns<T, T>(ctx, kept, std::as_const(*vector), *vector);
  }
  add_columns<T>(ctx, units_, {}, std::as_const(correction_), x);
  steps_ = 0;
}

#define AMGSOLVE_INSTANTIATE(T, S) template class Gmres<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
