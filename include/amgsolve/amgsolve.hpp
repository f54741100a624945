#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <amgsolve/export.h>
#include <amgsolve/array_view.hpp>
#include <amgsolve/process_group.hpp>

/// The library for programs in C++17 and later; <amgsolve/amgsolve.h> is the one for C.

namespace amgsolve {

/// How a call ended. The application's exit codes are these numbers.
enum class Status : int {
  converged = 0,
  not_converged = 1,  ///< not within max_iterations, or rounding errors forbid; x holds the last iterate
  bad_configuration = 2,
  bad_input = 3,
  out_of_memory = 4,
  breakdown = 5,  ///< NaN, divergence, a matrix that is not positive definite
  device_failed = 6,
  interrupted = 7,     ///< Solver::stop_when() or on_iteration() asked for the end; of the command, a signal did
  internal_error = 70  ///< a mistake in amgsolve itself (EX_SOFTWARE of sysexits.h); please report it
};

/// The name of a status as reports print it, for example "not_converged".
AMGSOLVE_EXPORT std::string_view name(Status status);

/// The library's version, "0.1.0".
AMGSOLVE_EXPORT std::string_view version();

template <class T>
class Solver;

/// The choices of a solver, by the keys of problem.yaml's sections solver, amg, spgemm and distributed
/// (docs/configuration.md), at their defaults until set:
///
///     Options options;
///     options.set("solver.tolerance", 1e-10).set("amg.smoother.type", "l1_jacobi");
///
/// An unknown key, a value of the wrong type or out of range throws std::invalid_argument with the message that the
/// command prints for it, and changes nothing. Options that were moved from can only be assigned to: all else throws
/// std::invalid_argument.
class AMGSOLVE_EXPORT Options {
 public:
  Options();
  Options(const Options& other);
  Options(Options&& other) noexcept;
  Options& operator=(Options other) noexcept;
  ~Options();

  /// @param value  as problem.yaml spells it
  Options& set(std::string_view key, std::string_view value);

  template <class Number>
  std::enable_if_t<std::is_arithmetic_v<Number>, Options&> set(std::string_view key, Number value) {
    if constexpr (std::is_same_v<Number, bool>) {
      return set(key, value ? "true" : "false");
    } else if constexpr (std::is_integral_v<Number>) {
      return set(key, std::to_string(value));
    } else {
      return set_real(key, value);
    }
  }

  /// The value as problem.yaml spells it; reads back as the same.
  std::string get(std::string_view key) const;

  static std::vector<std::string> keys();

 private:
  template <class T>
  friend class Solver;
  struct State;

  Options& set_real(std::string_view key, double value);

