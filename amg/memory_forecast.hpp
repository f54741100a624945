#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "amg/options.hpp"

/// How much memory a setup and a solve will take, before they take it.
namespace amgsolve {

/// What the couplings of a matrix are like: decides how quickly levels shrink and how long their rows get.
enum class Connectivity {
  unknown,  ///< as in the plane up to 20 entries a row, else as in space: not too much where both are possible
  plane,    ///< a mesh in 2D
  space,    ///< a mesh in 3D
  directed  ///< strong in one direction, in 2D
};

/// The matrices that a level's step to the next coarser one forms: their entries, and bytes as they are stored.
struct StepSizes {
  double coarse_rows = 0.0;  ///< 0: the level is the coarsest
  double P_nnz = 0.0;
  double AP_nnz = 0.0;
  double coarse_nnz = 0.0;
  double stored = 0.0;          ///< bytes of A; 0: not known, nor are the others
  double stored_P_and_R = 0.0;  ///< of P and Pᵀ
  double smoothing = 0.0;       ///< most entries at a time of P and of matrices that it is formed from; 0: not known

  /// Those of such a share of the rows.
  StepSizes part(double share) const {
    return {share * coarse_rows, share * P_nnz,          share * AP_nnz,   share * coarse_nnz,
            share * stored,      share * stored_P_and_R, share * smoothing};
  }
};

/// About what is left of the slices of a grid where nearly all have the values of others.
inline constexpr double repeated_slices = 0.05;

/// What is known of a system before it is there.
struct SystemSize {
  double rows = 0.0;
  double nnz = 0.0;
  Index columns = 1;             ///< right-hand sides
  Index block_size = 1;          ///< unknowns a node, where the options do not say
  bool has_whole_blocks = true;  ///< no entry of two nodes' blocks is left out
  Index candidates = 0;          ///< near-nullspace vectors; 0: the default ones
  std::size_t value_bytes = 8;   ///< of the matrix: 8 or 4
  Connectivity connectivity = Connectivity::unknown;
  bool is_symmetric = true;       ///< as far as is known
  bool is_grid = false;           ///< whose rows share patterns, by which their columns are stored
  bool has_alike_rows = true;     ///< such that the host stores them so, too; see are_mostly_alike()
  double different_slices = 1.0;  ///< share of slices whose values are kept; see different_slices()
  double reading = 0.0;  ///< bytes that it takes at most to read the matrix, with the matrix; 0: it is generated
  std::optional<bool> is_mixed{};      ///< whether the hierarchy is in float beside a matrix in double, if known
  std::vector<StepSizes> steps{};      ///< from the finest level on, as far as they are measured
  std::optional<double> iterations{};  ///< of a solve, if measured
  int ranks = 1;                       ///< that have equal parts of the rows
  double replicated = 0.0;  ///< entries up to which each of several ranks has a level whole, replicated_entries()

  /// That of such a share of the rows, alike.
  SystemSize part(double share) const {
    SystemSize result = *this;
    result.rows *= share;
    result.nnz *= share;
    result.reading *= share;
    for (StepSizes& step : result.steps) {
      step = step.part(share);
    }
    return result;
  }

  /// Where the hierarchy is to be stored otherwise than what was measured.
  void forget_stored_bytes() {
    for (StepSizes& step : steps) {
      step.stored = step.stored_P_and_R = 0.0;
    }
  }
};

/// A level as LevelSummary will tell of it; of one that ranks share, rows, entries and bytes of all of them.
struct LevelForecast {
  double rows = 0.0;
  double nnz = 0.0;
  double bytes = 0.0;
};

/// Bytes in use at a time, each with the system itself; of several ranks, those of one.
struct MemoryForecast {
  std::vector<LevelForecast> levels;
  int shared_levels = 0;    ///< by ranks, from the finest on
  double system = 0.0;      ///< matrix as it is given, right-hand sides, solutions, candidates
  double reading = 0.0;     ///< at most, while the matrix is read
  double setup = 0.0;       ///< at most, during the setup
  double solve = 0.0;       ///< during the first solve
  double slow_solve = 0.0;  ///< during one that takes all the vectors that GMRES keeps until it restarts

  double peak() const { return std::max({reading, setup, solve}); }
};

/// The forecast, from what coarsening does on meshes and from what the containers take:
///
/// - An aggregate of level 0 has 1.5 nodes for each entry of a row (0.8 where couplings have a direction), further down
///   6 to 10. P has 2 to 4 aggregates a row, A P about twice as many, and the coarse matrix 10 to 50: measured on P1 to
///   P7 of examples/, 20² to 700² and 20³ to 80³.
///   Steps that were measured have their own sizes.
/// - Matrices take value and column for each entry, CSR and slices with their padding as measured; during the setup
///   both copies of a level, P, R, A P and the coarse matrix lie in memory at once, with the scratch of the products,
///   and where the hierarchy is in float the matrix as an operator, at its beginning with both copies in CSR.
/// - Where A is not symmetric, each level has A + Aᵀ beside it while the next one is formed, as many entries as A, and
///   a K-cycle three vectors more.
/// - The coarsest level takes 8 bytes for each pair of its rows, from the end of the setup on.
/// - MINRES keeps A beside the hierarchy, which is that of another matrix, and is made before A is stored.
/// - GMRES keeps the vectors of as many steps as are expected, at most those of a restart, which a slow solve takes.
/// - Reordering of unknowns has two copies of A for a while, and of vectors.
/// - A rank has its part of the rows of levels that ranks share, and for rows of others and what is on its way as much
///   as the second factor of a product once more; of all other levels, and of a system that cannot be shared,
///   everything.
///
/// Within 5 % of the peak on these problems with default options, on the host from 30 MB on; within 15 % with other
/// precisions, columns or patterns kept. Matrices that are no meshes are only guessed at; forecast_step() tells
/// more once their first aggregates are known.
/// @param threads  of the host, each of which has scratch of its own
MemoryForecast forecast_memory(const SystemSize& system, const AmgOptions& amg, const SolverOptions& solver,
                               int threads);

/// A level whose next coarser one is to be formed.
struct LevelSize {
  int level = 0;  ///< 0 is the finest
  double rows = 0.0;
  double nnz = 0.0;
  Index block_size = 1;          ///< unknowns a node
  bool has_whole_blocks = true;  ///< as that of SystemSize
  Index candidates = 1;
  double coarse_rows = 0.0;     ///< where they are known; 0: guessed
  std::size_t value_bytes = 8;  ///< of the hierarchy
  Connectivity connectivity = Connectivity::unknown;
  bool is_grid = false;              ///< as that of SystemSize
  double different_slices = 1.0;     ///< as that of SystemSize
  double window = 0.0;               ///< of a level whose rows ranks share: columns of a strip for each of its rows
  std::optional<StepSizes> sizes{};  ///< guessed where they are not known
};

/// The step from a level to the next coarser one.
struct StepForecast {
  double coarse_rows = 0.0;
  double coarse_nnz = 0.0;
  double needed = 0.0;   ///< most bytes beside the level's own matrix and vectors, while the coarse level is formed
  double scratch = 0.0;  ///< of that in the workspace, which stays until the end of the setup
  double kept = 0.0;     ///< bytes that the level keeps: its matrices as stored, smoother, what reuse needs
};

/// What is guessed to take this many times what there is surely does not fit: guesses were at most 1.6 times what was
/// needed, of chains of unknowns.
inline constexpr double surely_too_much = 2.0;

/// The part of the forecast that a level has, for one that is there.
StepForecast forecast_step(const LevelSize& fine, const AmgOptions& amg, Reuse reuse, int threads);

}  // namespace amgsolve
