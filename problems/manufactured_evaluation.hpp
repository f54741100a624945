#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/copy.hpp"
#include "problems/manufactured.hpp"
#include "problems/manufactured_mode.hpp"

/// The bodies of problems/manufactured.hpp, written once for both memory spaces: parallel_for and parallel_reduce are
/// those of the context.
namespace amgsolve {

/// Throws as problems/manufactured.hpp says.
inline void check_manufactured(const GeneratedProblem& problem, Index rows) {
  validate_manufactured(problem);
  const Index unknowns = problem.grid.unknowns();
  if (rows != unknowns) {
    throw std::invalid_argument("the vector has " + std::to_string(rows) + " rows, the grid " +
                                std::to_string(unknowns) + " unknowns");
  }
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

template <class T, MemorySpace S>
void evaluate_solution(Context<S>& ctx, const GeneratedProblem& problem, FatView<T, S> u) {
  check_manufactured(problem, u.rows);
  for (Index j = 0; j < u.columns; ++j) {
    const LocatedMode<S> located(ctx, problem, j);
    const ManufacturedMode mode = located.get();
    parallel_for(ctx, u.rows, [u, j, mode] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
      u.data[i * u.columns + j] = static_cast<T>(mode.solution(i));
    });
  }
}

template <class T, MemorySpace S>
void evaluate_load(Context<S>& ctx, const GeneratedProblem& problem, FatView<T, S> b) {
  check_manufactured(problem, b.rows);
  for (Index j = 0; j < b.columns; ++j) {
    const LocatedMode<S> located(ctx, problem, j);
    const ManufacturedMode mode = located.get();
    parallel_for(ctx, b.rows, [b, j, mode] AMGSOLVE_HOST_DEVICE(std::int64_t i) {
      b.data[i * b.columns + j] = static_cast<T>(mode.load(i));
    });
  }
}

/// Of an error e less a number m, over some of the unknowns.
struct ErrorMoments {
  double volume = 0.0;   ///< ∫ 1
  double first = 0.0;    ///< ∫ (e − m)
  double second = 0.0;   ///< ∫ (e − m)²
  double largest = 0.0;  ///< max |e − m|
};

template <class T, MemorySpace S>
ErrorMoments error_moments(Context<S>& ctx, const ManufacturedMode& mode, FatView<const T, S> x, Index j, double m) {
  return parallel_reduce(
      ctx, x.rows, ErrorMoments{},
      [mode, x, j, m] AMGSOLVE_HOST_DEVICE(std::int64_t begin, std::int64_t end) {
        ErrorMoments sums;
        for (std::int64_t i = begin; i < end; ++i) {
          const double error = static_cast<double>(x.data[i * x.columns + j]) - mode.solution(i) - m;
          const double magnitude = error < 0.0 ? -error : error;
          const double volume = mode.volume(i);
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
}

template <class T, MemorySpace S>
std::vector<DiscretizationError> evaluate_error(Context<S>& ctx, const GeneratedProblem& problem,
                                                FatView<const T, S> x) {
  check_manufactured(problem, x.rows);
  std::vector<DiscretizationError> errors;
  for (Index j = 0; j < x.columns; ++j) {
    const LocatedMode<S> located(ctx, problem, j);
    ErrorMoments moments = error_moments(ctx, located.get(), x, j, 0.0);
    if (problem.is_singular()) {
      moments = error_moments(ctx, located.get(), x, j, moments.first / moments.volume);
    }
    errors.push_back({std::sqrt(moments.second), moments.largest});
  }
  return errors;
}

}  // namespace amgsolve