  std::unique_ptr<State> state_;
};

/// What the calls of a Solver throw, but for what a ProcessGroup throws, which leaves them as it is; its status is one
/// of the kinds of failure. The solver remains usable: call setup() again after a setup() that failed, and solve()
/// again after a solve() that failed. What a callback throws against its contract is told as bad_input.
class AMGSOLVE_EXPORT Exception : public std::runtime_error {
 public:
  Exception(Status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  ~Exception() override;

  Status status() const noexcept { return status_; }

 private:
  Status status_;
};

/// Where arrays are.
enum class MemoryKind {
  host,
  device  ///< memory of the solver's GPU (cudaMalloc and its kind, or managed); for the backend cuda
};

/// What becomes of a matrix given to Solver::setup() or update_values().
enum class Ownership {
  borrow,  ///< used where it is: the arrays must stay unchanged until they are replaced or the solver's end
  copy     ///< copied: the arrays may go once setup() returns
};

/// The caller's arrays of a sparse matrix in compressed sparse row format: row i has the entries row_offsets[i] …
/// row_offsets[i + 1] − 1 of col_indices and values, its columns ascending and unique. Indices count from 0; both
/// triangles of a symmetric matrix are stored.
/// @tparam Offset  std::int32_t or std::int64_t
template <class T, class Offset>
struct CsrView {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  ArrayView<const Offset> row_offsets;        ///< rows + 1 values
  ArrayView<const std::int32_t> col_indices;  ///< row_offsets[rows] values
  ArrayView<const T> values;                  ///< row_offsets[rows] values
  MemoryKind memory = MemoryKind::host;       ///< of all arrays
  Ownership ownership = Ownership::borrow;
};

/// The rows that a process has of a matrix whose rows several share, in compressed sparse row format: those after the
/// rows of the processes with lower ranks, any number of them, none among them. Columns are those of the whole matrix,
/// counted from 0, ascending and unique in a row.
/// @tparam Offset  std::int32_t or std::int64_t
/// @tparam Column  std::int32_t or std::int64_t
template <class T, class Offset = std::int64_t, class Column = std::int64_t>
struct DistributedCsrView {
  std::int64_t rows = 0;                     ///< of this process
  ArrayView<const Offset> row_offsets{};     ///< rows + 1 values, from 0 on; of no rows it may be empty
  ArrayView<const Column> global_columns{};  ///< row_offsets[rows] values
  ArrayView<const T> values{};               ///< row_offsets[rows] values
  MemoryKind memory = MemoryKind::host;      ///< of all arrays
};

/// Where the nodes of an elastic body lie: nodes × dimensions values, row-major, in the matrix's memory, of the nodes
/// in the order of their unknowns.
template <class T>
struct Coordinates {
  ArrayView<const T> values{};
  int dimensions = 3;  ///< 2 or 3
};

/// A sparse matrix with arrays of its own in host memory, laid out as those of CsrView.
template <class T>
struct CsrArrays {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::int64_t> row_offsets;
  std::vector<std::int32_t> col_indices;
  std::vector<T> values;
};

/// The matrices of a level of the hierarchy: A of its own unknowns, P from the next coarser level to it, R = Pᵀ, or
/// Pᵀ diag(y) where A is not symmetric and y evens out how its rows are scaled.
enum class LevelMatrix { A, P, R };

/// A level of the hierarchy.
struct LevelStatistics {
  std::int64_t rows = 0;
  std::int64_t nonzeros = 0;
  std::int64_t bytes = 0;            ///< matrices as stored, smoother, vectors of the cycle, direct solver
  std::string storage;               ///< of A: csr, ell, sell or pattern, as 'amg.storage' calls them
  std::int64_t aggregates = 0;       ///< this and the following: 0 on the coarsest level
  double mean_aggregate_size = 0.0;  ///< nodes per aggregate
  double strength_threshold = 0.0;   ///< θ below which a coupling is weak
  double dropped_weight = 0.0;       ///< mean share of a row's weight that the filter dropped
  int prolongator_steps = 0;         ///< smoothing steps of P
  double truncation = 0.0;           ///< entries or blocks of P below this times the largest beside them were dropped
  double density = 0.0;              ///< nonzeros of the next coarser matrix over those of this one
  double spectral_radius = 0.0;      ///< the estimate of ρ(D⁻¹A); 0 where none was needed
};

struct HierarchyStatistics {
  std::vector<LevelStatistics> levels;  ///< level 0 is the finest
  double operator_complexity = 0.0;     ///< Σ nonzeros / nonzeros of level 0
  double grid_complexity = 0.0;         ///< Σ rows / rows of level 0
  std::string coarse_solver;            ///< how the coarsest level is solved, for people
};

/// Forms y = A x of `columns` right-hand sides, in place of the matrix that was set up: x and y have rows × columns
/// values, row-major, in the memory where the solver works. With the backend cuda that is the GPU's, and the work
/// belongs into `stream`, a cudaStream_t, after what was given to it before; on the host that is nullptr. It must not
/// throw nor use the solver.
template <class T>
using ProductCallback = std::function<void(const T* x, T* y, int columns, void* stream)>;

/// How one solve goes, where that is not as the solver's options say.
template <class T>
struct SolveSettings {
  int columns = 1;                       ///< right-hand sides
  MemoryKind memory = MemoryKind::host;  ///< where b and x are
  std::optional<double> tolerance{};     ///< in place of 'solver.tolerance'
  std::optional<int> max_iterations{};   ///< in place of 'solver.max_iterations'
  ProductCallback<T> product{};          ///< in place of the matrix that was set up, see Solver::solve()
};

/// The outcome of a solve. With several right-hand sides the numbers are the worst column's.
struct Result {
  Status status = Status::not_converged;  ///< converged, not_converged, breakdown or interrupted
  std::string message;                    ///< one sentence that says why the iteration ended
  int iterations = 0;
  double relative_residual = 0.0;  ///< ‖b − A x‖ / ‖b‖, recomputed from x in double; where b = 0 relative to the first
                                   ///< residual; above the tolerance of a solve that converged as far as rounding
                                   ///< errors allow ('solver.stopping')
  double backward_error = 0.0;  ///< ‖b − A x‖ / ‖|b| + |A| |x|‖: where it is a few roundings, x is as good as can be
  std::optional<double> jacobi_change{};  ///< of an x that has converged where some rows are far larger than others,
                                          ///< which ‖b − A x‖ may hide: ‖D⁻¹(b − A x)‖ / ‖x‖
  double outside_range = 0.0;  ///< of a singular A: ‖part of b in its null space‖ / ‖b‖, which was left out of b
  double convergence_factor = std::numeric_limits<double>::quiet_NaN();  ///< geometric mean of the residual's reduction
                                                                         ///< in an iteration; NaN where none was made
  std::vector<double> residual_history;  ///< relative residual before the first and after each iteration
};

/// Solves A x = b for a symmetric positive definite A by smoothed-aggregation multigrid under a Krylov method. Of a
/// semi-definite A whose null space is that of the near-nullspace vectors, in some or all components of its graph, as a
/// Laplacian's without Dirichlet conditions is that of the constants: the shortest solution for what of b is in range.
/// An A that is not symmetric is solved, too, as far as multigrid is for it; a negative definite one as −A x = −b.
///
///     amgsolve::Solver<double> solver(options);
///     solver.setup(CsrView<double, std::int32_t>{n, n, row_offsets, col_indices, values});
///     const amgsolve::Result result = solver.solve(b, x);
///
/// A solve that does not converge, breaks down or is interrupted is a result; everything else that fails throws
/// Exception. A solver that was moved from can only be assigned to: all else throws bad_input. Nothing here prints or
/// ends the process. One thread at a time may use a solver; the work inside is spread
/// over threads. Solvers share nothing but what share() says: several may work at once, each on a thread of the program
/// or of an OpenMP parallel region of its.
///
/// With the backend cuda a solver takes arrays in either memory: what is on the GPU is used there, what is on the host
/// is copied to and fro. During a call, callbacks included, the thread's current device is the solver's; afterwards it
/// is the one before again. Its stream must not be captured into a graph while it works.
/// @tparam T  float or double
template <class T>
class AMGSOLVE_EXPORT Solver {
 public:
  /// Throws Exception: bad_configuration where options contradict each other, device_failed where the backend asked for
  /// is not to be had.
  /// @param stream  a cudaStream_t of the device in solver.device that all of the solver's work goes to, after what was
  ///                given to it before; it must outlive the solver. nullptr: a stream of the solver's own, so that
  ///                device arrays must be complete before a call. The host ignores it.
  explicit Solver(const Options& options = {}, void* stream = nullptr);

