#include "amg/solve_system.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "amg/iterative_method.hpp"
#include "amg/methods.hpp"
#include "amg/null_vectors.hpp"
#include "amg/projected_system.hpp"
#include "amg/translations_steps.hpp"
#include "core/collectively.hpp"
#include "core/copy.hpp"
#include "core/errors.hpp"
#include "core/instantiate.hpp"
#include "core/power_of_two.hpp"
#include "core/timer.hpp"
#include "spmv/blas1.hpp"

namespace amgsolve {
namespace {

/// Times that what is to be a null vector is corrected.
constexpr int most_corrections = 4;

/// Searches that follow each other, each after a solve without what those before have found: a free body has as many
/// null vectors.
constexpr int most_searches = 6;

/// Whether a solve has ended where more iterations would not help.
bool has_broken_down(const SolveResult& result) {
  return result.reason > StopReason::attained && result.reason != StopReason::max_iterations &&
         result.reason != StopReason::interrupted;
}

/// Whether x may be a null vector, and little else: conjugate gradients end where rounding errors of pᵀA p are all that
/// is left of it, at a backward error of √u or so.
template <class T>
bool may_be_null(const ColumnResult& column) {
  const double error = column.scaled ? column.scaled->backward_error : column.backward_error;
  return error <= 100.0 * std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon())) &&
         left_over(column.relative_residual, column.scaled) > most_left_over;
}

/// Columns of x times the factors, in place or not.
template <class T, MemorySpace S>
void scale_by(Context<S>& ctx, const std::vector<double>& factors, Same<MultiVectorView<const T, S>> x,
              Same<MultiVectorView<T, S>> result) {
  const Buffer<double, S> on_space = upload(ctx, Span<const double, Host>(factors.data(), factors.size()));
  scale_columns<T, T>(ctx, on_space, x, result);
}

/// [X, Y] in Z.
template <class T, MemorySpace S>
void join(Context<S>& ctx, Same<MultiVectorView<const T, S>> X, Same<MultiVectorView<const T, S>> Y,
          Same<MultiVectorView<T, S>> Z) {
  for (Index j = 0; j < Z.columns; ++j) {
    const bool is_of_X = j < X.columns;
    detail::copy_column<T>(ctx, is_of_X ? X : Y, is_of_X ? j : j - X.columns, Z, j);
  }
}

/// Zero in place of the columns that are worse; their residual is b.
template <class T, MemorySpace S>
void give_up_worse_columns(Context<S>& ctx, MultiVectorView<const T, S> b, MultiVectorView<T, S> x,
                           SolveResult& result) {
  const std::vector<double> rhs_norms = norms<T>(ctx, b);
  std::vector<double> factors(result.columns.size(), 1.0);
  for (std::size_t j = 0; j < factors.size(); ++j) {
    if (result.columns[j].is_worse_than_zero()) {
      const double left = rhs_norms[j] > 0.0 ? 1.0 : 0.0;
      result.columns[j] = {.relative_residual = left, .backward_error = left};
      ++result.given_up;
      factors[j] = 0.0;
    }
  }
  result.take_worst_of_columns();
  scale_by<T>(ctx, factors, x, x);
}

/// What solves with a matrix.
template <class T, MemorySpace S>
class Solving {
 public:
  Solving(const Operator<T, S>& A, Preconditioner<T, S>& preconditioner, const SystemTraits& traits)
      : A_(A), preconditioner_(preconditioner), traits_(traits) {}

  SolveResult solve(Context<S>& ctx, const Nullspace<T, S>* nullspace, MultiVectorView<const T, S> b,
                    MultiVectorView<T, S> x, const SolverOptions& options) const {
    ProjectedSystem<T, S> system(ctx, nullspace, traits_.is_two_sided, preconditioner_, b, x);
    const auto method = collectively(ctx.communicator(), [&] {
      return system.projecting(make_method(ctx, A_, system.preconditioner(), b.columns, traits_.method, options.restart,
                                           traits_.rows_differ));
    });
    SolveResult result =
        iterate<T, S>(ctx, A_, *method, system.b(), x, options, traits_.rows_differ, traits_.is_symmetric);
    system.tell(result);
    return result;
  }

