#pragma once

#include <memory>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/fat_vector.hpp"

namespace amgsolve {

/// The direct solver of the coarsest level: x = A⁺ b for a symmetric positive semi-definite A, scaled to a unit
/// diagonal and eliminated densely in double whatever T is. Vanishing pivots (below n ε_T), as Neumann problems and
/// dependent candidates leave them, are left out, so that x is one of the solutions for b in the range of A. A solve
/// costs 2 n² flops a column.
template <class T, MemorySpace S>
class CoarseSolver;

/// A Cholesky factor LLᵀ where A is positive definite, else a pivoted LDLᵀ: n³/3 flops.
template <class T>
class CoarseSolver<T, Host> {
 public:
  static constexpr const char* regular_method = "dense Cholesky";
  static constexpr const char* singular_method = "dense LDLT";

  /// Throws BreakdownError where a pivot is negative: A is not positive semi-definite.
  CoarseSolver(Context<Host>& ctx, const CsrMatrix<T, Host>& A);
  ~CoarseSolver();
  CoarseSolver(CoarseSolver&&) noexcept;
  CoarseSolver& operator=(CoarseSolver&&) noexcept;

  void solve(Context<Host>& ctx, FatView<const T, Host> b, FatView<T, Host> x) const;

  /// The pivots left out; 0 for a regular matrix.
  Index nullity() const;
  std::size_t bytes() const;

 private:
  struct Factor;
  std::unique_ptr<Factor> factor_;
};

/// The inverse itself, rounded to T, by Gauss-Jordan elimination with the pivots of the LDLᵀ: 2 n³ flops in 2 n
/// launches. Triangular solves would go one row after the other; a product with the inverse is a single kernel.
template <class T>
class CoarseSolver<T, Cuda> {
 public:
  static constexpr const char* regular_method = "dense inverse";
  static constexpr const char* singular_method = "dense inverse";

  /// Throws BreakdownError where a pivot is negative. Synchronises.
  CoarseSolver(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A);

  void solve(Context<Cuda>& ctx, FatView<const T, Cuda> b, FatView<T, Cuda> x) const;

  Index nullity() const { return nullity_; }
  std::size_t bytes() const { return inverse_.bytes(); }

 private:
  Buffer<T, Cuda> inverse_;  ///< rows × rows; zero in the rows and columns of pivots left out
  Index nullity_ = 0;
};

namespace detail {

[[noreturn]] void throw_negative_pivot(Index rows, double pivot);

}  // namespace detail
}  // namespace amgsolve