  /// A solver that processes have together, each with some rows of the matrix and of vectors; what it finds has the
  /// same bits on any number of them (docs/distributed.md). Constructor, setup(), update_values(), solve() and
  /// precondition() are collective: all processes call them in the same order, with the same options (but for
  /// 'solver.device', 'solver.threads' and 'solver.memory_limit'), and have the same result of them, or the same
  /// exception, whose message names the lowest rank that failed; only where memory runs out on one in the midst of
  /// messages, or the ProcessGroup throws, which is no Exception then, the others wait for it. The destructor of one on
  /// GPUs is collective, too. Processes work on GPUs where all have any, those of a machine in turn for its processes,
  /// unless 'solver.device' says which; messages between them go as 'distributed.device_messages' says. By NCCL
  /// processes are connected in a second or two: keep the solver.
  /// @param processes  amgsolve::mpi(MPI_COMM_WORLD) of <amgsolve/mpi.hpp>
  /// @param stream     as of the other constructor
  Solver(const Options& options, std::shared_ptr<const ProcessGroup> processes, void* stream = nullptr);
  ~Solver();
  Solver(Solver&& other) noexcept;
  Solver& operator=(Solver&& other) noexcept;

  /// Check the matrix and build the hierarchy, in place of an earlier one. Returns when that is done. Of 32-bit offsets
  /// a 64-bit copy is made.
  /// @param near_nullspace  rows × k values, row-major, in the matrix's memory: k vectors that coarse levels must
  ///                        reproduce, for example the rigid-body modes of an elastic body, whose translations are
  ///                        added where they are missing; empty: those of the coordinates, or without any the constant
  ///                        of each unknown of a node, over the root of its diagonal entry where unknowns are in units
  ///                        of their own. Copied.
  /// @param coordinates     of an elastic body's nodes: the near-nullspace is its rigid-body modes. They also tell how
  ///                        many unknowns a node has, where 'amg.block_size' does not; of one they tell nothing else.
  /// Throws Exception: bad_input (not square, not a valid CSR matrix, NaN or infinity, a zero row, not symmetric under
  /// a 'solver.method' that needs it; the message names the row, counted from 1; an array that is not where it is said
  /// to be, or device memory to the backend host), breakdown (a diagonal that is not of one sign), out_of_memory,
  /// device_failed.
  void setup(const CsrView<T, std::int32_t>& A, ArrayView<const T> near_nullspace = {},
             const Coordinates<T>& coordinates = {});
  void setup(const CsrView<T, std::int64_t>& A, ArrayView<const T> near_nullspace = {},
             const Coordinates<T>& coordinates = {});

