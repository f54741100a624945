#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "amg/options.hpp"
#include "core/types.hpp"
#include "spgemm/galerkin.hpp"
#include "spmv/storages.hpp"

namespace amgsolve {

/// Why an iteration ended; of several right-hand sides' reasons the last in this order counts.
enum class StopReason {
  converged,
  attained,   ///< the tolerance cannot be met, and the backward error is at rounding level: see iterate()
  stagnated,  ///< the recurrence converged, the true residual does not follow: rounding errors
  max_iterations,
  diverged,                   ///< the residual grew by more than any condition number allows
  indefinite_matrix,          ///< pᵀA p ≤ 0 in conjugate gradients
  indefinite_preconditioner,  ///< rᵀM⁻¹r < 0 in conjugate gradients or MINRES
  exhausted,                  ///< a vanishing pivot in GMRES, inner product in BiCGStab or CG, or step of AMG
  singular,                   ///< none of the above converged, and A is singular; in MINRES a vanishing pivot
  not_finite,                 ///< NaN or infinity, in a step that was not taken or the residual
  interrupted,                ///< Context::set_stop(): before it could converge
};

/// One sentence for people.
std::string describe(StopReason reason);

/// What candidates for a near-nullspace are.
enum class Modes {
  constants,
  scaled_constants,   ///< see there
  relaxed_constants,  ///< these, or constants: see there
  of_coordinates,     ///< rigid-body modes, scaled and relaxed ones too
  given               ///< vectors of the caller's
};

/// Whether a new matrix has others.
inline bool are_constants(Modes modes) { return modes != Modes::of_coordinates && modes != Modes::given; }

/// What they are times 1 / √a_ii, and relaxed.
inline Modes scaled(Modes modes) { return modes == Modes::constants ? Modes::scaled_constants : modes; }
inline Modes relaxed(Modes modes) { return are_constants(modes) ? Modes::relaxed_constants : modes; }

/// How relaxed_constants() came about.
struct Relaxation {
  int products = 0;           ///< with A; 0: they did not
  double image_before = 0.0;  ///< the mean_images() of the constants
  double image = 0.0;         ///< theirs
};

/// In which part of the rows a symmetric A takes candidates B far from zero: |A B| is no small part of |A| |B| for one
/// of them. Rows beside a fixed boundary are a few, or where the body is small at most about half of them.
struct FailingRows {
  double share = 0.0;
  double otherwise = 1.0;  ///< with the other numbering of the unknowns; looked for where the share is most of the rows

  bool are_most() const { return share > 0.5; }
  bool tell_of_numbering() const { return are_most() && otherwise <= 0.5; }
};

/// Whether candidates stand for what A takes nearly to zero, and if not, what may be wrong.
struct ModesCheck {
  Modes modes = Modes::constants;
  Numbering numbering = Numbering::by_node;  ///< that A is said to have
  FailingRows of_constants{};                ///< those of several unknowns a node
  FailingRows of_vectors{};  ///< the candidates, where they are not these; those given with the one numbering alone
  Relaxation relaxation{};   ///< of relaxed constants or rigid-body modes

