#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/operator.hpp"

/// The choices of the multigrid setup and of the solve. Their defaults are the documented ones of problem.yaml.
namespace amgsolve {

/// See the table in smoother.cpp.
enum class SmootherType {
  /// chebyshev, which needs real eigenvalues; of nodes of shells, and of those whose unknowns are strongly coupled,
  /// block_chebyshev, see options_for_nodes(); gmres_polynomial for a matrix that is not symmetric
  automatic,
  jacobi,
  l1_jacobi,
  chebyshev,
  chebyshev_opt_fourth,
  block_jacobi,
  block_chebyshev,
  gauss_seidel,
  hybrid_gauss_seidel,
  gmres_polynomial
};

struct SmootherOptions {
  SmootherType type = SmootherType::automatic;
  double damping = 4.0 / 3.0;  ///< of jacobi and block_jacobi, divided by ρ(D⁻¹A)
  /// Of the polynomial; absent: default_degree, of gmres_polynomial default_residual_degree
  std::optional<int> degree{};
  /// Lower end of the Chebyshev interval, as a fraction of ρ. Absent: AmgSolver takes 0.12 for several unknowns a node,
  /// whose aggregates are larger than those of one; else 0.2.
  std::optional<double> lower_fraction{};
  int pre_sweeps = 1;
  int post_sweeps = 1;
};

inline constexpr int default_degree = 2;
inline constexpr int default_residual_degree = 3;
inline constexpr double default_lower_fraction = 0.2;
inline constexpr double lower_fraction_of_blocks = 0.12;

inline constexpr int default_spectral_radius_steps = 7;

/// Nodes of as many unknowns have displacements and rotations, whose units differ: their blocks are inverted.
inline constexpr Index unknowns_of_shells = 6;

/// What is known of the matrix of a hierarchy.
enum class MatrixKind {
  definite,   ///< symmetric and, or so the method needs it, positive (semi-)definite
  symmetric,  ///< symmetric, under a method that does not need it to be definite
  general     ///< not symmetric
};

/// How often a cycle visits the next coarser level, see Cycle.
enum class CycleType {
  automatic,  ///< k for a matrix that is not symmetric under a method that is flexible, else v
  v,
  w,
  f,
  k
};

/// What the hierarchy is stored and the cycle computed in. The Krylov method, its residuals and the solution always
/// have the matrix's own type.
enum class Precision {
  automatic,  ///< mixed for one unknown a node and one candidate where rows differ in size by less than 65536
  same,       ///< the matrix's own type
  mixed       ///< float under a double matrix: half the values to move
};

/// How unknown c of node I is numbered, of n nodes with b unknowns each.
enum class Numbering {
  by_node,  ///< b I + c
  by_field  ///< c n + I
};

/// Which couplings count as strong.
enum class StrengthMeasure {
  automatic,        ///< signed_relative where there are as many candidates as unknowns a node, else symmetric
  signed_relative,  ///< those that pull with the near-nullspace, relative to the rows' largest: see couplings.hpp
  symmetric         ///< |a_ij| > θ √(a_ii a_jj): see strength.hpp
};

struct StrengthOptions {
  StrengthMeasure measure = StrengthMeasure::automatic;
  /// θ; absent: 0.02 for symmetric, else 0.35, and more where couplings have a direction, see Coarsening
  std::optional<double> threshold{};
};

/// Systems of up to this many rows may be factored as they are: 800 MB.
inline constexpr Index most_direct_rows = 10'000;

inline constexpr double default_prolongator_damping = 4.0 / 3.0;

struct AmgOptions {
  MatrixKind matrix = MatrixKind::definite;  ///< no choice: AmgSolver finds out
  StrengthOptions strength;
  /// Unknowns per node of the finest level; strength is between nodes. Absent: AmgSolver finds it from coordinates or
  /// by find_block_size(), and what is set up without it takes 1.
  std::optional<Index> block_size{};
  Numbering unknowns = Numbering::by_node;  ///< of the unknowns of the nodes; what AmgSolver sets up is by node
  /// Smooth the prolongator with A without its weak couplings, lumped; absent: where the measure is signed_relative.
  std::optional<bool> filter{};
  /// Smoothing steps of the prolongator, 1 or 2; absent: two where couplings have a direction, see Coarsening.
  std::optional<int> prolongator_steps{};
  /// A prolongator that makes a coarse matrix of more than this times the level's entries, or all levels denser than
  /// is wanted by this, is made sparser, see Interpolator and Coarsening.
  double density_limit = 0.5;
  /// ω ρ(D⁻¹A) of a prolongator of one smoothing step; 0: P is not smoothed. Two steps have dampings of their own.
  double prolongator_damping = default_prolongator_damping;
  int spectral_radius_steps = default_spectral_radius_steps;  ///< Lanczos steps of the estimate of ρ(D⁻¹A)
  /// On each level; the last serves all below. See Coarsening
  std::vector<int> aggregation_passes = {1, 2, 3};
  double coarsening_stall_ratio = 0.9;  ///< a level that keeps more than this fraction of the rows is not coarsened
  int max_levels = 25;
  Index coarse_size = 500;          ///< a level of at most this many rows is solved directly
  Index direct_solve_limit = 2000;  ///< a larger one that cannot be coarsened is too, up to this many; see Hierarchy
  CycleType cycle = CycleType::automatic;
  double over_correction = 1.07;  ///< scaling of a coarse correction by a V-cycle, see Cycle
  SmootherOptions smoother;
  Precision precision = Precision::automatic;
  Storage storage = Storage::automatic;  ///< of the levels' matrices
  bool keeps_aggregates = false;         ///< for Level::aggregate_of_node, which is to be looked at