  /// The same of the rows that each process of the solver's has, which are copied. So are the near-nullspace's and the
  /// nodes' coordinates those of the process's rows, which are to have all unknowns of their nodes: else each process
  /// gets the whole matrix.
  /// Throws Exception besides: bad_input where the solver has no processes; and where it has some, of the other
  /// setup().
  void setup(const DistributedCsrView<T, std::int32_t, std::int32_t>& A, ArrayView<const T> near_nullspace = {},
             const Coordinates<T>& coordinates = {});
  void setup(const DistributedCsrView<T, std::int32_t, std::int64_t>& A, ArrayView<const T> near_nullspace = {},
             const Coordinates<T>& coordinates = {});
  void setup(const DistributedCsrView<T, std::int64_t, std::int32_t>& A, ArrayView<const T> near_nullspace = {},
             const Coordinates<T>& coordinates = {});
  void setup(const DistributedCsrView<T, std::int64_t, std::int64_t>& A, ArrayView<const T> near_nullspace = {},
             const Coordinates<T>& coordinates = {});

  /// Take new values for a matrix of the same pattern as the last one, as a program that steps in time has them. What
  /// is kept of the hierarchy says 'solver.reuse'; it is set up anew by itself where solves take too many iterations
  /// ('solver.rebuild_factor'), where it is in float and the new values have no room there, or where coarse levels are
  /// kept and all rows have become more than four times as large, or as small. Borrowed arrays may be the former ones
  /// with other values in them; where those are refused, the solver works on once the former values are back in them.
  /// @param A  with the near-nullspace of setup(), where one was given to it and 'solver.reuse' is not none
  /// Throws Exception: bad_input where the sizes or the number of entries differ, naming both, where the hierarchy is
  /// reused and entries are at other places, where a value is NaN or infinite, or before any setup(); the solver then
  /// works on as before. Else what setup() throws, after which there is nothing to solve with until other values, or
  /// setup(), can be set up.
  void update_values(const CsrView<T, std::int32_t>& A);
  void update_values(const CsrView<T, std::int64_t>& A);
  void update_values(const DistributedCsrView<T, std::int32_t, std::int32_t>& A);
  void update_values(const DistributedCsrView<T, std::int32_t, std::int64_t>& A);
  void update_values(const DistributedCsrView<T, std::int64_t, std::int32_t>& A);
  void update_values(const DistributedCsrView<T, std::int64_t, std::int64_t>& A);

  /// Solve for all right-hand sides together, starting from x. Returns when x is complete.
  /// @param b        rows × columns values, row-major
  /// @param x        rows × columns values, row-major: the initial guess on entry, the solution on return
  /// @param memory   where b and x are
  /// Of a solver of several processes b and x have the rows of this one, as have those of settings.product and of
  /// precondition(); where stop_when() or on_iteration() end a solve on one of them, which are asked after each
  /// iteration then, it ends on all. Throws Exception: bad_input (sizes that do not match, b and x that overlap, NaN or
  /// infinity, no setup() before, the wrong kind of memory), out_of_memory, device_failed.
  Result solve(ArrayView<const T> b, ArrayView<T> x, int columns = 1, MemoryKind memory = MemoryKind::host);

  /// The same with a tolerance, a limit or a matrix of this solve alone:
  ///
  ///     amgsolve::SolveSettings<double> loose;
  ///     loose.tolerance = 1e-3;
  ///     solver.solve(b, x, loose);
  ///
  /// settings.product solves with an A that is not assembled, by the hierarchy of one that is and resembles it: a
  /// simpler discretisation on the same unknowns, or the matrix of an earlier step. Of both, the sizes of the entries,
  /// |A| in the backward error, are taken to be the same. Where the assembled matrix is singular, a product or two
  /// tell whether A is in the same way, to rounding; where it is not, as with a mass term added to a Neumann problem,
  /// all of b is solved for. If A is singular in another way, b must be in its range. True residuals are formed from
  /// its products in T.
  ///
  /// For 'solver.rebuild_factor' a solve with a product does not count. Others count as far as they and the first one
  /// after a setup have both reduced the residual, whatever their tolerances are; one with a tolerance or limit of its
  /// own has not failed where rounding errors, or the limit, end it.
  /// Throws besides: bad_configuration (a tolerance or limit out of the range of its key).
  Result solve(ArrayView<const T> b, ArrayView<T> x, const SolveSettings<T>& settings);

