#pragma once

#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/copy.hpp"
#include "core/global_sum.hpp"
#include "core/instantiate.hpp"
#include "problems/manufactured.hpp"
#include "problems/manufactured_mode.hpp"
#include "spmv/blas1.hpp"

/// The bodies of problems/manufactured.hpp, written once for both memory spaces: parallel_for and parallel_reduce are
/// those of the context.
namespace amgsolve {

/// The first of the unknowns that a vector's rows are. Throws as problems/manufactured.hpp says.
inline std::int64_t checked_first_row(const GeneratedProblem& problem, Index vector_rows, RowRange range) {
  problem.validate();
  validate_manufactured(problem);
  const RowRange rows = problem.rows(range);
  if (vector_rows != rows.count()) {
    throw std::invalid_argument("the vector has " + std::to_string(vector_rows) + " rows, the grid " +
                                std::to_string(rows.count()) + " unknowns");
  }
  return rows.first;
}

/// A mode with its table in the space of a context.
template <MemorySpace S>
class LocatedMode {
 public:
  LocatedMode(Context<S>& ctx, const GeneratedProblem& problem, Index column) {
    const TabulatedMode tabulated = make_manufactured_mode(problem, column);
    table_ = upload(ctx, Span<const double, Host>(tabulated.table.data(), tabulated.table.size()));
    mode_ = tabulated.mode;
    mode_.table = table_.data();
  }

  const ManufacturedMode& get() const { return mode_; }

 private:
  Buffer<double, S> table_;
  ManufacturedMode mode_;
};

/// x_ij = evaluate(mode of column j, unknown in row i).
template <class T, MemorySpace S, class Evaluate>
void evaluate_rows(Context<S>& ctx, const GeneratedProblem& problem, MultiVectorView<T, S> x, RowRange rows,
                   const Evaluate& evaluate) {
  const std::int64_t first = checked_first_row(problem, x.rows, rows);
  for (Index j = 0; j < x.columns; ++j) {
    const LocatedMode<S> located(ctx, problem, j);
    const ManufacturedMode mode = located.get();
    parallel_for(ctx, x.rows, [x, j, mode, first, evaluate] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
      x.data[i * x.columns + j] = static_cast<T>(evaluate(mode, first + i));
    });
  }
}

template <class T, MemorySpace S>
void manufactured_solution(Context<S>& ctx, const GeneratedProblem& problem, MultiVectorView<T, S> u, RowRange rows) {
  evaluate_rows(ctx, problem, u, rows,
                [] AMGSOLVE_HOST_DEVICE(const ManufacturedMode& mode, std::int64_t row) { return mode.solution(row); });
}

template <class T, MemorySpace S>
void manufactured_right_hand_side(Context<S>& ctx, const GeneratedProblem& problem, MultiVectorView<T, S> b,
                                  RowRange rows) {
  evaluate_rows(ctx, problem, b, rows,
                [] AMGSOLVE_HOST_DEVICE(const ManufacturedMode& mode, std::int64_t row) { return mode.load(row); });
}

/// Of an error e less a number m, over some of the unknowns.
struct ErrorMoments {
  double volume = 0.0;   ///< ∫ 1
  double first = 0.0;    ///< ∫ (e − m)
  double second = 0.0;   ///< ∫ (e − m)²
  double largest = 0.0;  ///< max |e − m|
};

template <class T, MemorySpace S>
ErrorMoments error_moments(Context<S>& ctx, const ManufacturedMode& mode, MultiVectorView<const T, S> x,
                           std::int64_t first, Index j, double m) {
  const ErrorMoments local = parallel_reduce(
      ctx, x.rows, ErrorMoments{},
      [mode, x, first, j, m] AMGSOLVE_HOST_DEVICE(std::int64_t begin, std::int64_t end) {
        ErrorMoments sums;
        for (std::int64_t i = begin; i < end; ++i) {
          const double error = static_cast<double>(x.data[i * x.columns + j]) - mode.solution(first + i) - m;
          const double magnitude = error < 0.0 ? -error : error;
          const double volume = mode.volume(first + i);
          sums.volume += volume;
          sums.first += volume * error;
          sums.second += volume * error * error;
          sums.largest = magnitude > sums.largest ? magnitude : sums.largest;
        }
        return sums;
      },
      [](const ErrorMoments& a, const ErrorMoments& b) {
        return ErrorMoments{a.volume + b.volume, a.first + b.first, a.second + b.second,
                            a.largest > b.largest ? a.largest : b.largest};
      });
  // The bits of numbers that are not negative ascend as these do.
  const auto largest = ctx.communicator().max(std::bit_cast<std::int64_t>(local.largest));
  return {sum_of_ranks(ctx, local.volume), sum_of_ranks(ctx, local.first), sum_of_ranks(ctx, local.second),
          std::bit_cast<double>(largest)};
}

