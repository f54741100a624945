#pragma once

#include <functional>
#include <memory>

#include "amg/options.hpp"
#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// What rounding errors of the entries of the finest level may be of a diagonal entry of the coarsest one, at most;
/// asked for where a pivot is negative.
using RoundingShare = std::function<double()>;

/// The direct solver of the coarsest level, dense and in double whatever T is: x = A⁺ b for a symmetric positive
/// semi-definite A, scaled to a unit diagonal; for any other the LU factors of DenseLu. Vanishing pivots (see
/// detail::vanishing_pivot), as Neumann problems and dependent candidates leave them, are left out, so that x is one of
/// the solutions for b in the range of A. A solve costs 2 n² flops a column.
template <class T, MemorySpace S>
class CoarseSolver;

/// A Cholesky factor LLᵀ where A is positive definite, else a pivoted LDLᵀ: n³/3 flops; LU takes twice as many.
template <class T>
class CoarseSolver<T, Host> {
 public:
  /// Throws BreakdownError where A is said to be definite and a pivot is negative, see detail::check_pivot(): it is not
  /// positive semi-definite.
  CoarseSolver(Context<Host>& ctx, const CsrMatrix<T, Host>& A, MatrixKind kind = MatrixKind::definite,
               const RoundingShare& rounding = {});
  ~CoarseSolver();
  CoarseSolver(CoarseSolver&&) noexcept;
  CoarseSolver& operator=(CoarseSolver&&) noexcept;

  void solve(Context<Host>& ctx, MultiVectorView<const T, Host> b, MultiVectorView<T, Host> x) const;

  /// The pivots left out; 0 for a regular matrix.
  Index nullity() const;
  std::size_t bytes() const;
  const char* method() const;

 private:
  struct Factor;
  std::unique_ptr<Factor> factor_;
};

/// The inverse itself, rounded to T, by blocked Gauss-Jordan elimination with the pivots of the LDLᵀ: 2 n³ flops in
/// n / 16 launches; where A is not symmetric and positive semi-definite, by DenseLu on the host. Triangular solves
/// would go one row after the other; a product with the inverse is a single kernel.
template <class T>
class CoarseSolver<T, Cuda> {
 public:
  /// Throws BreakdownError where that on the host does. Synchronises.
  CoarseSolver(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A, MatrixKind kind = MatrixKind::definite,
               const RoundingShare& rounding = {});

  void solve(Context<Cuda>& ctx, MultiVectorView<const T, Cuda> b, MultiVectorView<T, Cuda> x) const;

  Index nullity() const { return nullity_; }
  std::size_t bytes() const { return inverse_.bytes(); }
  const char* method() const { return "dense inverse"; }

 private:
  void invert_on_host(Context<Cuda>& ctx, const CsrMatrix<T, Cuda>& A);

  Buffer<T, Cuda> inverse_;  ///< rows × rows; zero in the rows and columns of pivots left out
  Index nullity_ = 0;
};

namespace detail {

/// With a unit diagonal a pivot is the part of its unknown that those before it do not determine: where the matrix is
/// singular, rounding errors are all that is left of it. The Galerkin products of the levels above, whose sums cancel
/// to entries some hundred times smaller than their terms, leave an eigenvalue of some hundred ε for the zero, and a
/// pivot is up to n times an eigenvalue: 1000 n ε, in single precision no more than the 1e-4 that a regular matrix may
/// have. What deep hierarchies leave beyond that passes for a small pivot: x then has some multiple of the null vector
/// in it, which a Krylov method does not see.
double vanishing_pivot(Index rows, double epsilon);

/// A pivot below this is no rounding error: −1e8 ε, as much as a hierarchy over grids 1e4 times as coarse may lose, and
/// in single precision −0.1.
double negative_pivot(double epsilon);

/// Throws BreakdownError where a pivot is below negative_pivot() and below −n times the rounding share: jumps of 1e8
/// leave rounding errors of 1e8 ε in rows whose entries on the coarsest level are 1e-3, since weak couplings in a row
/// add up to weaker ones. Below −0.1 none passes for a rounding error.
void check_pivot(Index rows, double pivot, double epsilon, const RoundingShare& rounding);

}  // namespace detail
}  // namespace amgsolve