  /// z = M⁻¹ r: one cycle for A z = r from z = 0, the preconditioner alone for a program that has its own iteration.
  /// M is symmetric and positive definite where 'solver.method' cg may use it. Returns when z is complete. What is not
  /// finite in r spoils its column of z, and no more. With 'amg.precision' mixed, and with auto where it chooses that,
  /// the cycle rounds to float, r in units of its columns' norms, so that no size of r is lost; only conjugate
  /// gradients and flexible methods bear it: others need same.
  /// @param r  rows × columns values, row-major
  /// @param z  likewise
  /// Throws what solve() throws, and Exception of Status::interrupted where stop_when() says so; several processes ask
  /// once, before the cycle, and all throw it where one of them is to end.
  void precondition(ArrayView<const T> r, ArrayView<T> z, int columns = 1, MemoryKind memory = MemoryKind::host);

  /// Another solver for the matrix that was set up, which shares the hierarchy and has work vectors, callbacks and a
  /// report of its own: several solve at the same time, each on a thread of the program, to the bits that each would
  /// have alone.
  ///
  ///     solver.setup(A);
  ///     std::thread other([&, mine = solver.share(1)]() mutable { mine.solve(b1, x1); });
  ///     solver.solve(b0, x0);
  ///
  /// It takes the memory of the vectors of a cycle, and no new values; a setup() of its own makes it a solver like any
  /// other. Until all that share have gone, setup() and update_values() of the first one are refused; its hierarchy
  /// lives as long as any of them, and so must the arrays that it borrows and the stream that it was made with. May be
  /// called while others solve.
  /// @param threads  of the host for its solves, where that is not as the options say; 0: as they say
  /// @param stream   as of the constructor
  /// Throws Exception: bad_input where there is no hierarchy, bad_configuration for a solver of several processes or a
  /// number of threads that cannot be, out_of_memory, device_failed.
  Solver share(int threads = 0, void* stream = nullptr) const;

  /// What the hierarchy is like. Throws Exception, bad_input, where there is none.
  HierarchyStatistics hierarchy() const;

  /// A copy of a level's matrix in host memory, numbered node by node whatever 'amg.unknowns' is, in T whatever the
  /// hierarchy is stored in; A₀ is the matrix that was set up, A_{l+1} = R_l A_l P_l up to the hierarchy's rounding
  /// errors; of A₀ under 'solver.method' minres with its diagonal raised, see docs/nonsymmetric.md. Throws Exception:
  /// bad_input (no such level or no hierarchy; the coarsest level has neither P nor R), bad_configuration for a solver
  /// of several processes, out_of_memory, device_failed.
  CsrArrays<T> level_matrix(int level, LevelMatrix matrix) const;

  /// Have setup(), update_values(), solve() and precondition() ask, from now on, whether to end: on the calling thread
  /// and often, at the beginning of each phase of their work and on the host of each of its loops, so keep it quick.
  /// Where the answer is true, a solve() returns with Status::interrupted and x as its last iteration left it (or
  /// converged, where that is good enough); before its first iteration, and in the others, Exception of that status is
  /// thrown, as of any failure.
  ///
  ///     solver.stop_when([token = stop_source.get_token()] { return token.stop_requested(); });
  ///
  /// @param stop  must not throw nor use the solver; empty: never
  void stop_when(std::function<bool()> stop);

  /// Have solve() call this after each iteration, on the calling thread, with the number of iterations done and the
  /// relative residual by the recurrence, the largest of all columns'. Where it returns false the solve ends there, as
  /// by stop_when().
  /// @param go_on  must not throw nor use the solver; empty: nothing
  void on_iteration(std::function<bool(int iterations, double relative_residual)> go_on);

  /// Hierarchy, residual history, times and outcome of the last setup() and solve() as tables for a terminal. Times add
  /// up over all solves and new values since the last setup().
  std::string report() const;

  /// The same as JSON, described in docs/report.md.
  std::string report_json() const;

 private:
  struct State;
  template <class View>
  void setup_with(const View& A, ArrayView<const T> near_nullspace, const Coordinates<T>& coordinates);
  template <class View>
  void update_values_with(const View& A);

  explicit Solver(std::shared_ptr<State> state);
  void require_unshared() const;

  std::shared_ptr<State> state_;
};

extern template class Solver<float>;
extern template class Solver<double>;

}  // namespace amgsolve
