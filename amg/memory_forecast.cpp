#include "amg/memory_forecast.hpp"

#include <algorithm>
#include <cmath>

#include "amg/approach.hpp"
#include "amg/shared_solver.hpp"
#include "amg/smoother.hpp"
#include "spmv/storage_choice.hpp"

namespace amgsolve {

namespace {

constexpr double index_bytes = sizeof(Index);
constexpr double offset_bytes = sizeof(Offset);

/// What 63 bits can count.
constexpr double most_bytes = 9e18;

/// Rows of more entries than this are those of meshes in space.
constexpr double longest_row_in_plane = 20.0;

/// Padding of slices: on grids, and elsewhere.
constexpr double grid_padding = 1.05;
constexpr double other_padding = 1.2;

/// How a matrix will lie in memory.
Storage expected_storage(Storage wanted, bool is_grid) {
  const bool takes_patterns = wanted == Storage::automatic || wanted == Storage::pattern;
  return takes_patterns && is_grid ? Storage::pattern : std::min(wanted, Storage::sell);
}

/// What coarsening makes of a level, in nodes: numbers for each row.
struct CoarseningSizes {
  double aggregate;  ///< nodes in an aggregate
  double P;          ///< aggregates in a row of P
  double AP;         ///< aggregates in a row of A P
  double coarse;     ///< entries in a row of the coarse matrix
};

Connectivity resolve(Connectivity connectivity, double row) {
  if (connectivity != Connectivity::unknown) {
    return connectivity;
  }
  return row > longest_row_in_plane ? Connectivity::space : Connectivity::plane;
}

/// @param row  entries of a row, in nodes
CoarseningSizes expected_shape(Connectivity connectivity, int level, double row) {
  const double below = level - 1.0;
  switch (connectivity) {
    case Connectivity::directed:
      return level == 0 ? CoarseningSizes{0.8 * row, 4.3, 9.1, 23.5}
                        : CoarseningSizes{6.1, 5.9 + 2.5 * below, 3.1 * (5.9 + 2.5 * below), 1.6 * row};
    case Connectivity::space: {
      const double P = level == 0 ? 3.1 + 0.05 * row : level == 1 ? 5.0 : 7.0;
      return level == 0 ? CoarseningSizes{1.6 * row, P, 2.4 * P, 27.0 + 0.7 * row}
                        : CoarseningSizes{10.0, P, (level == 1 ? 4.2 : 5.5) * P, (level == 1 ? 2.0 : 1.5) * row};
    }
    default: {
      const double P = level == 0 ? 2.2 + 0.04 * row : 2.9 + 0.45 * below;
      return level == 0 ? CoarseningSizes{1.48 * row, P, 1.82 * P, 9.0 + 0.32 * row}
                        : CoarseningSizes{6.6, P, 2.5 * P, row + 6.0};
    }
  }
}

/// Trilinear elements have couplings of zero.
bool has_weak_couplings(const LevelSize& level, double row) {
  return level.connectivity == Connectivity::directed ||
         (level.connectivity == Connectivity::space && row > longest_row_in_plane);
}

double csr_bytes(double rows, double nnz, double value_bytes) {
  return expected_bytes(Storage::csr, rows, nnz, 1.0, value_bytes);
}

/// Scratch of a product on the host, whose rows are formed in chunks of memory: see RowChunks.
double product_scratch(double rows, double products, double entries, double value_bytes, int threads) {
  const double chunk = std::min(products, static_cast<double>(1 << 19));
  const double first = chunk * threads;
  const double chunks = entries < 0.9 * first ? first : 1.1 * entries + 0.9 * first;
  return offset_bytes * rows + (index_bytes + value_bytes) * chunks;
}

bool is_mixed(const SystemSize& system, Index block_size, Index candidates, Precision precision) {
  return system.value_bytes == sizeof(double) &&
         (precision == Precision::mixed || (precision == Precision::automatic && block_size == 1 && candidates == 1));
}

/// Iterations that usually meet the tolerance.
double usual_iterations(double tolerance) {
  // fgmres took 9 to 14 iterations for 1e-8 of convection and diffusion in the plane and in space, Péclet 10 to 1000.
  constexpr double usual_factor = 0.2;
  return tolerance > 0.0 && tolerance < 1.0 ? std::ceil(std::log(tolerance) / std::log(usual_factor)) : HUGE_VAL;
}

/// Vectors of the basis of a Krylov method that keeps one, at most: those after which it restarts, or which it may
/// take.
double largest_basis(const SolverOptions& solver) { return std::min(solver.restart, solver.max_iterations); }

double expected_basis(const SystemSize& system, const SolverOptions& solver) {
  const double expected =
      system.iterations.value_or(usual_iterations(solver.tolerance.value_or(default_tolerance<double>)));
  return std::min(expected, largest_basis(solver));
}

/// Of a level whose rows ranks share, the part of one of them.
std::optional<StepSizes> measured_step(const SystemSize& system, int level, double ranks) {
  if (level >= std::ssize(system.steps)) {
    return std::nullopt;
  }
  return system.steps[static_cast<std::size_t>(level)].part(1.0 / ranks);
}

/// Vectors of a method, its residual included.
/// @param steps  of the basis of one that keeps it
double vectors_of(Method method, double steps) {
  switch (method) {
    case Method::gmres:
      return 4.0 + steps;
    case Method::fgmres:
      return 4.0 + 2.0 * steps;
    case Method::bicgstab:
      return 5.0;
    case Method::minres:
      return 7.0;
    case Method::amg:
      return 2.0;
    default:
      return 3.0;
  }
}

/// Columns for each row of a rank's part of a grid: its own, and those behind the cuts beside it.
/// @param nodes  of all ranks
double window_of(double nodes, double ranks, Connectivity connectivity) {
  const double cut = std::pow(nodes, connectivity == Connectivity::space ? 2.0 / 3.0 : 0.5);
  return 1.0 + std::min(ranks - 1.0, 2.0) * cut * ranks / nodes;
}

}  // namespace

StepForecast forecast_step(const LevelSize& fine, const AmgOptions& amg, Reuse reuse, int threads) {
  const double rows = fine.rows;
  const double nnz = fine.nnz;
  const Index candidates = fine.candidates;
  const double row = std::max(nnz / (rows * fine.block_size), 1.0);  // one without entries is refused later
  const CoarseningSizes shape = expected_shape(resolve(fine.connectivity, row), fine.level, row);
  const auto value = static_cast<double>(fine.value_bytes);
  StepForecast step;
  const double nodes = rows / fine.block_size;
  step.coarse_rows =
      fine.coarse_rows > 0.0 ? fine.coarse_rows : std::max(1.0, nodes / shape.aggregate) * fine.candidates;
  const auto at_most_all = [&](double entries) { return std::min(entries * candidates, step.coarse_rows); };
  step.coarse_nnz = at_most_all(shape.coarse) * step.coarse_rows;
  double P_nnz = at_most_all(shape.P) * rows;
  double AP_nnz = at_most_all(shape.AP) * rows;
  if (fine.sizes) {
    step.coarse_rows = fine.sizes->coarse_rows;
    step.coarse_nnz = fine.sizes->coarse_nnz;
    P_nnz = fine.sizes->P_nnz;
    AP_nnz = fine.sizes->AP_nnz;
  }

  const double P_and_R = csr_bytes(rows, P_nnz, value) + csr_bytes(step.coarse_rows, P_nnz, value);
  const double coarse = csr_bytes(step.coarse_rows, step.coarse_nnz, value);
  const double vectors = (2.0 + candidates) * value * rows;  // diagonal, aggregates, basis of the candidates
  const bool is_stored_known = fine.sizes && fine.sizes->stored > 0.0;
  const Storage storage = expected_storage(amg.storage, fine.is_grid);
  const double stored = is_stored_known && storage != Storage::pattern
                            ? fine.sizes->stored
                            : expected_bytes(storage, rows, nnz, fine.level == 0 ? grid_padding : other_padding, value,
                                             fine.different_slices);
  const double stored_P_and_R =
      is_stored_known ? fine.sizes->stored_P_and_R
                      : 2.0 * expected_bytes(expected_storage(amg.storage, false), rows, P_nnz, other_padding, value);
  // Where blocks are whole, as of elastic bodies, only the pattern of nodes is formed in chunks.
  const double of_rows = fine.block_size;
  const double of_block = of_rows * candidates;
  const double AP_scratch =
      fine.block_size > 1 && fine.has_whole_blocks
          ? product_scratch(nodes, nnz * P_nnz / rows / (of_rows * of_block), AP_nnz / of_block, sizeof(float), threads)
          : product_scratch(rows, nnz * P_nnz / rows, AP_nnz, value, threads);
  const double P_scratch = product_scratch(rows, nnz, P_nnz, value, threads);
  step.scratch = std::max(P_scratch, AP_scratch);
  step.kept = stored + stored_P_and_R + smoother_bytes(amg.smoother.type, rows, fine.block_size, value);
  if (reuse == Reuse::pattern) {
    // Patterns of P and A P, places for the transpose, plans, strong couplings.
    step.kept += index_bytes * (2.0 * P_nnz + 2.0 * AP_nnz + nnz + 5.0 * rows);
  }
  double needed = coarse + std::max(csr_bytes(rows, AP_nnz, value), stored);
  if (fine.window > 0.0) {
    // What each rank has of others, and strips and lists on their way, are as much as the second factor of a product
    // once more, less the columns of A, by measurement. Where couplings are weak, what the density is found with may be
    // more: the filtered matrix, Pᵀ before its rows are handed in, P with others' rows.
    // Products by nodes of several unknowns leave room for others' rows: twice that of those behind 5 or 6 layers.
    const double window = fine.window * rows;
    const double more = of_block > 1.0 ? 2.0 * 5.5 * (fine.window - 1.0) : fine.window;
    const double product = needed + csr_bytes(more * rows, more * AP_nnz, value);
    const double density = csr_bytes(rows, nnz, value) + P_and_R + csr_bytes(window, fine.window * P_nnz, value);
    needed = std::max(product, has_weak_couplings(fine, row) ? density : 0.0) - index_bytes * nnz;
  }
  step.needed = vectors + P_and_R + step.scratch + needed;
  if (fine.sizes) {
    constexpr double matrices = 4.0;  // at most: A filtered, I − ω D⁻¹A of that and two P, or P, R and a P with less
    step.needed = std::max(step.needed, vectors + csr_bytes(matrices * rows, fine.sizes->smoothing, value) + P_scratch);
  }
  return step;
}

namespace {

/// A forecast as it is made, for the rows of one rank, or of all.
class Forecaster {
 public:
  /// @param block_size  unknowns a node
  /// @param candidates  near-nullspace vectors
  /// @param ranks       that share levels
  Forecaster(const SystemSize& system, Index block_size, Index candidates, int ranks, const AmgOptions& amg,
             const SolverOptions& solver, int threads)
      : system_(system),
        amg_(amg),
        solver_(solver),
        threads_(threads),
        block_size_(block_size),
        candidates_(candidates),
        ranks_(ranks),
        own_rows_(system.rows / ranks),
        own_nnz_(system.nnz / ranks),
        own_value_(static_cast<double>(system.value_bytes)),
        vector_(own_value_ * own_rows_),
        method_(method_for(solver.method, amg, system.is_symmetric)),
        is_mixed_(
            system.is_mixed.value_or(is_mixed(system, block_size, candidates, precision_for(amg.precision, method_)))),
        value_(is_mixed_ ? sizeof(float) : own_value_),
        is_reordered_(amg.unknowns == Numbering::by_field && block_size > 1) {}

