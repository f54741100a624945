#pragma once

#include <memory>
#include <vector>

#include "amg/options.hpp"
#include "amg/result.hpp"
#include "amg/solver.hpp"
#include "dist/local_matrix.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// Whether the options leave levels of nodes of so many unknowns to be shared by ranks, see SharedSolver.
bool can_share_levels(const AmgOptions& amg, const SolverOptions& solver, bool is_symmetric, Index block_size);

/// The rows of all ranks, one rank's after another's, from those of each: a near-nullspace, or nodes' coordinates.
/// Empty where no rank has any. Collective. Throws InputError where ranks have different numbers of columns.
/// @param what  these are, for the message
template <class T, MemorySpace S>
MultiVector<T, S> rows_of_all(Context<S>& ctx, MultiVectorView<const T, S> own, const char* what);

/// What AmgSolver does for a matrix whose rows ranks share, to the same bits on any number of ranks, of devices where
/// these are of one model. All calls are collective, and throw the same on all ranks.
///
/// Levels of more than replicated_entries() are shared where A has a diagonal of one sign or the method is minres, A is
/// regular, or, but for minres, symmetric and singular with a connected graph and all candidates in its null space,
/// each rank has all unknowns of its nodes, a near-nullspace of nodes of several begins with the translations, the
/// smoother is not one by which nodes wait for others, and nothing of the hierarchy is to be reused. Any other matrix
/// each rank gets whole, and all solve it by an AmgSolver of their own.
template <class T, MemorySpace S>
class SharedSolver {
 public:
  SharedSolver(const AmgOptions& amg, const SolverOptions& solver);
  ~SharedSolver();
  SharedSolver(SharedSolver&&) noexcept;
  SharedSolver& operator=(SharedSolver&&) noexcept;

  /// Check A and build the hierarchy. Throws what AmgSolver::setup() throws.
  /// @param A               this rank's rows
  /// @param near_nullspace  this rank's rows of it, of which every rank then has those of all
  /// @param coordinates     of all nodes, as AmgSolver takes them
  void setup(Context<S>& ctx, RankRows<T, S> A, MultiVectorView<const T, S> near_nullspace = {},
             MultiVectorView<const T, S> coordinates = {});

  /// New values in this rank's rows; see AmgSolver. Where levels are shared they are set up anew, the former ones being
  /// there until the rows have been checked.
  void update_values(Context<S>& ctx, RankRows<T, S> A);

  /// Solve for all columns of b together, starting from x, both of this rank's rows; see AmgSolver.
  /// @param choices  whose product is of this rank's rows, and throws on all ranks or on none
  SolveResult solve(Context<S>& ctx, MultiVectorView<const T, S> b, MultiVectorView<T, S> x,
                    const SolveChoices<T, S>& choices = {});

  /// z = M⁻¹ r, both of this rank's rows; see AmgSolver.
  void precondition(Context<S>& ctx, MultiVectorView<const T, S> r, MultiVectorView<T, S> z);

  /// Of the whole hierarchy.
  HierarchySummary summary() const;

  /// Levels that ranks share, from the finest on; the others each of them has whole.
  std::size_t shared_levels() const;

  /// Of the nodes of the whole matrix, on every rank; see AmgSolver. Collective.
  std::vector<std::vector<Index>> aggregates(Context<S>& ctx) const;

  /// Rows of other ranks that a product with A needs here.
  std::int64_t ghosts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace amgsolve
