#include "amg/minres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/copy.hpp"
#include "core/instantiate.hpp"
#include "core/power_of_two.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {

template <class T, MemorySpace S>
Minres<T, S>::Minres(Context<S>& ctx, const Operator<T, S>& A, Preconditioner<T, S>& preconditioner, Index columns)
    : A_(&A),
      preconditioner_(&preconditioner),
      columns_(static_cast<std::size_t>(columns)),
      v_(ctx, A.rows(), columns),
      last_v_(ctx, A.rows(), columns),
      next_v_(ctx, A.rows(), columns),
      z_(ctx, A.rows(), columns),
      w_(ctx, A.rows(), columns),
      last_w_(ctx, A.rows(), columns),
      scalars_(ctx, 2 * columns_.size()),
      host_products_(columns_.size()),
      host_factors_(columns_.size()) {}

template <class T, MemorySpace S>
void Minres<T, S>::restart(Context<S>& ctx, Span<const double, S> units) {
  to_host(ctx, units, host_products_.data());
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    columns_[j] = {.unit = host_products_[j]};
  }
  is_first_ = true;
  scale_ = 1.0;
}

template <class T, MemorySpace S>
void Minres<T, S>::Drift::add(double new_part, double of_w, double of_last_w, double length, double roundoff) {
  direction_.advance(of_w, of_last_w, new_part * new_part);
  error_.advance(of_w, of_last_w, roundoff * roundoff * direction_.square);
  const double with_next = of_w * with_error_ + of_last_w * with_last_error_;
  square_ = std::max(square_ + length * (2 * with_next + length * error_.square), 0.0);
  with_last_error_ = with_error_ + length * error_.product;
  with_error_ = with_next + length * error_.square;
}

/// value(column) of all columns, in the vectors' memory; until the next call.
template <class T, MemorySpace S>
template <class Value>
Span<const double, S> Minres<T, S>::factors(Context<S>& ctx, const Value& value) {
  std::ranges::transform(columns_, host_factors_.begin(), value);
  upload<double>(ctx, {host_factors_.data(), host_factors_.size()}, scalar(1));
  return scalar(1);
}

/// aᵀb of all columns; until the next call.
template <class T, MemorySpace S>
const std::vector<double>& Minres<T, S>::inner_products(Context<S>& ctx, MultiVectorView<const T, S> a,
                                                        MultiVectorView<const T, S> b) {
  dot<T>(ctx, a, b, scalar(0));
  to_host(ctx, scalar(0), host_products_.data());
  return host_products_;
}

/// z_ = z / γ
template <class T, MemorySpace S>
void Minres<T, S>::normalize(Context<S>& ctx, MultiVectorView<const T, S> z) {
  scale_columns<T, T>(ctx, factors(ctx, [this](const Column& k) { return k.is_over ? 0.0 : 1.0 / (scale_ * k.gamma); }),
                      z, z_);
}

template <class T, MemorySpace S>
void Minres<T, S>::begin(Context<S>& ctx, MultiVectorView<const T, S> r) {
  copy<T, T>(ctx, r, v_);
  for (MultiVector<T, S>* const vector : {&last_v_, &w_, &last_w_}) {
    fill<T>(ctx, T{0}, *vector);
  }
  const MultiVectorView<const T, S> z = preconditioner_->apply(ctx, std::as_const(v_));
  const std::vector<double>& squares = inner_products(ctx, z, std::as_const(v_));
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    Column& column = columns_[j];
    column.gamma = column.eta = column.start = column.least = std::sqrt(std::max(squares[j], 0.0));
    if (!(squares[j] >= 0.0)) {
      column.stop(std::isfinite(squares[j]) ? StopReason::indefinite_preconditioner : StopReason::not_finite);
    } else if (squares[j] == 0.0) {
      column.stop();
    }
  }
  normalize(ctx, z);
  // γ is as large as M⁻¹ᐟ² now, and the vectors that follow would be as large as M¹ᐟ².
  double largest = 0.0;
  for (const Column& column : columns_) {
    largest = std::max(largest, column.is_over ? 0.0 : column.gamma);
  }
  scale_ = power_of_two_below(largest);
  scale_columns<T, T>(ctx, factors(ctx, [this](const Column&) { return scale_; }), std::as_const(v_), v_);
  is_first_ = false;
}

