#pragma once

#include <memory>
#include <vector>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"

namespace amgsolve {

/// R A C = Pᵀ L U in double for a square A on the host, with R = diag(1 / max_j |a_ij|), row pivoting, and the powers
/// of two C that bring max_i |R A|_ij to [1, 2): 2 n³ / 3 flops. A pivot is the part of its column that those before
/// leave, whatever the units of equations and unknowns. The unknown of one below `vanishing` is 0 in every solution, so
/// that for a singular A and a b in its range x is one of the solutions, as far as rounding shows.
class DenseLu {
 public:
  template <class T>
  DenseLu(Context<Host>& ctx, const CsrMatrix<T, Host>& A, double vanishing);
  ~DenseLu();
  DenseLu(DenseLu&&) noexcept;
  DenseLu& operator=(DenseLu&&) noexcept;

  /// x_j = A⁻¹ x_j for `columns` vectors, one after the other in memory: 2 n² flops each.
  void solve(double* x, Index columns) const;

  /// A⁻¹, row by row.
  std::vector<double> inverse() const;

  /// The pivots that vanish; 0 for a regular matrix.
  Index nullity() const;
  std::size_t bytes() const;

 private:
  struct Factor;
  std::unique_ptr<Factor> factor_;
};

}  // namespace amgsolve
