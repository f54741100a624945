#pragma once

#include <vector>

#include "amg/options.hpp"
#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/fat_vector.hpp"

namespace amgsolve {

/// The unknowns of a level and room to compute their next values in: sweeps read one and write the other.
template <class T, MemorySpace S>
struct Iterate {
  FatVector<T, S> x;
  FatVector<T, S> next;
};

/// A stationary iteration x += M⁻¹(b − A x) with a symmetric M on one level: damped Jacobi, l1-Jacobi or Chebyshev (on
/// D⁻¹A, Adams, Brezina, Hu, Tuminaro 2003). One sweep costs one product with A, for Chebyshev `degree` of them; the
/// first product from a zero guess is free.
template <class T, MemorySpace S>
class Smoother {
 public:
  Smoother() = default;

  /// @param diagonal         of A
  /// @param spectral_radius  ρ(D⁻¹A); l1-Jacobi does not use it
  Smoother(Context<S>& ctx, const CsrMatrix<T, S>& A, Span<const T, S> diagonal, double spectral_radius,
           const SmootherOptions& options);

  /// `sweeps` sweeps on iterate.x.
  /// @param from_zero  start from zero instead, without reading x
  void apply(Context<S>& ctx, const CsrMatrix<T, S>& A, int sweeps, bool from_zero, FatView<const T, S> b,
             Iterate<T, S>& iterate) const;

  std::size_t bytes() const { return scaling_.bytes(); }

 private:
  /// A step of the sweep, x_{m+1} = x_m + residual C (b − A x_m) + momentum (x_m − x_{m−1}), with C = diag(scaling). C
  /// is such that the first step has residual = 1 and momentum = 0; Jacobi has no other.
  struct Step {
    T residual;
    T momentum;
  };

  std::vector<Step> steps_;
  Buffer<T, S> scaling_;  ///< the first step's coefficient times D⁻¹; the inverse l1 row norms for l1-Jacobi
};

}  // namespace amgsolve
