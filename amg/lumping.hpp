#pragma once

#include "amg/couplings.hpp"
#include "core/host_device.hpp"

namespace amgsolve {

/// Whether `lumped`, a diagonal entry with what is dropped from its row, may take its place in the A_F of
/// strong_couplings() and of strong_block_couplings(): not where it leaves next to nothing, or less, of the diagonal.
template <class T>
AMGSOLVE_HOST_DEVICE bool can_lump(T diagonal, T lumped) {
  return lumped > static_cast<T>(least_lumped_diagonal) * diagonal;
}

/// How the entries of a row of P = (I − ω D_F⁻¹ A_F) T follow from sums over its row of A, the weak entries of which
/// are added to the diagonal.
template <class T>
class LumpedRow {
 public:
  LumpedRow() = default;

  /// @param diagonal  a_ii
  /// @param dropped   Σ of the weak entries
  /// @param damping   ω
  /// @param is_free   whether the row is in no aggregate. Its row of T is zero, and all that P has there is ω times the
  ///                  mean of its neighbours: then ω is 1, which keeps the near-nullspace
  AMGSOLVE_HOST_DEVICE LumpedRow(T diagonal, T dropped, T damping, bool is_free) {
    // Lumping may not turn the diagonal around: then the row keeps its own.
    const bool lumped = diagonal + dropped > T{0};
    const T filtered_diagonal = lumped ? diagonal + dropped : diagonal;
    scale_ = filtered_diagonal != T{0} ? -(is_free ? T{1} : damping) / filtered_diagonal : T{0};
    own_factor_ = T{1} + (lumped ? scale_ * dropped : T{0});
  }

  /// From Σ a_ij t_jc over the strong entries in an aggregate, and t_ic where the aggregate is the row's own.
  AMGSOLVE_HOST_DEVICE T entry(T sum, bool is_own, T t) const {
    const T smoothed = sum * scale();
    return is_own ? smoothed + own(t) : smoothed;
  }

  /// What entry() makes of a sum where the aggregate is not the row's own, and what it adds where it is.
  AMGSOLVE_HOST_DEVICE T scale() const { return scale_; }
  AMGSOLVE_HOST_DEVICE T own(T t) const { return own_factor_ * t; }

 private:
  T scale_;
  T own_factor_;
};

}  // namespace amgsolve
