#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "amg/check_matrix.hpp"
#include "amg/hierarchy.hpp"
#include "amg/memory_forecast.hpp"
#include "amg/options.hpp"
#include "amg/result.hpp"
#include "core/context.hpp"
#include "spmv/csr_matrix.hpp"
#include "spmv/multi_vector.hpp"

namespace amgsolve {

/// What is wrong where there is no hierarchy to solve with.
inline constexpr const char* no_hierarchy = "setup() has not run, or failed, or update_values() has failed since";

/// How one solve goes, where that is not as SolverOptions say.
template <class T, MemorySpace S>
struct SolveChoices {
  std::optional<double> tolerance{};
  std::optional<int> max_iterations{};
  FormProduct<T, S> product{};  ///< in place of products with the matrix that was set up

  /// The options with what is chosen in their place.
  SolverOptions in(SolverOptions options) const {
    options.tolerance = tolerance ? tolerance : options.tolerance;
    options.max_iterations = max_iterations.value_or(options.max_iterations);
    return options;
  }
};

/// Throws std::invalid_argument that new values need a near-nullspace, or coordinates, that nobody has kept.
[[noreturn]] void throw_candidates_not_kept();

/// Solves A x = b by smoothed-aggregation multigrid (Vaněk, Mandel, Brezina 1996) under a Krylov method: conjugate
/// gradients for a symmetric positive definite A (or semi-definite, with b in its range), GMRES or BiCGStab for a
/// regular A that is not symmetric, or is not definite, or MINRES for a symmetric one, with the hierarchy of
/// raised_diagonal(A), which is definite whatever A is. Where A's diagonal is negative, −A x = −b is what is set up and
/// solved. T is float or double. setup() once, solve() many times.
template <class T, MemorySpace S>
class AmgSolver {
 public:
  AmgSolver(const AmgOptions& amg, const SolverOptions& solver);
  ~AmgSolver();
  AmgSolver(AmgSolver&&) noexcept;
  AmgSolver& operator=(AmgSolver&&) noexcept;

  /// Check A and build the hierarchy. A is kept, in the storage that options choose; a borrowed one must outlive the
  /// solver, which reads it where that is CSR.
  /// @param near_nullspace  n × k candidates B that coarse spaces must reproduce, completed by with_translations()
  ///                        where there are b > 1 unknowns a node; empty (rows = 0): see coordinates
  /// @param coordinates     nodes × 2 or 3, where the nodes lie: of these the candidates are rigid_body_modes() where
  ///                        b > 1. Else they are the constant, for b > 1 one for each of the unknowns of a node, or
  ///                        scaled_constants() or relaxed_constants() of a symmetric A
  /// @param findings        what check_matrix() told of this A, where that ran; else null, and it runs
  /// The unknowns a node are options.block_size, or n / nodes, or those that find_block_size() finds.
  /// Throws InputError (not square, invalid structure, NaN or infinity, zero row, not symmetric where the method needs
  /// it, vectors or coordinates that do not fit) and BreakdownError (diagonal entries of both signs, or zero), each
  /// naming the row at fault. Phases: "setup" > "check", "relaxation", "conversion", "diagonal", "symmetric part",
  /// "strength", "aggregation", "spectral radius", "tentative", "prolongator", "transpose", "galerkin product",
  /// "smoother", "storage", "coarse factor".
  void setup(Context<S>& ctx, CsrMatrix<T, S> A, MultiVectorView<const T, S> near_nullspace = {},
             MultiVectorView<const T, S> coordinates = {}, const MatrixFindings* findings = nullptr);

  /// What a setup of A will take, by its first steps: up to P of the finest level, which is let go again, and some rows
  /// of A P and Pᵀ A P. Takes less memory than a setup. Leaves this as it is.
  /// Throws what setup() throws.
  /// @param system  with the rows and entries of A; receives what is found of it
  void survey(Context<S>& ctx, const CsrMatrix<T, S>& A, MultiVectorView<const T, S> near_nullspace,
              MultiVectorView<const T, S> coordinates, SystemSize& system) const;

  /// Take an A of the same pattern with new values, as SolverOptions::reuse says. Where the last solve shows by
  /// HierarchyWear::is_outdated() that what was kept does not serve any more, the hierarchy is set up anew instead,
  /// which a note in the profile tells. The near-nullspace is that of setup(); with Reuse::none
  /// only the default is kept, not one from vectors or coordinates. Throws std::invalid_argument where sizes do not
  /// match, setup() did not run or the near-nullspace is not kept, and InputError where something is reused and the
  /// pattern is another one, or where A is refused, both of which leave the solver as it was; else what setup() throws,
  /// after which there is nothing to solve with until an A that comes can be set up. Phases: "update" > those of
  /// setup() that reuse leaves.
  void update_values(Context<S>& ctx, CsrMatrix<T, S> A);

  /// Solve for all columns of b together, starting from x. What of the null space of a singular A is known is left out
  /// of b and x; with a product, where Nullspace::is_also_of() holds for it. Non-convergence is a result and not an
  /// exception; throws std::invalid_argument where sizes do not match or setup() did not run, InputError where b
  /// or x is not finite. A solve with a product says nothing of whether the hierarchy is outdated.
  /// Phases: "solve" > "null space", "krylov", "smoothing", "residual", "restriction", "prolongation", "coarse solve",
  /// "true residual", "constants check".
  SolveResult solve(Context<S>& ctx, MultiVectorView<const T, S> b, MultiVectorView<T, S> x,
                    const SolveChoices<T, S>& choices = {});

  /// z = M⁻¹ r: one cycle from z = 0. Throws std::invalid_argument where sizes do not match or setup() did not run.
  /// Phases: "precondition" > those of a cycle.
  void precondition(Context<S>& ctx, MultiVectorView<const T, S> r, MultiVectorView<T, S> z);

  /// Another solver of what was set up, with vectors of its own: see MultigridPreconditioner::share(). It takes no new
  /// values. Throws std::invalid_argument where setup() did not run.
  AmgSolver share(Context<S>& ctx) const;

  HierarchySummary summary() const;

  /// See MultigridPreconditioner. Numbered by node.
  CsrMatrix<T, Host> level_matrix(Context<S>& ctx, Context<Host>& host, int level, LevelPart part) const;

  /// See MultigridPreconditioner. Nodes have the unknowns that summary() tells.
  std::vector<std::vector<Index>> aggregates(Context<S>& ctx) const;

 private:
  SolveResult solve_by_node(Context<S>& ctx, MultiVectorView<const T, S> b, MultiVectorView<T, S> x,
                            const SolveChoices<T, S>& choices);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace amgsolve
