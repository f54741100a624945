#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// What a machine reaches: the least seconds of several runs, after one that warms up.
struct MachineFigures {
  struct Speed {
    std::size_t bytes = 0;  ///< read and written, at least
    std::int64_t flops = 0;
    double seconds = 0.0;
  };

  Speed copy;     ///< of a vector
  Speed doubles;  ///< of multiplications and additions of values in registers
  Speed floats;
  Speed product;  ///< y = A x, in the storage that a solve chooses
  Index rows = 0;
  Offset nnz = 0;
  double setup_seconds = 0.0;  ///< with default options, of the run whose setup and solve together took least
  double solve_seconds = 0.0;  ///< of A x = 1 from x = 0
  int iterations = 0;
};

/// More doubles than most caches hold: two vectors of 134 MB. Some servers' caches hold both; their copies are then
/// those of the cache.
inline constexpr Index uncached_values = Index{1} << 24;

/// Copies of a vector of that many doubles.
template <MemorySpace S>
MachineFigures::Speed measure_copy(Context<S>& ctx, Index values = uncached_values);

/// Multiplications and additions of values of type T in registers (multiply_add.hpp).
template <class T, MemorySpace S>
MachineFigures::Speed measure_arithmetic(Context<S>& ctx);

/// Copies of `copied_values` doubles, arithmetic, products with A = matrix(), and setups and solves of it. Throws as
/// AmgSolver does.
template <MemorySpace S>
MachineFigures measure_machine(Context<S>& ctx, Index copied_values,
                               const std::function<CsrMatrix<double, S>()>& matrix);

}  // namespace amgsolve
