#include "amg/iterative_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "amg/diagonal.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/power_of_two.hpp"
#include "core/shared_blocks.hpp"
#include "core/timer.hpp"
#include "dist/partition.hpp"
#include "spmv/blas1.hpp"
#include "spmv/statistics.hpp"
#include "spmv/whole_size.hpp"

namespace amgsolve {
namespace {

/// Units fit into T.
template <class T>
constexpr double largest_unit = sizeof(T) == sizeof(float) ? 0x1p120 : 0x1p1000;

/// On a device the phases of one of so many iterations are timed.
constexpr int timed_iterations = 16;

/// A residual in units of its columns.
template <class T, MemorySpace S>
class Residual {
 public:
  /// @param enough  norms of a column's residual up to which nothing is asked of the scaled one
  Residual(Context<S>& ctx, Index rows, std::vector<double> enough)
      : enough_(std::move(enough)), host_units_(2 * enough_.size()) {
    const auto columns = static_cast<Index>(enough_.size());
    collectively(ctx.communicator(), [&] {
      r_ = MultiVector<T, S>(ctx, rows, columns);
      units_ = Buffer<double, S>(ctx, host_units_.size());
    });
  }

  /// The true residual, which this becomes in settle(). Returns what that says of x.
  std::vector<Judgement> judge(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> b,
                               MultiVectorView<const T, S> x) {
    ScopedTimer timer(ctx, "true residual", 0);
    collectively(ctx.communicator(), [&] { judged_.emplace(ctx, b.rows, b.columns); });
    A.judged_residual(ctx, b, x, *judged_, r_);
    judgements_ = judgements(ctx, A, b, std::as_const(*judged_), r_);
    return judgements_;
  }

  /// Before a method works with it: most solves end with what is judged.
  void settle(Context<S>& ctx) {
    if (judged_) {
      ScopedTimer timer(ctx, "true residual", 0);
      take<double>(ctx, std::as_const(*judged_), judgements_);
      judged_.reset();
    }
  }

  /// What the true residual says of x, while this stays what a method works with.
  std::vector<Judgement> look_at(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> b,
                                 MultiVectorView<const T, S> x) const {
    ScopedTimer timer(ctx, "true residual", 0);
    MultiVector<double, S> residual;
    MultiVector<T, S> magnitudes;
    collectively(ctx.communicator(), [&] {
      residual = MultiVector<double, S>(ctx, b.rows, b.columns);
      magnitudes = MultiVector<T, S>(ctx, b.rows, b.columns);
    });
    A.judged_residual(ctx, b, x, residual, magnitudes);
    return judgements(ctx, A, b, std::as_const(residual), magnitudes);
  }

  /// The same of x = 0, of which b is the residual.
  std::vector<Judgement> judge_zero(Context<S>& ctx, MultiVectorView<const T, S> b,
                                    const std::vector<double>& b_norms) {
    ScopedTimer timer(ctx, "true residual", 0);
    std::vector<Judgement> columns = judgements(b_norms, b_norms);
    take<T>(ctx, b, columns);
    return columns;
  }

  /// ‖D⁻¹ r‖ / ‖x‖ of the columns, 0 where x is, or where there is no memory for D and D⁻¹ r; of the rows whose
  /// diagonal entries are positive. Only of what is settled.
  std::vector<double> jacobi_changes(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> x) const {
    ScopedTimer timer(ctx, "true residual", 0);
    Buffer<T, S> diagonal;
    MultiVector<T, S> step;
    try {
      collectively(ctx.communicator(), [&] {
        diagonal = Buffer<T, S>(ctx, static_cast<std::size_t>(x.rows));
        step = MultiVector<T, S>(ctx, x.rows, x.columns);
      });
    } catch (const OutOfMemoryError&) {
      return std::vector<double>(static_cast<std::size_t>(x.columns));
    }
    A.extract_diagonal(ctx, diagonal);
    invert_diagonal<T, S>(ctx, std::as_const(diagonal).span(), diagonal.span());
    scale_rows<T>(ctx, std::as_const(diagonal).span(), std::as_const(r_).view(), step);
    std::vector<double> changes = norms<T>(ctx, std::as_const(step));
    const std::vector<double> sizes = norms<T>(ctx, x);
    for (std::size_t j = 0; j < changes.size(); ++j) {
      changes[j] = sizes[j] > 0.0 ? changes[j] * unit(j) / sizes[j] : 0.0;
    }
    return changes;
  }

