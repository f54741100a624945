#pragma once

#include <memory>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/fat_vector.hpp"

namespace amgsolve {

/// The direct solver of the coarsest level: x = A⁺ b for a symmetric positive semi-definite A, scaled to a unit
/// diagonal and factored densely in double whatever T is. A positive definite A takes a Cholesky factor LLᵀ; a singular
/// one, as Neumann problems and dependent candidates leave it, a pivoted LDLᵀ whose vanishing pivots (below n ε_T) are
/// left out, so that x is one of the solutions for b in the range of A. Cost: n³/3 flops once, 2 n² a column.
template <class T, MemorySpace S>
class CoarseSolver;

template <class T>
class CoarseSolver<T, Host> {
 public:
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

}  // namespace amgsolve