  bool fail_by_numbering() const { return of_constants.tell_of_numbering() || of_vectors.tell_of_numbering(); }
  /// The vectors are none of A's, or in another order; of a body that is not free, as one with a mass term, rotations
  /// are no worse than translations.
  bool fail_by_vectors() const {
    return of_vectors.are_most() && !(modes == Modes::of_coordinates && of_constants.are_most());
  }
};

/// How well the constants of the unknowns of a node, B, stand for what a symmetric A takes nearly to zero.
struct ConstantsCheck {
  double defect = 0.0;  ///< ‖A B‖ / ‖|A| |B|‖, of the worst of them: 1 where A takes nothing away from them
  double scaled_defect = 0.0;       ///< the same of B with row i divided by √|a_ii|
  Index block_size = 1;             ///< unknowns a node that B is of
  Index node_size = 1;              ///< block_size; where that is 1, as the rows look like
  ModesCheck modes{};               ///< of the candidates that A is, or would be, set up with
  bool has_block_smoother = false;  ///< what was slow inverts the blocks of a node's unknowns
};

/// What an x leaves in the norm ‖D^(−1/2) ·‖, D the diagonal of A: that of the system whose rows and columns are scaled
/// to a unit diagonal, whatever the units of the unknowns are.
struct ScaledResidual {
  double relative_residual = 0.0;  ///< ‖D^(−1/2) (b − A x)‖ / ‖D^(−1/2) b‖
  double backward_error = 0.0;     ///< ‖D^(−1/2) (b − A x)‖ / ‖D^(−1/2) (|b| + |A| |x|)‖
};

/// Not std::max: a NaN must show.
inline double worse_of(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

/// ‖b − A x‖ / ‖b‖, or that of the scaled system where it is less: rounding errors of rows far larger than others may
/// be more than all of b, and x be as good as any.
inline double left_over(double relative_residual, const std::optional<ScaledResidual>& scaled) {
  return scaled ? std::fmin(relative_residual, scaled->relative_residual) : relative_residual;
}

/// How a solve has ended for one right-hand side.
struct ColumnResult {
  double relative_residual = 0.0;
  double backward_error = 0.0;
  std::optional<ScaledResidual> scaled{};

  /// Whether x = 0 would leave less of b, in whatever units; NaN is worse, too.
  bool is_worse_than_zero() const { return !(left_over(relative_residual, scaled) <= 1.0); }
};

/// A solve of as many iterations is slow.
inline constexpr int slow_iterations = 100;

/// The outcome of a solve. With several right-hand sides the scalars are the worst column's.
struct SolveResult {
  StopReason reason = StopReason::max_iterations;
  Method method = Method::cg;       ///< never automatic
  bool is_negated = false;          ///< A has a negative diagonal: -A x = -b was solved
  double lopsided = 0.0;            ///< see lopsided_share(), of the A that was set up last; 0 where it is symmetric
  bool has_earlier_levels = false;  ///< new values have come since the setup that has made the hierarchy
  int iterations = 0;
  double relative_residual = 0.0;  ///< ‖b − A x‖ / ‖b‖ recomputed from x in double; ‖b − A x‖ / ‖b − A x₀‖ where b = 0
  double backward_error = 0.0;            ///< ‖b − A x‖ / ‖|b| + |A| |x|‖, likewise: see iterate()
  std::optional<double> jacobi_change{};  ///< ‖D⁻¹(b − A x)‖ / ‖x‖, of an x that has converged where rows differ in
                                          ///< size: see iterate()
  std::optional<ScaledResidual>
      scaled{};                ///< of an x that misses the tolerance where rows differ in size: see iterate()
  double outside_range = 0.0;  ///< the norm of b's part in the null space of A, which was left out, relative to b's
  int outside_column = 0;      ///< the right-hand side with the largest such part
  double convergence_factor = std::numeric_limits<double>::quiet_NaN();  ///< geometric mean of the residual reduction
                                                                         ///< of an iteration; NaN where none was made
  std::vector<double> residual_history;  ///< relative residual before the first and after each iteration
  std::vector<int> column_iterations;    ///< for each right-hand side, iterations until it met the tolerance
  std::vector<ColumnResult> columns;     ///< for each right-hand side
  std::optional<ConstantsCheck> slow{};  ///< where it was slow: of a symmetric A; under MINRES see raised_diagonal()
  int given_up = 0;                      ///< right-hand sides with x = 0 in place of one that was worse
  std::int64_t null_vectors_found = 0;   ///< in what an earlier attempt had come to: see solve_system()

  /// Forms residuals, backward errors, the last entry of the history and the convergence factor of what the columns
  /// say.
  void take_worst_of_columns();
};

/// One line of the hierarchy table.
struct LevelSummary {
  std::int64_t rows = 0;
  Offset nnz = 0;
  std::size_t bytes = 0;  ///< matrices as stored, smoother, vectors of the cycle, direct solver; not what reuse keeps
  Storage storage = Storage::automatic;          ///< of A
  std::int64_t aggregates = 0;                   ///< 0 on the coarsest level
  double mean_aggregate_size = 0.0;              ///< nodes per aggregate; 0 on the coarsest level
  double strength_threshold = 0.0;               ///< θ; 0 on the coarsest level
  double dropped_weight = 0.0;                   ///< mean share of a row's weight that the filter dropped
  int prolongator_steps = 0;                     ///< smoothing steps of P; 0 on the coarsest level
  double truncation = 0.0;                       ///< τ of truncate_prolongator(); 0: none
  Offset smoothing_entries = 0;                  ///< see InterpolationChoices::entries
  double density = 0.0;                          ///< entries of the next coarser matrix over those of this one
  double spectral_radius = 0.0;                  ///< the estimate of ρ(D⁻¹A); 0 where none was needed
  std::optional<GalerkinStatistics> products{};  ///< to the next coarser level; where spgemm.statistics asks for them
};

struct HierarchySummary {
  std::vector<LevelSummary> levels;  ///< level 0 is the finest
  double operator_complexity = 0.0;  ///< Σ nnz / nnz of level 0
  double grid_complexity = 0.0;      ///< Σ rows / rows of level 0
  bool may_be_singular = false;      ///< a pivot, component or row of a coarse level may be rounding errors
  Index vanishing_pivots = 0;        ///< that the factors of the coarsest level leave out
  std::string coarse_solver;         ///< "dense LDLT", or why the coarsest level is only smoothed
};

}  // namespace amgsolve