  MultiVectorView<T, S> values() { return r_; }
  Span<const double, S> units() const { return units_.span().subspan(0, host_units_.size() / 2); }
  double unit(std::size_t column) const { return host_units_[column]; }

 private:
  /// @param residual    of x
  /// @param magnitudes  |b| + |A| |x|; spoilt
  std::vector<Judgement> judgements(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> b,
                                    MultiVectorView<const double, S> residual, MultiVectorView<T, S> magnitudes) const {
    std::vector<Judgement> columns = judgements(norms<double>(ctx, residual), norms<T>(ctx, magnitudes));
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (columns[j].residual_norm > enough_[j]) {
        judge_scaled(ctx, A, b, residual, magnitudes, columns);
        break;
      }
    }
    return columns;
  }

  /// Adds what the scaled residual says, where D is positive and there is memory for what that takes.
  static void judge_scaled(Context<S>& ctx, const Operator<T, S>& A, MultiVectorView<const T, S> b,
                           MultiVectorView<const double, S> residual, MultiVectorView<T, S> magnitudes,
                           std::vector<Judgement>& columns) {
    MultiVector<T, S> diagonal;
    MultiVector<T, S> sizes;
    Buffer<T, S> roots;
    MultiVector<T, S> scaled;
    Buffer<double, S> inverse_units;
    try {
      collectively(ctx.communicator(), [&] {
        diagonal = MultiVector<T, S>(ctx, b.rows);
        sizes = MultiVector<T, S>(ctx, b.rows);
        roots = Buffer<T, S>(ctx, static_cast<std::size_t>(b.rows));
        scaled = MultiVector<T, S>(ctx, b.rows, b.columns);
        inverse_units = Buffer<double, S>(ctx, columns.size());
      });
    } catch (const OutOfMemoryError&) {
      return;
    }
    A.extract_diagonal(ctx, diagonal.view().span());
    equilibrate_rows<T>(ctx, std::as_const(diagonal).view().span(), roots.span(), sizes.view().span());
    axpby<T>(ctx, T{-1}, std::as_const(diagonal), T{1}, sizes);
    if (!is_zero<T>(ctx, std::as_const(sizes))) {
      return;
    }
    invert_roots<T>(ctx, std::as_const(diagonal).view().span(), roots.span());
    const auto scaled_norms = [&](MultiVectorView<const T, S> x, MultiVectorView<T, S> result) {
      scale_rows<T>(ctx, std::as_const(roots).span(), x, result);
      return norms<T>(ctx, result);
    };
    std::vector<double> factors(columns.size());
    std::ranges::transform(columns, factors.begin(), [](const Judgement& column) { return 1.0 / unit_of(column); });
    upload<double>(ctx, {factors.data(), factors.size()}, inverse_units.span());
    scale_columns<double, T>(ctx, std::as_const(inverse_units).span(), residual, scaled);
    const std::vector<double> of_residual = scaled_norms(std::as_const(scaled), scaled);
    const std::vector<double> of_magnitudes = scaled_norms(magnitudes, magnitudes);
    const std::vector<double> of_b = scaled_norms(b, scaled);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const double norm = of_residual[j] / factors[j];
      if (of_b[j] > 0.0 && std::isfinite(norm) && std::isfinite(of_magnitudes[j])) {
        columns[j].scaled = {norm / of_b[j], norm / of_magnitudes[j]};
      }
    }
  }