/// Takes the new column of the tridiagonal matrix, whose entries are γ, δ and the root of gamma_squared.
template <class T, MemorySpace S>
void Minres<T, S>::rotate(Column& column, double gamma_squared) const {
  constexpr auto epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  if (column.is_over) {
    return;
  }
  const auto& [c, s] = column.rotation;
  const auto& [last_c, last_s] = column.last_rotation;
  const double next_gamma = std::sqrt(std::max(gamma_squared, 0.0));
  const double rotated = c * column.delta - last_c * s * column.gamma;
  const double pivot = std::hypot(rotated, next_gamma);
  const double before = s != 0.0 ? column.gamma : 0.0;  // which at first is ‖r‖, and no entry of the matrix
  column.norm = std::max(column.norm, before + std::abs(column.delta) + next_gamma);
  if (!std::isfinite(gamma_squared) || !std::isfinite(pivot)) {
    column.stop(StopReason::not_finite);
    return;
  }
  if (gamma_squared < 0.0) {
    column.stop(StopReason::indefinite_preconditioner);
    return;
  }
  if (pivot <= epsilon * column.norm) {
    column.stop(StopReason::singular);
    return;
  }
  column.inverse_pivot = 1.0 / pivot;
  column.of_w = -(s * column.delta + last_c * c * column.gamma) / pivot;
  column.of_last_w = -last_s * column.gamma / pivot;
  column.last_rotation = std::exchange(column.rotation, {rotated / pivot, next_gamma / pivot});
  column.length = column.rotation.c * column.eta;
  column.keep = column.rotation.s * column.rotation.s;
  column.eta *= -column.rotation.s;
  column.last_gamma = std::exchange(column.gamma, next_gamma);
  column.drift.add(column.inverse_pivot, column.of_w, column.of_last_w, column.length, epsilon / 2.0 * column.norm);
  const double expected = std::hypot(column.eta, column.drift.norm());
  column.least = std::min(column.least, expected);
  if (expected > 2.0 * column.least) {
    column.stop(expected > most_left_over * column.start ? StopReason::singular : StopReason::stagnated);
  }
}

template <class T, MemorySpace S>
void Minres<T, S>::step(Context<S>& ctx, MultiVectorView<T, S> x, MultiVectorView<T, S> r,
                        std::span<StepOutcome> columns) {
  constexpr auto epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  if (is_first_) {
    begin(ctx, r);
  }
  {
    ScopedTimer timer(ctx, "krylov", 0);
    A_->apply(ctx, static_cast<T>(scale_), std::as_const(z_), T{0}, next_v_);
    const std::vector<double>& deltas = inner_products(ctx, std::as_const(z_), std::as_const(next_v_));
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      columns_[j].delta = deltas[j] / scale_;
    }
    add_columns<T>(ctx, factors(ctx, [](const Column& k) { return k.is_over ? 0.0 : k.delta / k.gamma; }), {},
                   std::as_const(v_), next_v_, -1.0);
    add_columns<T>(ctx, factors(ctx, [](const Column& k) { return k.is_over ? 0.0 : k.gamma / k.last_gamma; }), {},
                   std::as_const(last_v_), next_v_, -1.0);
    std::swap(last_v_, v_);
    std::swap(v_, next_v_);
  }
  const MultiVectorView<const T, S> z = preconditioner_->apply(ctx, std::as_const(v_));
  ScopedTimer timer(ctx, "krylov", 0);
  const std::vector<double>& squares = inner_products(ctx, z, std::as_const(v_));
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    rotate(columns_[j], squares[j] / scale_ / scale_);
  }
  // The next direction takes the place of the one before the last.
  scale_columns<T, T>(ctx, factors(ctx, [](const Column& k) { return k.of_last_w; }), std::as_const(last_w_), last_w_);
  add_columns<T>(ctx, factors(ctx, [](const Column& k) { return k.of_w; }), {}, std::as_const(w_), last_w_);
  add_columns<T>(ctx, factors(ctx, [](const Column& k) { return k.inverse_pivot; }), {}, std::as_const(z_), last_w_);
  std::swap(w_, last_w_);
  add_columns<T>(ctx, factors(ctx, [](const Column& k) { return k.unit * k.length; }), {}, std::as_const(w_), x);
  // What is left of b − A x lies along the last of the rotated vectors.
  scale_columns<T, T>(ctx, factors(ctx, [](const Column& k) { return k.keep; }), r, r);
  add_columns<T>(ctx, factors(ctx, [this](const Column& k) { return k.length * k.inverse_pivot / scale_; }), {},
                 std::as_const(v_), r, -1.0);
  const std::vector<double>& residuals = inner_products(ctx, r, r);
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    Column& column = columns_[j];
    const double norm = std::sqrt(residuals[j]);
    if (norm <= epsilon || column.gamma == 0.0) {
      column.stop();
    }
    columns[j] = {norm, column.breakdown};
  }
  normalize(ctx, z);
}

#define AMGSOLVE_INSTANTIATE(T, S) template class Minres<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