  MemoryForecast make() {
    forecast_system();
    forecast_levels();
    forecast_solves();
    for (double* bytes :
         {&forecast_.system, &forecast_.reading, &forecast_.setup, &forecast_.solve, &forecast_.slow_solve}) {
      *bytes = std::min(*bytes, most_bytes);
    }
    for (LevelForecast& level : forecast_.levels) {
      level.bytes = std::min(level.bytes, most_bytes);
    }
    return std::move(forecast_);
  }

 private:
  /// A level as one rank has it.
  struct Level {
    double ranks;
    double rows;
    double nnz;

    Level whole() const { return {1.0, ranks * rows, ranks * nnz}; }
  };

  /// What is there when the levels begin.
  void forecast_system() {
    const double matrix = csr_bytes(own_rows_, own_nnz_, own_value_);
    of_system_ = vector_ * (2.0 * system_.columns + system_.candidates);
    forecast_.reading = system_.reading;
    forecast_.system = matrix + of_system_;
    // Candidates that are made for it, and the hierarchy's copies of them and of the matrix.
    const double copies = (system_.candidates > 0 && !is_reordered_ ? 0.0 : vector_ * candidates_) +
                          value_ * own_rows_ * candidates_ * (is_mixed_ ? 2.0 : 1.0) +
                          (is_mixed_ ? csr_bytes(own_rows_, own_nnz_, value_) : 0.0);
    const double as_operator = expected_bytes(expected_storage(amg_.storage, system_.is_grid), own_rows_, own_nnz_,
                                              grid_padding, own_value_, system_.different_slices);
    const bool has_two = method_ == Method::minres;
    beside_ = has_two ? as_operator : 0.0;
    own_operator_ = is_mixed_ ? as_operator : 0.0;
    const double two_matrices = forecast_.system + matrix + beside_;
    in_use_ = forecast_.system + copies + beside_ + own_operator_;
    forecast_.setup = std::max(in_use_, is_reordered_ || has_two ? two_matrices : 0.0);
    in_use_ -= is_mixed_ ? matrix : 0.0;
  }

