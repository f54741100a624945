#include "src/library/session.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "amg/coarsening_choices.hpp"
#include "amg/measured_step.hpp"
#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/instantiate.hpp"
#include "core/parallel_host.hpp"
#include "src/library/rank_places.hpp"
#include "src/library/schema.hpp"

namespace amgsolve {
namespace {

template <class T>
double configured_tolerance(const Configuration& configuration) {
  return configuration.solver.tolerance.value_or(default_tolerance<T>);
}

void require_ranks(double rows, int ranks) {
  constexpr double most = max_index;
  if (rows > most * ranks) {
    throw InputError(
        format_text("the matrix has {:.0f} rows; a rank can have up to {} of them: {} ranks or more can "
                    "share it (mpirun -n RANKS)",
                    rows, max_index, std::ceil(rows / most)));
  }
}

}  // namespace

template <class T, MemorySpace S>
Session<T, S>::Session(const Configuration& configuration, void* stream, Report& report, const Communicator& ranks)
    : SessionContexts<S>(configuration, stream, ranks),
      configuration_(&configuration),
      report_(&report),
      solver_(new_solver()) {
  context().memory().set_limit(static_cast<std::size_t>(configuration.memory_limit));
  report.threads = host().threads();
  if constexpr (std::same_as<S, Cuda>) {
    report.device = describe_device(context().device());
  }
}

template <class T, MemorySpace S>
void Session<T, S>::reset() {
  solver_ = new_solver();
  shared_.reset();
  context().workspace().release();
  context().profile().clear();
  context().memory().reset_peak();
}

template <class T, MemorySpace S>
MemoryForecast Session<T, S>::forecast(const SystemSize& system) {
  return forecast_memory(system, configuration_->amg, configuration_->solver, host().threads());
}

template <class T, MemorySpace S>
SystemSize Session<T, S>::as_stored(SystemSize system) {
  if constexpr (std::same_as<S, Cuda>) {
    system.reading = 0.0;  // by the host
  } else {
    system.is_grid = system.is_grid && system.has_alike_rows;
  }
  return system;
}

template <class T, MemorySpace S>
SystemSize Session<T, S>::on_ranks(SystemSize system) {
  system = as_stored(system);
  system.ranks = context().communicator().size();
  system.replicated = static_cast<double>(replicated_entries(context(), configuration_->amg));
  return system;
}

template <class T, MemorySpace S>
MemoryPlan Session<T, S>::plan(const SystemSize& system, bool is_there) {
  const Communicator& ranks = context().communicator();
  require_ranks(system.rows, ranks.size());
  const MemoryForecast expected = forecast(on_ranks(system));
  AvailableMemory available =
      part_of_rank(context().memory().available(), ranks, std::same_as<S, Cuda> ? report_->device->bus : std::string());
  const AvailableMemory within_limit = context().memory().free();
  available.lower(within_limit.bytes, within_limit.limit);
  return {ranks.size(), expected, is_there ? expected.system : 0.0, available};
}

template <class T, MemorySpace S>
void Session<T, S>::require(const MemoryPlan& plan, const SystemSize& system) {
  const SystemSize of_rank = on_ranks(system);
  collectively(context().communicator(), [&] { require_fit(plan, of_rank, *configuration_, host().threads()); });
}

template <class T, MemorySpace S>
void Session<T, S>::analyse(const CsrMatrix<T, S>& A, MultiVectorView<const T, S> near_nullspace,
                            MultiVectorView<const T, S> coordinates) {
  report_->analysis = analyse_matrix<T>(context(), A, configuration_->amg, near_nullspace, coordinates);
  report_->hints = hints_of(*report_->analysis, configuration_->amg, configuration_->solver);
  findings_ = report_->analysis->findings;
}

template <class T, MemorySpace S>
void Session<T, S>::require_analysis(const SystemSize& system) {
  const double needed = forecast(system).system + analysis_bytes(system.rows, system.block_size, sizeof(T));
  const AvailableMemory available = context().memory().free();
  if (needed >= least_planned_bytes && needed > static_cast<double>(available.bytes)) {
    const auto wanted = static_cast<std::size_t>(needed);
    throw OutOfMemoryError(format_text("not enough memory: about {} needed for an analysis, {} available: {}",
                                       format_bytes(wanted), format_bytes(available.bytes), available.limit),
                           wanted, available.bytes);
  }
}

template <class T, MemorySpace S>
void Session<T, S>::rehearse(CsrMatrix<T, S> A, MultiVectorView<const T, S> near_nullspace,
                             MultiVectorView<const T, S> coordinates, MultiVectorView<const T, S> b,
                             MultiVectorView<T, S> x, MemoryForecast& forecast) {
  const Memory<S>& memory = context().memory();
  solver_.setup(context(), std::move(A), near_nullspace, coordinates);
  forecast.setup = static_cast<double>(memory.peak_bytes());
  const SolverOptions& options = configuration_->solver;
  solver_.solve(context(), b, x, {.max_iterations = std::min(options.restart, options.max_iterations)});
  // Of a solve that takes less than the setup nothing is seen.
  const auto peak = static_cast<double>(memory.peak_bytes());
  forecast.solve = peak > forecast.setup ? peak : std::min(forecast.solve, peak);
  forecast.slow_solve = forecast.solve;
  forecast.levels.clear();
  for (const LevelSummary& level : solver_.summary().levels) {
    forecast.levels.push_back(
        {static_cast<double>(level.rows), static_cast<double>(level.nnz), static_cast<double>(level.bytes)});
  }
}

template <class T, MemorySpace S>
void Session<T, S>::setup(CsrMatrix<T, S> A, MultiVectorView<const T, S> near_nullspace,
                          MultiVectorView<const T, S> coordinates) {
  // Of what has come as it is, also where nobody planned.
  SystemSize system{.rows = static_cast<double>(A.rows),
                    .nnz = static_cast<double>(A.nnz()),
                    .block_size = coordinates.rows > 0 ? std::max(A.rows / coordinates.rows, 1) : 1,
                    .candidates = near_nullspace.rows > 0 ? near_nullspace.columns
                                  : coordinates.rows > 0 && coordinates.rows < A.rows
                                      ? (coordinates.columns == 2 ? 3 : 6)
                                      : 0,
                    .value_bytes = sizeof(T)};
  const auto planned = [&] {
    const MemoryForecast expected = forecast(as_stored(system));
    return MemoryPlan{1, expected, expected.system, context().memory().free()};
  };
  if (const MemoryPlan plan = planned(); plan.forecast.peak() >= least_planned_bytes && !plan.fits_amply()) {
    try {
      solver_.survey(context(), A, near_nullspace, coordinates, system);
      if constexpr (std::same_as<S, Host>) {
        measure_patterns(context(), A, system);
      }
    } catch (const OutOfMemoryError&) {  // so a guess has to do
      context().workspace().release();
    }
    require(planned(), system);
  }
  const std::optional<MatrixFindings> findings = std::exchange(findings_, std::nullopt);
  solver_.setup(context(), std::move(A), near_nullspace, coordinates, findings ? &*findings : nullptr);
  report_->hierarchy = solver_.summary();
}

template <class T, MemorySpace S>
void Session<T, S>::update_values(CsrMatrix<T, S> A) {
  solver_.update_values(context(), std::move(A));
  report_->hierarchy = solver_.summary();
}

template <class T, MemorySpace S>
void Session<T, S>::setup(RankRows<T, S> rows, MultiVectorView<const T, S> near_nullspace,
                          MultiVectorView<const T, S> coordinates) {
  SharedSolver<T, S> solver(amg_options(), configuration_->solver);
  solver.setup(context(), std::move(rows), near_nullspace, coordinates);
  report_->hierarchy = solver.summary();
  shared_ = std::move(solver);
}

template <class T, MemorySpace S>
void Session<T, S>::update_values(RankRows<T, S> rows) {
  if (!shared_) {
    throw std::invalid_argument("new values: setup() has not run, or failed");
  }
  shared_->update_values(context(), std::move(rows));
  report_->hierarchy = shared_->summary();
}

template <class T, MemorySpace S>
void Session<T, S>::solve(MultiVectorView<const T, S> b, MultiVectorView<T, S> x, const SolveChoices<T, S>& choices) {
  report_->tolerance = choices.tolerance.value_or(configured_tolerance<T>(*configuration_));
  report_->threads = threads_at_work(host());
  report_->set_result(shared_ ? shared_->solve(context(), b, x, choices) : solver_.solve(context(), b, x, choices),
                      std::is_same_v<T, float>, choices.product != nullptr);
}

template <class T>
AnySession<T> open_session(const Configuration& configuration, void* stream, Report& report,
                           const Communicator& ranks) {
  report.tolerance = configured_tolerance<T>(configuration);
  report.options_of_cycle = options_of_cycle(configuration);
  report.options_of_slow_cycle = options_of_slow_cycle(configuration);
  report.precision = configuration.amg.precision;
  validate(configuration);
  constexpr double unit_roundoff = std::numeric_limits<T>::epsilon() / 2.0;
  if (report.tolerance < unit_roundoff) {
    report.warnings.push_back(
        format_text("'solver.tolerance' is {}, but rounding errors of {} precision leave {:.1e} at least: {}",
                    report.tolerance, sizeof(T) == sizeof(double) ? "double" : "single", unit_roundoff,
                    configuration.solver.stopping == Stopping::strict ? "no solve can converge"
                                                                      : "a solve ends where no more is attainable"));
  }
  report.backend = choose_backend(configuration);
#if AMGSOLVE_HAVE_CUDA
  if (report.backend->backend == Backend::cuda) {
    return std::make_unique<Session<T, Cuda>>(configuration, stream, report, ranks);
  }
#endif
  return std::make_unique<Session<T, Host>>(configuration, stream, report, ranks);
}

#define AMGSOLVE_INSTANTIATE(T, S) template class Session<T, S>;
AMGSOLVE_FOR_VALUES_AND_SPACES(AMGSOLVE_INSTANTIATE)
template AnySession<float> open_session(const Configuration&, void*, Report&, const Communicator&);
template AnySession<double> open_session(const Configuration&, void*, Report&, const Communicator&);

}  // namespace amgsolve
