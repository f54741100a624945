#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "core/context.hpp"
#include "dist/halo.hpp"
#include "dist/layout.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"
#include "spmv/statistics.hpp"

namespace amgsolve {

/// Whether the unknowns of each node of a symmetric A, numbered node by node, are smooth by themselves: with t_c = 1 at
/// unknown c of every node, and D the diagonal of A, Σ_c t_cᵀ A t_c ≤ 1.5 · 1ᵀ A 1 + 64 ε · trace D. Where the unknowns
/// are in units of their own it is asked of them in one, S A S with S = diag(scaled_constants()) of one unknown a node.
///
/// A product of A with as many columns as a node has unknowns, and one with one column for the first answer. The sums
/// are those of all ranks, in the bits of one. Synchronises.
template <class T, MemorySpace S>
class SmoothUnknowns {
 public:
  /// @param A           outlives this
  /// @param magnitudes  of its rows, on all ranks
  /// @param layout      where A is a strip of a matrix that ranks share: of its columns
  SmoothUnknowns(const CsrMatrix<T, S>& A, const RowMagnitudes& magnitudes,
                 std::shared_ptr<const Layout<S>> layout = nullptr)
      : A_(&A), magnitudes_(magnitudes), layout_(std::move(layout)) {}

  /// Of nodes of so many. Collective.
  bool are_smooth(Context<S>& ctx, Index block_size);

 private:
  void find_units(Context<S>& ctx);
  double energy_of_constants(Context<S>& ctx, Index columns) const;
  double trace(Context<S>& ctx) const;

  const CsrMatrix<T, S>* A_;
  RowMagnitudes magnitudes_;
  std::shared_ptr<const Layout<S>> layout_;  ///< null on one rank
  std::shared_ptr<Halo<T, S>> window_{};     ///< likewise
  std::optional<MultiVector<T, S>> units_{};
  std::optional<double> most_{};  ///< energy that is smooth
};

}  // namespace amgsolve