  void forecast_levels() {
    Level level{static_cast<double>(ranks_), own_rows_, own_nnz_};
    for (int number = 0;; ++number) {
      const bool is_last = number + 1 >= amg_.max_levels;
      if (is_replicated(level) || is_last) {
        in_use_ += csr_bytes(level.whole().rows, level.whole().nnz, value_) - csr_bytes(level.rows, level.nnz, value_);
        level = level.whole();
      }
      const std::optional<StepSizes> sizes = measured_step(system_, number, level.ranks);
      if (level.rows <= amg_.coarse_size || is_last || (sizes && sizes->coarse_rows == 0.0)) {
        forecast_coarsest(level);
        return;
      }
      level = forecast_next(level, number, sizes);
    }
  }

  bool is_replicated(const Level& level) const {
    const Level whole = level.whole();
    return whole.nnz <= system_.replicated || whole.rows <= std::max(amg_.coarse_size, amg_.direct_solve_limit);
  }

  /// The next coarser level.
  Level forecast_next(const Level& fine, int number, const std::optional<StepSizes>& sizes) {
    const auto [ranks, rows, nnz] = fine;
    const Index block_size = number == 0 ? block_size_ : candidates_;
    const Connectivity connectivity =
        resolve(system_.connectivity, system_.nnz / std::max(system_.rows * block_size_, 1.0));
    const StepForecast step =
        forecast_step({.level = number,
                       .rows = rows,
                       .nnz = nnz,
                       .block_size = block_size,
                       .has_whole_blocks = system_.has_whole_blocks || number > 0,
                       .candidates = candidates_,
                       .value_bytes = static_cast<std::size_t>(value_),
                       .connectivity = connectivity,
                       .is_grid = system_.is_grid && number == 0,
                       .different_slices = system_.different_slices,
                       .window = ranks > 1.0 ? window_of(ranks * rows / block_size, ranks, connectivity) : 0.0,
                       .sizes = sizes},
                      amg_, solver_.reuse, threads_);
    scratch_ = std::max(scratch_, step.scratch);
    // A + Aᵀ and its diagonal, where strength and P are those of that.
    const double model = system_.is_symmetric ? 0.0 : csr_bytes(rows, nnz, value_) + value_ * rows;
    forecast_.setup = std::max(forecast_.setup, in_use_ + model + step.needed - step.scratch + scratch_);
    const MatrixKind kind = system_.is_symmetric ? MatrixKind::definite : MatrixKind::general;
    const double of_coarser = cycle_for(amg_.cycle, kind, method_) == CycleType::k ? 7.0 : 4.0;
    const double of_cycle = value_ * rows * (number == 0 ? 3.0 : of_coarser);
    forecast_.levels.push_back({ranks * rows, ranks * nnz, ranks * (step.kept + of_cycle * system_.columns)});
    forecast_.shared_levels += ranks > 1.0 ? 1 : 0;
    kept_ += step.kept;
    vectors_ += of_cycle;
    // The level's matrix has become part of what is kept.
    in_use_ += step.kept + csr_bytes(step.coarse_rows, step.coarse_nnz, value_) - csr_bytes(rows, nnz, value_);
    return {ranks, step.coarse_rows, step.coarse_nnz};
  }

