#include "amg/bicgstab.hpp"

#include <cmath>
#include <limits>

#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

constexpr std::size_t factor_place = 2;  // after the inner products
constexpr std::size_t bicgstab_scalars = 3;

/// Whether an inner product is nothing but rounding beside the norms of its factors.
template <class T>
bool vanishes(double product, double norms) {
  return !(std::abs(product) > static_cast<double>(std::numeric_limits<T>::epsilon()) * norms);
}

}  // namespace

template <class T, MemorySpace S>
BiCgStab<T, S>::BiCgStab(Context<S>& ctx, const Operator<T, S>& A, Preconditioner<T, S>& preconditioner, Index columns)
    : A_(&A),
      preconditioner_(&preconditioner),
      columns_(static_cast<std::size_t>(columns)),
      shadow_(ctx, A.rows(), columns),
      p_(ctx, A.rows(), columns),
      v_(ctx, A.rows(), columns),
      t_(ctx, A.rows(), columns),
      scalars_(ctx, bicgstab_scalars * columns_.size()),
      host_scalars_(scalars_.size()) {}

template <class T, MemorySpace S>
void BiCgStab<T, S>::restart(Context<S>& ctx, Span<const double, S> units) {
  to_host(ctx, units, host_scalars_.data());
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    columns_[j] = {.unit = host_scalars_[j]};
  }
  is_first_ = true;
}

/// value(column) of all columns, in the vectors' memory; until the next call.
template <class T, MemorySpace S>
template <class Value>
Span<const double, S> BiCgStab<T, S>::factors(Context<S>& ctx, const Value& value) {
  double* const host = host_scalars_.data() + factor_place * columns_.size();
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    host[j] = value(columns_[j]);
  }
  upload<double>(ctx, {host, columns_.size()}, scalar(factor_place));
  return scalar(factor_place);
}

/// p = r + β (p − ω v)
template <class T, MemorySpace S>
void BiCgStab<T, S>::set_direction(Context<S>& ctx, MultiVectorView<const T, S> r) {
  if (is_first_) {
    copy<T, T>(ctx, r, shadow_);
    copy<T, T>(ctx, r, p_);
    dot<T>(ctx, r, r, scalar(0));
    to_host(ctx, scalar(0), host_scalars_.data());
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      columns_[j].rho = host_scalars_[j];
    }
    is_first_ = false;
    return;
  }
  add_columns<T>(ctx, factors(ctx, [](const Column& column) { return column.omega; }), {}, std::as_const(v_), p_, -1.0);
  scale_columns<T, T>(ctx, factors(ctx, [](const Column& column) { return column.beta; }), std::as_const(p_), p_);
  axpby<T>(ctx, T{1}, r, T{1}, p_);
}

/// x += length · direction, in units of x, and r −= length · product.
template <class T, MemorySpace S>
void BiCgStab<T, S>::move(Context<S>& ctx, double Column::*length, MultiVectorView<const T, S> direction,
                          MultiVectorView<const T, S> product, MultiVectorView<T, S> x, MultiVectorView<T, S> r) {
  add_columns<T>(ctx, factors(ctx, [=](const Column& column) { return column.unit * (column.*length); }), {}, direction,
                 x);
  add_columns<T>(ctx, factors(ctx, [=](const Column& column) { return column.*length; }), {}, product, r, -1.0);
}

template <class T, MemorySpace S>
void BiCgStab<T, S>::step(Context<S>& ctx, MultiVectorView<T, S> x, MultiVectorView<T, S> r,
                          std::span<StepOutcome> columns) {
  constexpr auto epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  const auto value = [&](std::size_t i, std::size_t j) { return host_scalars_[i * columns_.size() + j]; };
  const auto fetch = [&] { to_host(ctx, scalars_.span().subspan(0, 2 * columns_.size()), host_scalars_.data()); };
  const auto break_down = [](Column& column, double product) {
    column.breakdown = std::isfinite(product) ? StopReason::exhausted : StopReason::not_finite;
    column.is_over = true;
  };
  {
    ScopedTimer timer(ctx, "krylov", 0);
    set_direction(ctx, r);
  }
  MultiVectorView<const T, S> z = preconditioner_->apply(ctx, std::as_const(p_));
  {
    ScopedTimer timer(ctx, "krylov", 0);
    A_->apply(ctx, T{1}, z, T{0}, v_);
    dot<T>(ctx, shadow_, v_, scalar(0));
    dot<T>(ctx, v_, v_, scalar(1));
    fetch();
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      Column& column = columns_[j];
      // The shadow's norm is about 1.
      if (!column.is_over && vanishes<T>(value(0, j), std::sqrt(value(1, j)))) {
        break_down(column, value(0, j));
      }
      column.alpha = column.is_over ? 0.0 : column.rho / value(0, j);
    }
    move(ctx, &Column::alpha, z, v_, x, r);
  }
  z = preconditioner_->apply(ctx, r);
  ScopedTimer timer(ctx, "krylov", 0);
  A_->apply(ctx, T{1}, z, T{0}, t_);
  dot<T>(ctx, t_, r, scalar(0));
  dot<T>(ctx, t_, t_, scalar(1));
  fetch();
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    Column& column = columns_[j];
    column.omega = column.is_over || value(1, j) == 0.0 ? 0.0 : value(0, j) / value(1, j);
    if (!std::isfinite(column.omega)) {
      break_down(column, column.omega);
      column.omega = 0.0;
    }
    column.share = column.omega * std::sqrt(value(1, j));
  }
  move(ctx, &Column::omega, z, t_, x, r);
  dot<T>(ctx, shadow_, r, scalar(0));
  dot<T>(ctx, r, r, scalar(1));
  fetch();
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    Column& column = columns_[j];
    const double norm = std::sqrt(value(1, j));
    if (!column.is_over && (norm <= epsilon || vanishes<T>(value(0, j), norm) || vanishes<T>(column.share, norm))) {
      break_down(column, value(1, j));
    } else if (!column.is_over && norm > diverging_growth) {
      column.breakdown = StopReason::diverged;
      column.is_over = true;
    }
    column.beta = column.is_over ? 0.0 : value(0, j) / column.rho * (column.alpha / column.omega);
    column.rho = value(0, j);
    columns[j] = {norm, column.breakdown};
  }
}

#define AMGSOLVE_INSTANTIATE(T, S) template class BiCgStab<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
