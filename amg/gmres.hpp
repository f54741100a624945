#pragma once

#include <vector>

#include "amg/iterative_method.hpp"
#include "amg/preconditioner.hpp"

namespace amgsolve {

/// Restarted GMRES (Saad, Schultz 1986), preconditioned from the right, for any regular A: of x₀ + M⁻¹ K it finds the x
/// of the smallest residual, with K the Krylov space of A M⁻¹ and r₀, so that the residual is that of A x = b and its
/// norm never grows: a correction that rounding errors have spoilt is left out. The basis of K is made by
/// modified Gram-Schmidt, and every column has its own; the least squares are solved by Givens' rotations. Flexible
/// (Saad 1993): keeps M⁻¹ of every basis vector, for an M that changes from step to step; otherwise M⁻¹ is applied once
/// more where x is formed. After `length` steps the space is given up, and another is begun from the residual of then.
/// Memory: a vector of the right-hand side's shape for each step, two where it is flexible, allocated as they are
/// needed. Where rows differ in size, norms and products are those of D⁻¹ r with D the sizes of A's diagonal entries:
/// M⁻¹, which solves for the error whatever the rows' units, makes a space of D⁻¹A M⁻¹ where that of A M⁻¹ would hold
/// the largest rows alone, and rounding errors of these beside what small ones need. It is the norm of D⁻¹ r that never
/// grows then; that of r comes from the direction q of D⁻¹ r, q ← c v − s q by the newest rotation and vector of the
/// basis (Saad, Iterative Methods for Sparse Linear Systems, 2003, 6.5.3), for five more passes over vectors and a wait
/// each step, and memory of two vectors of the right-hand side's shape and two of A's rows. A column breaks down where
/// A M⁻¹ is singular, as far as rounding shows, and where a space has given no correction.
template <class T, MemorySpace S>
class Gmres : public IterativeMethod<T, S> {
 public:
  /// @param A            and the preconditioner outlive the method
  /// @param length       steps from one restart to the next, at least 1
  /// @param rows_differ  see differ_in_size(); of an A that is stored
  Gmres(Context<S>& ctx, const Operator<T, S>& A, Preconditioner<T, S>& preconditioner, Index columns, int length,
        bool flexible, bool rows_differ = false);

  void restart(Context<S>& ctx, Span<const double, S> units) override;
  void step(Context<S>& ctx, MultiVectorView<T, S> x, MultiVectorView<T, S> r, std::span<StepOutcome> columns) override;
  bool keeps_x() const override { return false; }
  void finish(Context<S>& ctx, MultiVectorView<T, S> x) override;

 private:
  struct Rotation {
    double cosine;
    double sine;
  };

  void begin(Context<S>& ctx, MultiVectorView<const T, S> r);
  void orthogonalise(Context<S>& ctx, MultiVectorView<T, S> w);
  std::optional<StopReason> rotate(std::size_t column);
  void turn_direction(Context<S>& ctx, MultiVectorView<const T, S> newest);
  double& entry(std::size_t row, std::size_t step, std::size_t column) {
    return triangle_[(step * (length_ + 1) + row) * columns_ + column];
  }
  MultiVectorView<T, S> basis(std::vector<MultiVector<T, S>>& vectors, Context<S>& ctx, std::size_t i) const;
  Span<double, S> upload_factors(Context<S>& ctx, std::size_t first, std::size_t count);

  const Operator<T, S>* A_;
  Preconditioner<T, S>* preconditioner_;
  std::size_t columns_;
  std::size_t length_;
  bool flexible_;
  bool equilibrates_;
  std::vector<MultiVector<T, S>> basis_;           ///< orthonormal
  std::vector<MultiVector<T, S>> preconditioned_;  ///< M⁻¹ of the basis where it is flexible
  MultiVector<T, S> correction_;
  MultiVector<T, S> combination_;  ///< of the basis, where it is not flexible; A times the correction
  Buffer<double, S> scalars_;      ///< length + 1 for all columns
  std::vector<double> host_scalars_;
  std::vector<double> triangle_;     ///< R of the least squares: of each step and all columns
  std::vector<double> projected_;    ///< the residual in the rotated basis, its last entry ± the norm that is left
  std::vector<Rotation> rotations_;  ///< of each step and column
  Buffer<T, S> scales_;              ///< D⁻¹, where rows differ
  Buffer<T, S> sizes_;               ///< D
  MultiVector<T, S> other_;          ///< D or D⁻¹ times a vector
  MultiVector<T, S> direction_;      ///< q, of D⁻¹ r, where rows differ
  std::vector<double> starts_;       ///< ‖r‖ of each column where the space was begun, of D⁻¹ r as all above
  std::vector<double> first_norms_;  ///< of r itself
  std::vector<double> kept_;         ///< of each column 1, or 0 where its newest correction was none
  Span<const double, S> units_{};
  std::size_t steps_ = 0;  ///< since the space was begun
};

}  // namespace amgsolve