  /// @param norms       of the residual's columns
  /// @param magnitudes  ‖|b| + |A| |x|‖
  static std::vector<Judgement> judgements(const std::vector<double>& norms, const std::vector<double>& magnitudes) {
    std::vector<Judgement> columns(norms.size());
    for (std::size_t j = 0; j < columns.size(); ++j) {
      // Of x = 0 and b = 0 nothing is wrong; where magnitudes overflow nothing is known.
      const double error = norms[j] > 0.0 ? norms[j] / magnitudes[j] : 0.0;
      columns[j] = {norms[j], std::isfinite(magnitudes[j]) ? error : 1.0};
    }
    return columns;
  }

  static double unit_of(const Judgement& column) {
    return std::min(power_of_two_below(column.residual_norm), largest_unit<T>);
  }

  template <class U>
  void take(Context<S>& ctx, MultiVectorView<const U, S> residual, const std::vector<Judgement>& columns) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      host_units_[j] = unit_of(columns[j]);
      host_units_[columns.size() + j] = 1.0 / host_units_[j];
    }
    upload<double>(ctx, {host_units_.data(), host_units_.size()}, units_.span());
    scale_columns<U, T>(ctx, std::as_const(units_).span().subspan(columns.size(), columns.size()), residual, r_);
  }

  std::vector<double> enough_;
  MultiVector<T, S> r_;
  std::optional<MultiVector<double, S>> judged_;  ///< what r_ is to become
  std::vector<Judgement> judgements_;             ///< of that
  Buffer<double, S> units_;                       ///< of the columns, then their inverses
  std::vector<double> host_units_;
};

}  // namespace

template <class T, MemorySpace S>
void expect_finite(Context<S>& ctx, std::type_identity_t<MultiVectorView<const T, S>> X, VectorError::Role role) {
  const Communicator& communicator = ctx.communicator();
  const Partition partition(communicator, X.rows);
  const Index own = find_non_finite_row<T>(ctx, X);
  const std::int64_t row = own < 0 ? partition.rows() : partition.first(communicator.rank()) + own;
  const std::int64_t first = -communicator.max(-row);
  if (first < partition.rows()) {
    throw VectorError(
        role, format_text("the {} is NaN or infinite in row {}, counted from 1",
                          role == VectorError::Role::right_hand_side ? "right-hand side" : "initial guess", first + 1));
  }
}

template <class T, MemorySpace S>
std::vector<double> norms_of_rhs(Context<S>& ctx, std::type_identity_t<MultiVectorView<const T, S>> b) {
  std::vector<double> rhs_norms = norms<T>(ctx, b);
  if (!std::ranges::all_of(rhs_norms, [](double norm) { return std::isfinite(norm); })) {
    expect_finite<T>(ctx, b, VectorError::Role::right_hand_side);
    throw VectorError(VectorError::Role::right_hand_side, "the right-hand side has numbers too large for its norm");
  }
  return rhs_norms;
}

bool differ_in_size(const RowMagnitudes& magnitudes) {
  // ‖D⁻¹ r‖ is at most ‖r‖ / min d, and ‖x‖ at least ‖b‖ / ‖A‖, where ‖A‖ is 2 max d or so.
  return 2.0 * magnitudes.largest > most_jacobi_change * magnitudes.smallest;
}