  /// Adds to the null vectors N what A takes to zero in an x that solves have come to: where b is not in the range of
  /// A, x grows into the null space until there is little else in it. What else there is, Z with A Z = A Y and
  /// orthogonal to N and Y, is taken from Y = x until A takes Y to zero in every row, to rounding as a Nullspace asks
  /// of candidates: an A that is only ill-conditioned is not taken for singular. Returns whether there was any, and
  /// memory for that.
  bool add_null_vectors(Context<S>& ctx, MultiVectorView<const T, S> x, const std::vector<ColumnResult>& columns,
                        SolverOptions options, MultiVector<T, S>& N) const try {
    ScopedTimer timer(ctx, "null space", 0);
    std::vector<double> factors = norms<T>(ctx, x);
    for (std::size_t j = 0; j < factors.size(); ++j) {
      const bool is_one = may_be_null<T>(columns[j]) && std::isfinite(factors[j]);
      factors[j] = is_one ? 1.0 / power_of_two_below(factors[j]) : 0.0;
    }
    if (std::ranges::max(factors) == 0.0) {
      return false;
    }
    options.tolerance = 0.01 * most_defect<T>;
    MultiVector<T, S> Y;
    MultiVector<T, S> Z;
    MultiVector<T, S> image;
    MultiVector<T, S> N_and_Y;
    collectively(ctx.communicator(), [&] {
      for (MultiVector<T, S>* const vectors : {&Y, &Z, &image}) {
        *vectors = MultiVector<T, S>(ctx, x.rows, x.columns);
      }
      N_and_Y = MultiVector<T, S>(ctx, x.rows, N.columns() + x.columns);
    });
    scale_by<T>(ctx, factors, x, Y);
    for (int corrections = 0; corrections < most_corrections; ++corrections) {
      join<T>(ctx, N, Y, N_and_Y);
      const Nullspace<T, S> so_far = nullspace_of(ctx, N_and_Y);
      A_.apply(ctx, T{1}, std::as_const(Y), T{0}, image);
      fill<T>(ctx, T{0}, Z);
      if (solve(ctx, &so_far, std::as_const(image), Z, options).reason == StopReason::interrupted) {
        return false;
      }
      axpby<T>(ctx, T{-1}, std::as_const(Z), T{1}, Y);
      const std::vector<double> is_null = null_columns<T>(ctx, A_, traits_.block_size, std::as_const(Y));
      if (std::ranges::max(is_null) > 0.0) {
        scale_by<T>(ctx, is_null, std::as_const(Y), Y);
        join<T>(ctx, N, Y, N_and_Y);
        N = std::move(N_and_Y);
        return true;
      }
    }
    return false;
  } catch (const OutOfMemoryError&) {
    return false;
  }

  /// Of null vectors of the whole graph, connected or not.
  Nullspace<T, S> nullspace_of(Context<S>& ctx, const MultiVector<T, S>& N) const {
    return Nullspace<T, S>::of_connected(ctx, A_, N, traits_.block_size);
  }

 private:
  const Operator<T, S>& A_;
  Preconditioner<T, S>& preconditioner_;
  const SystemTraits& traits_;
};

}  // namespace

template <class T, MemorySpace S>
SolveResult solve_system(Context<S>& ctx, const Operator<T, S>& A, Preconditioner<T, S>& preconditioner,
                         const Nullspace<T, S>* nullspace, MultiVectorView<const T, S> b, MultiVectorView<T, S> x,
                         const SolverOptions& options, const SystemTraits& traits) {
  const Solving<T, S> solving(A, preconditioner, traits);
  SolveResult result = solving.solve(ctx, nullspace, b, x, options);
  MultiVector<T, S> N(ctx, b.rows, 0);
  const bool may_search = traits.is_symmetric && A.is_stored() && nullspace == nullptr;
  for (int searches = 0; searches < most_searches && may_search && has_broken_down(result) &&
                         solving.add_null_vectors(ctx, MultiVectorView<const T, S>(x), result.columns, options, N);
       ++searches) {
    const Nullspace<T, S> found = solving.nullspace_of(ctx, N);
    fill<T>(ctx, T{0}, x);
    result = solving.solve(ctx, &found, b, x, options);
    result.null_vectors_found = found.dimension();
  }
  const typename Context<S>::Uninterrupted handing_over(ctx);
  if (has_broken_down(result)) {
    result.reason = result.null_vectors_found > 0 ? StopReason::singular : result.reason;
    give_up_worse_columns(ctx, b, x, result);
  }
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                     \
  template SolveResult solve_system(Context<S>&, const Operator<T, S>&, Preconditioner<T, S>&, const Nullspace<T, S>*, \
                                    MultiVectorView<const T, S>, MultiVectorView<T, S>, const SolverOptions&,          \
                                    const SystemTraits&);
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)

}  // namespace amgsolve