  /// Whether a matrix of so many rows is factored, without any level below it.
  bool solves_directly(Index rows) const {
    return rows <= coarse_size || (max_levels <= 1 && rows <= direct_solve_limit);
  }
  /// Of several ranks every one has the levels of at most this many entries whole, and works on them by itself.
  /// Empty: see replicated_entries()
  std::optional<Offset> replicate_below;
  /// Those of at most this many it sets up whole by itself, to keep its part of them. Empty: see set_up_whole_entries()
  std::optional<Offset> set_up_whole_below;
  SpgemmOptions spgemm;
};

enum class Method {
  /// cg for a symmetric matrix, fcg where its cycle is not symmetric; fgmres for one that is not, or of which the cycle
  /// need not be definite
  automatic,
  cg,        ///< preconditioned conjugate gradients
  fcg,       ///< flexible conjugate gradients (Notay 2000): for a preconditioner that varies
  minres,    ///< MINRES (Paige, Saunders 1975): for a symmetric matrix of any signs
  gmres,     ///< restarted GMRES (Saad, Schultz 1986): for any regular matrix
  fgmres,    ///< flexible GMRES (Saad 1993)
  bicgstab,  ///< BiCGStab (van der Vorst 1992): for any regular matrix, in little memory
  amg        ///< multigrid cycles alone
};

/// The methods and their names in problem.yaml.
inline constexpr std::array<std::pair<std::string_view, Method>, 8> method_names = {{{"auto", Method::automatic},
                                                                                     {"cg", Method::cg},
                                                                                     {"fcg", Method::fcg},
                                                                                     {"minres", Method::minres},
                                                                                     {"gmres", Method::gmres},
                                                                                     {"fgmres", Method::fgmres},
                                                                                     {"bicgstab", Method::bicgstab},
                                                                                     {"amg", Method::amg}}};

constexpr std::string_view name(Method method) {
  return std::ranges::find(method_names, method, &std::pair<std::string_view, Method>::second)->first;
}

/// What AmgSolver::update_values() keeps of the hierarchy.
enum class Reuse {
  none,      ///< nothing: a full setup
  pattern,   ///< the aggregates and all patterns; every number is formed anew. Takes memory for the plans of products
  hierarchy  ///< the coarse levels as they are: only the finest level's matrix and smoother are new
};

/// What an x counts as that misses the tolerance by no more than rounding errors, see iterate().
enum class Stopping {
  attainable,  ///< converged
  strict       ///< not converged
};

struct SolverOptions {
  Method method = Method::automatic;
  /// Stop at ‖b − A x‖ ≤ tolerance · ‖b‖, in every column; absent: default_tolerance.
  std::optional<double> tolerance{};
  Stopping stopping = Stopping::attainable;
  int max_iterations = 1000;
  int restart = 30;  ///< steps of gmres and fgmres after which they begin anew
  Reuse reuse = Reuse::none;
  double rebuild_factor = 1.5;  ///< a solve so much slower than the first ends a reuse, see HierarchyWear
};

/// The tolerance for a matrix of values T. That of float is 80 roundings, so that a condition number may spoil some.
template <class T>
constexpr double default_tolerance = sizeof(T) == sizeof(double) ? 1e-8 : 1e-5;

}  // namespace amgsolve