template <class T, MemorySpace S>
SolveResult iterate(Context<S>& ctx, const Operator<T, S>& A, IterativeMethod<T, S>& method,
                    MultiVectorView<const T, S> b, MultiVectorView<T, S> x, const SolverOptions& options,
                    bool rows_differ, bool is_symmetric) {
  constexpr double unit_roundoff = std::numeric_limits<T>::epsilon() / 2.0;
  const Communicator& communicator = ctx.communicator();
  const double row_length = whole_size(communicator, A.rows(), A.nnz()).mean_row_length();
  const SameRows<S> same_rows(ctx, A.rows());
  const std::vector<double> rhs_norms = norms_of_rhs<T>(ctx, b);
  SolverOptions complete = options;
  complete.tolerance = options.tolerance.value_or(default_tolerance<T>);
  Convergence convergence(complete, rhs_norms, unit_roundoff, (row_length + 3.0) * unit_roundoff);
  std::vector<double> enough = rhs_norms;
  std::ranges::transform(enough, enough.begin(), [&](double norm) {
    return rows_differ && is_symmetric ? *complete.tolerance * norm : std::numeric_limits<double>::infinity();
  });
  Residual<T, S> r(ctx, b.rows, std::move(enough));
  // Solves mostly begin at zero, which is found sooner than what A makes of it; what forms another product is asked.
  const bool is_from_zero = A.is_stored() && is_zero<T>(ctx, x);
  const std::vector<Judgement> first = is_from_zero ? r.judge_zero(ctx, b, rhs_norms) : r.judge(ctx, A, b, x);
  if (!std::ranges::all_of(first, [](const Judgement& column) { return std::isfinite(column.residual_norm); })) {
    expect_finite<T>(ctx, std::as_const(x), VectorError::Role::initial_guess);
    throw VectorError(
        VectorError::Role::initial_guess,
        "the residual of the initial guess is not finite: the guess, 0 where none is given, or A times it "
        "has NaN, infinity or numbers too large");
  }
  std::vector<StepOutcome> columns(rhs_norms.size());
  const auto jacobi_changes = [&] {
    r.settle(ctx);
    return r.jacobi_changes(ctx, A, std::as_const(x));
  };
  const auto run_round = [&] {
    r.settle(ctx);
    method.restart(ctx, r.units());
    std::vector<bool> is_left(columns.size());
    for (bool is_over = false; !is_over;) {
      for (std::size_t j = 0; j < columns.size(); ++j) {
        if (convergence.is_over(j) && !is_left[j]) {
          method.leave(ctx, j);
          is_left[j] = true;
        }
      }
      {
        const typename Context<S>::Untimed untimed(ctx, convergence.iterations() % timed_iterations != 0);
        method.step(ctx, x, r.values(), columns);
      }
      for (std::size_t j = 0; j < columns.size(); ++j) {
        columns[j].residual_norm *= r.unit(j);
      }
      is_over = convergence.add_iteration(columns);
      ctx.notify({.phase = "solve",
                  .step = convergence.iterations(),
                  .steps = options.max_iterations,
                  .residual = convergence.relative_residual()});
      if (!is_over && method.keeps_x() && convergence.has_stalled()) {
        method.finish(ctx, x);
        is_over = convergence.judge_stall(r.look_at(ctx, A, b, std::as_const(x)));
      }
    }
    method.finish(ctx, x);
    return convergence.judge(r.judge(ctx, A, b, x));
  };
  try {
    for (std::optional<StopReason> reason = convergence.judge(first);; reason = run_round()) {
      const bool has_converged = reason && *reason <= StopReason::attained;
      const bool asks_for_more = rows_differ && has_converged && convergence.asks_for_more(jacobi_changes());
      if (reason && !asks_for_more) {
        return convergence.result(*reason);
      }
    }
  } catch (const OutOfStepError&) {
    throw;
  } catch (const InterruptedError&) {
    method.finish(ctx, x);
    const std::optional<StopReason> reason = convergence.judge(r.judge(ctx, A, b, x));
    return convergence.result(reason && *reason <= StopReason::attained ? *reason : StopReason::interrupted);
  }
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                             \
  template void expect_finite<T>(Context<S>&, MultiVectorView<const T, S>, VectorError::Role); \
  template std::vector<double> norms_of_rhs<T>(Context<S>&, MultiVectorView<const T, S>);      \
  template SolveResult iterate(Context<S>&, const Operator<T, S>&, IterativeMethod<T, S>&,     \
                               MultiVectorView<const T, S>, MultiVectorView<T, S>, const SolverOptions&, bool, bool);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