  void forecast_coarsest(const Level& level) {
    const bool is_factored = level.rows <= std::max(amg_.coarse_size, amg_.direct_solve_limit);
    const double solver_bytes = is_factored ? sizeof(double) * level.rows * level.rows : value_ * level.rows;
    forecast_.setup = std::max(forecast_.setup, in_use_ + scratch_ + solver_bytes);
    const double bytes =
        solver_bytes + csr_bytes(level.rows, level.nnz, value_) + 2.0 * value_ * level.rows * system_.columns;
    forecast_.levels.push_back({level.rows, level.nnz, bytes});
    kept_ += bytes;
  }

  void forecast_solves() {
    // The residual in float, and what the cycle makes of it in T, but for those that take it in float.
    const bool takes_float = method_ == Method::cg || method_ == Method::fcg;
    const double between = is_mixed_ ? ((takes_float ? 0.0 : own_value_) + value_) * own_rows_ * system_.columns : 0.0;
    forecast_.levels.front().bytes += ranks_ * (own_operator_ + between + beside_);
    // With the residual in double that judges it.
    const double reordered = is_reordered_ ? 2.0 * vector_ * system_.columns : 0.0;
    const auto with_basis = [&](double steps) {
      const double of_method =
          (vectors_of(method_, steps) * vector_ + sizeof(double) * own_rows_) * system_.columns + reordered;
      return of_system_ + kept_ + vectors_ * system_.columns + own_operator_ + between + beside_ + of_method;
    };
    forecast_.solve = with_basis(expected_basis(system_, solver_));
    forecast_.slow_solve = with_basis(largest_basis(solver_));
  }