template <class T, MemorySpace S>
std::vector<DiscretizationError> discretization_error(Context<S>& ctx, const GeneratedProblem& problem,
                                                      std::type_identity_t<MultiVectorView<const T, S>> x,
                                                      RowRange rows) {
  const std::int64_t first = checked_first_row(problem, x.rows, rows);
  std::vector<DiscretizationError> errors;
  for (Index j = 0; j < x.columns; ++j) {
    const LocatedMode<S> located(ctx, problem, j);
    ErrorMoments moments = error_moments(ctx, located.get(), x, first, j, 0.0);
    if (problem.is_singular()) {
      moments = error_moments(ctx, located.get(), x, first, j, moments.first / moments.volume);
    }
    errors.push_back({std::sqrt(moments.second), moments.largest});
  }
  return errors;
}

/// Of the box.
inline double volume_of(const GeneratedProblem& problem) {
  double volume = 1.0;
  for (int d = 0; d < problem.grid.dimensions; ++d) {
    volume *= static_cast<double>(problem.cells(d)) * problem.spacing();
  }
  return volume;
}

template <class T, MemorySpace S>
MultiVector<T, S> pointwise_error(Context<S>& ctx, const GeneratedProblem& problem,
                                  std::type_identity_t<MultiVectorView<const T, S>> x, RowRange rows) {
  MultiVector<T, S> result(ctx, x.rows, x.columns);
  T* const errors = result.data();
  manufactured_solution(ctx, problem, result.view(), rows);
  parallel_for(ctx, static_cast<std::int64_t>(x.size()),
               [x, errors] AMGSOLVE_HOST_DEVICE(std::int64_t k) { errors[k] = x.data[k] - errors[k]; });
  if (!problem.is_singular()) {
    return result;
  }
  MultiVector<T, S> volumes(ctx, x.rows, x.columns);
  evaluate_rows(ctx, problem, volumes.view(), rows,
                [] AMGSOLVE_HOST_DEVICE(const ManufacturedMode& mode, std::int64_t row) { return mode.volume(row); });
  WorkspaceScope<S> scope(ctx.workspace());
  const Span<double, S> integrals = scope.template take<double>(static_cast<std::size_t>(x.columns));
  dot<T>(ctx, std::as_const(result), std::as_const(volumes), integrals);
  const double* const integral = integrals.data();
  const double volume = volume_of(problem);
  const Index columns = x.columns;
  parallel_for(ctx, static_cast<std::int64_t>(x.size()),
               [columns, errors, integral, volume] AMGSOLVE_HOST_DEVICE(std::int64_t k) {
                 errors[k] -= static_cast<T>(integral[k % columns] / volume);
               });
  return result;
}

#define AMGSOLVE_INSTANTIATE(T, S)                                                                                   \
  template void manufactured_solution(Context<S>&, const GeneratedProblem&, MultiVectorView<T, S>, RowRange);        \
  template void manufactured_right_hand_side(Context<S>&, const GeneratedProblem&, MultiVectorView<T, S>, RowRange); \
  template std::vector<DiscretizationError> discretization_error<T>(Context<S>&, const GeneratedProblem&,            \
                                                                    MultiVectorView<const T, S>, RowRange);          \
  template MultiVector<T, S> pointwise_error<T>(Context<S>&, const GeneratedProblem&, MultiVectorView<const T, S>,   \
                                                RowRange);

}  // namespace amgsolve
