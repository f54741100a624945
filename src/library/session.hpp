#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "amg/shared_solver.hpp"
#include "amg/solver.hpp"
#include "src/library/configuration.hpp"
#include "src/library/memory_plan.hpp"
#include "src/library/report.hpp"

namespace amgsolve {

/// The contexts of a session: one in the space where it solves, and one of the host, which is the same there.
template <MemorySpace S>
class SessionContexts;

template <>
class SessionContexts<Host> {
 public:
  SessionContexts(const Configuration& configuration, void* /*stream*/, const Communicator& ranks)
      : host_(configuration.threads, ranks) {}

  Context<Host>& context() { return host_; }
  Context<Host>& host() { return host_; }

 private:
  Context<Host> host_;
};

#if AMGSOLVE_HAVE_CUDA
template <>
class SessionContexts<Cuda> {
 public:
  SessionContexts(const Configuration& configuration, void* stream, const Communicator& ranks)
      : host_(configuration.threads, ranks), device_(configuration.device, static_cast<CUstream_st*>(stream), ranks) {}

  Context<Cuda>& context() { return device_; }
  Context<Host>& host() { return host_; }

 private:
  Context<Host> host_;
  Context<Cuda> device_;
};
#endif

/// The way from a configuration and a matrix to a result, for the command and for the library: a context under the
/// memory limit asked for, a solver, and a report of what came out, what was measured and what went wrong.
template <class T, MemorySpace S>
class Session : private SessionContexts<S> {
 public:
  /// @param stream  see Solver
  /// @param report  receives what there is to tell; outlives the session
  /// @param ranks   that share the system; outlive the session
  /// Throws DeviceError.
  Session(const Configuration& configuration, void* stream, Report& report, const Communicator& ranks);

  using SessionContexts<S>::context;
  using SessionContexts<S>::host;

  /// What a system will need, and what there is; of several ranks each has its part of both. Collective. Throws
  /// InputError where ranks would have more rows than they can count.
  /// @param is_there  so that what it takes itself is in use
  MemoryPlan plan(const SystemSize& system, bool is_there = false);

  /// Throws OutOfMemoryError where a plan for the system does not fit, on all ranks; see require_fit(). Collective.
  void require(const MemoryPlan& plan, const SystemSize& system);

  /// Throws OutOfMemoryError where the system and an analysis of it do not fit.
  void require_analysis(const SystemSize& system);

  /// Lets go of an earlier matrix, of scratch and of what was measured.
  void reset();

  /// Lets setups keep what aggregates() tells; lets go of an earlier matrix.
  void keep_aggregates() {
    keeps_aggregates_ = true;
    solver_ = new_solver();
  }

  /// Sets A up and takes the first steps of a solve, to see what memory they take: the forecast receives that. Leaves
  /// no trace in the report; reset() lets go of all of it. Throws what setup() and solve() throw.
  void rehearse(CsrMatrix<T, S> A, MultiVectorView<const T, S> near_nullspace, MultiVectorView<const T, S> coordinates,
                MultiVectorView<const T, S> b, MultiVectorView<T, S> x, MemoryForecast& forecast);

  /// Takes what a look at A tells into the report. What it checks, a setup that follows, which is to be of this A, does
  /// not check again. Throws what analyse_matrix() throws.
  void analyse(const CsrMatrix<T, S>& A, MultiVectorView<const T, S> near_nullspace,
               MultiVectorView<const T, S> coordinates);

  /// See AmgSolver. A setup that will not fit in memory is refused before it begins: OutOfMemoryError.
  void setup(CsrMatrix<T, S> A, MultiVectorView<const T, S> near_nullspace,
             MultiVectorView<const T, S> coordinates = {});
  void update_values(CsrMatrix<T, S> A);

  /// The same of this rank's rows, on several ranks; see SharedSolver. What follows is of its rows then. Collective.
  void setup(RankRows<T, S> rows, MultiVectorView<const T, S> near_nullspace = {},
             MultiVectorView<const T, S> coordinates = {});
  void update_values(RankRows<T, S> rows);
  void solve(MultiVectorView<const T, S> b, MultiVectorView<T, S> x, const SolveChoices<T, S>& choices = {});
  /// Solves what another session has set up, which outlives this one; see AmgSolver::share().
  void share(const Session& other) {
    solver_ = other.solver_.share(context());
    report_->hierarchy = solver_.summary();
  }
  void precondition(MultiVectorView<const T, S> r, MultiVectorView<T, S> z) {
    shared_ ? shared_->precondition(context(), r, z) : solver_.precondition(context(), r, z);
  }
  HierarchySummary summary() const { return shared_ ? shared_->summary() : solver_.summary(); }
  /// Levels that ranks share, and the rows of others that products with this rank's need.
  std::size_t shared_levels() const { return shared_ ? shared_->shared_levels() : 0; }
  std::int64_t ghosts() const { return shared_ ? shared_->ghosts() : 0; }
  CsrMatrix<T, Host> level_matrix(int level, LevelPart part) {
    return solver_.level_matrix(context(), host(), level, part);
  }
  /// See AmgSolver; of several ranks the nodes of all. Empty unless keep_aggregates() was called before setup().
  /// Collective.
  std::vector<std::vector<Index>> aggregates() {
    return shared_ ? shared_->aggregates(context()) : solver_.aggregates(context());
  }

  /// Takes what was measured so far into the report.
  void measure() { report_->measure(context()); }

  /// Calls the body. Where it throws, the report receives what was measured until then.
  template <class Body>
  auto measured(Body&& body) {
    try {
      return body();
    } catch (const std::exception&) {
      report_->measure_after_failure(context());
      throw;
    }
  }

 private:
  SystemSize as_stored(SystemSize system);
  SystemSize on_ranks(SystemSize system);
  MemoryForecast forecast(const SystemSize& system);
  AmgOptions amg_options() const {
    AmgOptions amg = configuration_->amg;
    amg.keeps_aggregates = keeps_aggregates_;
    return amg;
  }
  AmgSolver<T, S> new_solver() const { return {amg_options(), configuration_->solver}; }

  const Configuration* configuration_;
  Report* report_;
  bool keeps_aggregates_ = false;
  AmgSolver<T, S> solver_;
  std::optional<SharedSolver<T, S>> shared_;  ///< in its place, once rows of several ranks have been set up
  std::optional<MatrixFindings> findings_;    ///< of the matrix that was analysed last
};

/// A session on the one or the other backend.
#if AMGSOLVE_HAVE_CUDA
template <class T>
using AnySession = std::variant<std::unique_ptr<Session<T, Host>>, std::unique_ptr<Session<T, Cuda>>>;
#else
template <class T>
using AnySession = std::variant<std::unique_ptr<Session<T, Host>>>;
#endif

/// A session on the backend that the configuration asks for, which outlives it. The report receives where that is.
/// Throws ConfigurationError where the configuration contradicts itself or the backend, DeviceError.
template <class T>
AnySession<T> open_session(const Configuration& configuration, void* stream, Report& report,
                           const Communicator& ranks = Communicator::serial());

}  // namespace amgsolve