  const SystemSize& system_;
  const AmgOptions& amg_;
  const SolverOptions& solver_;
  int threads_;
  Index block_size_;
  Index candidates_;
  int ranks_;
  double own_rows_;
  double own_nnz_;
  double own_value_;  ///< bytes of one, as are the others
  double vector_;     ///< of the system
  Method method_;
  bool is_mixed_;
  double value_;  ///< of the hierarchy
  bool is_reordered_;
  double of_system_ = 0.0;     ///< right-hand sides, solutions, candidates
  double beside_ = 0.0;        ///< the matrix itself beside the one that preconditions it
  double own_operator_ = 0.0;  ///< the matrix as it judges a solve, before whose levels it is stored
  double in_use_ = 0.0;
  double kept_ = 0.0;     ///< by the levels, without vectors
  double vectors_ = 0.0;  ///< of the cycle, for one right-hand side
  double scratch_ = 0.0;
  MemoryForecast forecast_;
};

/// What every rank with the whole system takes, beside the strips of it that they come with.
/// @param forecast  of the whole system on one rank
MemoryForecast on_each_rank(const SystemSize& system, MemoryForecast forecast) {
  const auto value = static_cast<double>(system.value_bytes);
  const double matrix = csr_bytes(system.rows, system.nnz, value);
  const double own_vectors = 2.0 * value * system.rows * system.columns / system.ranks;
  const double all_vectors = 2.0 * value * system.rows * system.columns;
  forecast.system = matrix / system.ranks + own_vectors;
  forecast.setup = std::max(forecast.setup - all_vectors, matrix * (1.0 + 1.0 / system.ranks)) + own_vectors;
  forecast.solve += own_vectors;
  forecast.slow_solve += own_vectors;
  return forecast;
}

}  // namespace

MemoryForecast forecast_memory(const SystemSize& system, const AmgOptions& amg, const SolverOptions& solver,
                               int threads) {
  // A block of more unknowns than there are is refused later.
  const Index wanted = amg.block_size.value_or(system.block_size);
  const auto block_size = static_cast<Index>(std::clamp(system.rows, 1.0, static_cast<double>(wanted)));
  const Index candidates = system.candidates > 0 ? system.candidates : block_size;
  const bool is_shared = system.ranks > 1 && system.nnz > system.replicated &&
                         can_share_levels(amg, solver, system.is_symmetric, block_size);
  const MemoryForecast forecast =
      Forecaster(system, block_size, candidates, is_shared ? system.ranks : 1, amg, solver, threads).make();
  return system.ranks > 1 && !is_shared ? on_each_rank(system, forecast) : forecast;
}

}  // namespace amgsolve
