#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/operand_window.hpp"

namespace amgsolve {

/// Whether the unknowns of each node of a symmetric A, numbered node by node, are smooth by themselves: with t_c = 1 at
/// unknown c of every node, and D the diagonal of A, Σ_c t_cᵀ A t_c ≤ 1.5 · 1ᵀ A 1 + 64 ε · trace D.
///
/// A product of A with as many columns as a node has unknowns, and one with one column for the first answer. The sums
/// are those of all ranks, in the bits of one. Synchronises.
template <class T, MemorySpace S>
class SmoothUnknowns {
 public:
  /// @param A  outlives this
  explicit SmoothUnknowns(const CsrMatrix<T, S>& A) : A_(&A) {}

  /// The strip A of a matrix whose rows ranks share.
  /// @param window     of its columns
  /// @param first_own  the column of its first row
  /// @param first_row  this one's number among those of all ranks
  SmoothUnknowns(const CsrMatrix<T, S>& A, std::shared_ptr<OperandWindow<T, S>> window, Index first_own,
                 std::int64_t first_row)
      : A_(&A), window_(std::move(window)), first_own_(first_own), first_row_(first_row) {}

  /// Of nodes of so many. Collective.
  bool are_smooth(Context<S>& ctx, Index block_size);

 private:
  double energy_of_constants(Context<S>& ctx, Index columns) const;
  double trace(Context<S>& ctx) const;

  const CsrMatrix<T, S>* A_;
  std::shared_ptr<OperandWindow<T, S>> window_{};  ///< null on one rank
  Index first_own_ = 0;
  std::int64_t first_row_ = 0;
  std::optional<double> most_{};  ///< energy that is smooth
};

}  // namespace amgsolve
