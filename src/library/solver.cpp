#include <algorithm>
#include <amgsolve/amgsolve.hpp>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "core/collectively.hpp"
#include "core/device.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "src/library/device_ranks.hpp"
#include "src/library/group_communicator.hpp"
#include "src/library/measured_communicator.hpp"
#include "src/library/options_state.hpp"
#include "src/library/report_json.hpp"
#include "src/library/report_text.hpp"
#include "src/library/same_options.hpp"
#include "src/library/session.hpp"
#include "src/library/session_calls.hpp"
#include "src/library/status.hpp"

namespace amgsolve {
namespace {

[[noreturn]] void throw_exception(const std::exception& error) {
  // What the library's rooms call a mistake of their caller is one of the program's.
  if (dynamic_cast<const std::invalid_argument*>(&error) != nullptr) {
    throw Exception(Status::bad_input, error.what());
  }
  const Status status = status_of(error);
  throw Exception(status,
                  status == Status::internal_error ? format_text("internal error: {}", error.what()) : error.what());
}

/// Calls the body; whatever it throws becomes an Exception, but for what the program's ProcessGroup threw.
template <class Body>
auto with_public_exceptions(Body&& body) {
  try {
    return body();
  } catch (const CommunicationError& error) {
    error.rethrow_nested();
  } catch (const std::exception& error) {
    throw_exception(error);
  }
}

/// Refuses options that differ between processes.
void require_alike(const Configuration& configuration, const Communicator& ranks) {
  Configuration compared;
  const Schema schema(library_entries(compared));
  compared = configuration;
  forget_place(compared);
  require_same_options(schema, ranks);
}

/// Refuses what processes ask for that differs between them.
template <class T>
void require_alike(const Communicator& ranks, const SolveSettings<T>& settings) {
  constexpr std::array kinds = {"numbers of right-hand sides", "tolerances", "limits", "kinds of products"};
  constexpr double unset = -std::numeric_limits<double>::infinity();
  const std::array<double, kinds.size()> own = {
      static_cast<double>(settings.columns), settings.tolerance.value_or(unset),
      settings.max_iterations ? static_cast<double>(*settings.max_iterations) : unset, settings.product ? 1.0 : 0.0};
  const std::vector<std::array<double, kinds.size()>> all = ranks.all_gather(own);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (!std::ranges::all_of(all, [&](const auto& of_rank) { return of_rank[i] == own[i]; })) {
      throw InputError(format_text("processes ask for different {}", kinds[i]));
    }
  }
}

/// Refuses values that the keys do not allow.
template <class T>
void check_settings(const Schema& schema, const SolveSettings<T>& settings) {
  const auto check = [&](std::string_view key, const auto& value) {
    if (value) {
      schema.find(key)->parse(format_text("{}", *value));
    }
  };
  check("solver.tolerance", settings.tolerance);
  check("solver.max_iterations", settings.max_iterations);
}

LevelStatistics statistics_of(const LevelSummary& level) {
  LevelStatistics result;
  result.rows = level.rows;
  result.nonzeros = level.nnz;
  result.bytes = static_cast<std::int64_t>(level.bytes);
  result.storage = name(level.storage);
  result.aggregates = level.aggregates;
  result.mean_aggregate_size = level.mean_aggregate_size;
  result.strength_threshold = level.strength_threshold;
  result.dropped_weight = level.dropped_weight;
  result.prolongator_steps = level.prolongator_steps;
  result.truncation = level.truncation;
  result.density = level.density;
  result.spectral_radius = level.spectral_radius;
  return result;
}

LevelPart part_of(LevelMatrix matrix) {
  return matrix == LevelMatrix::A ? LevelPart::A : matrix == LevelMatrix::P ? LevelPart::P : LevelPart::R;
}

/// While it lives nobody else works with the solver: a callback that set it up anew would take away what it works with.
class AtWork {
 public:
  explicit AtWork(std::atomic<bool>& is_at_work) : is_at_work_(is_at_work) {
    if (is_at_work_.exchange(true)) {
      throw Exception(Status::bad_input, "the solver is at work: neither a callback nor another thread must use it");
    }
  }
  ~AtWork() { is_at_work_ = false; }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  std::atomic<bool>& is_at_work_;
};

/// What a solver hides. Refuses one that was moved from.
template <class State>
State& state_of(const std::shared_ptr<State>& state) {
  if (!state) {
    throw Exception(Status::bad_input, "the solver was moved from, and can only be assigned to");
  }
  return *state;
}

/// To give the thread its device back after the making of a solver that may be on another.
CurrentDevice device_of_caller(const Configuration& configuration) {
  const bool may_be_on_device = configuration.backend != Backend::host && device_count() > 0;
  return CurrentDevice(may_be_on_device ? std::optional(-1) : std::nullopt);
}

}  // namespace

// Out of line, so that its type information is in one place.
Exception::~Exception() = default;

template <class T>
struct Solver<T>::State {
  /// Of a solver that shares the hierarchy of another: that one, first of all of them. Goes last.
  std::shared_ptr<const State> owner{};
  Options options;
  std::unique_ptr<const Communicator> ranks{};     ///< of the processes; null: none
  std::unique_ptr<const Communicator> devices{};   ///< the same where they work on devices
  std::optional<MeasuredCommunicator> measured{};  ///< the same, for the work
  /// The processes; one alone where there are none.
  const Communicator& everyone = ranks ? *ranks : Communicator::serial();
  Report report;
  AnySession<T> session;
  Report blank_report;  ///< what is known before any setup
  Json problem;
  std::function<bool()> stop{};
  std::function<bool(int, double)> go_on{};
  std::atomic<bool> is_at_work{false};

  /// What is on a device goes while that is current.
  ~State() {
    std::optional<CurrentDevice> current;
    try {
      current.emplace(device());
    } catch (const DeviceError&) {  // the device is lost, with all that is on it
    }
    std::visit([](auto& own) { own.reset(); }, session);
    measured.reset();
    devices.reset();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  State(const Options& options_, void* stream)
      : options(options_),
        session(open_session<T>(options.state_->configuration, stream, report)),
        blank_report(report) {}

  State(const Options& options_, std::shared_ptr<const ProcessGroup> processes, void* stream)
      : options(options_),
        ranks(communicator_of(std::move(processes))),
        session(open_shared(stream)),
        blank_report(report) {}

  /// One that shares the hierarchy of another.
  State(std::shared_ptr<const State> other, int threads, void* stream)
      : owner(other->owner ? other->owner : std::move(other)),
        options(options_of_share(*owner, threads)),
        session(open_session<T>(options.state_->configuration, stream, report)),
        blank_report(report),
        problem(owner->problem) {
    std::visit([&](auto& own) { own->share(*std::get<std::decay_t<decltype(own)>>(owner->session)); }, session);
  }

  /// That of the backend cuda.
  std::optional<int> device() const {
    return blank_report.device ? std::optional(blank_report.device->id) : std::nullopt;
  }

  /// On the backend and the device of the owner.
  static Options options_of_share(const State& owner, int threads) {
    Options result = owner.options;
    Configuration& configuration = result.state_->configuration;
    configuration.backend = owner.blank_report.backend->backend;
    if (owner.blank_report.device) {
      configuration.device = owner.blank_report.device->id;
    }
    if (threads != 0) {
      configuration.threads = threads;
    }
    return result;
  }

  /// The session of each process.
  AnySession<T> open_shared(void* stream) {
    Configuration& configuration = options.state_->configuration;
    require_alike(configuration, *ranks);
    place_rank(configuration, *ranks);
    if (configuration.backend == Backend::cuda) {
      devices = connect_devices(*ranks, configuration.device, configuration.device_messages);
    }
    measured.emplace(devices ? *devices : *ranks);
    AnySession<T> result;
    collectively(*ranks, [&] { result = open_session<T>(configuration, stream, report, *measured); });
    return result;
  }

  /// What the callbacks have said in a call.
  struct Answers {
    bool must_end = false;         ///< of all processes
    std::exception_ptr failure{};  ///< of a callback of this one of several processes
  };

  /// What this call asks and tells of its work. Where there are several processes all ask, at the same places; what a
  /// callback throws on one of them ends the step on all, as a wish to stop does, and is for tell_failure().
  template <MemorySpace S>
  std::shared_ptr<const Answers> watch(Context<S>& ctx) const {
    auto answers = std::make_shared<Answers>();
    ctx.set_progress_listener([this, answers](const Progress& progress) {
      const auto asks_to_end = [&] {
        return progress.phase == "solve" && go_on && !answer_of("the function of on_iteration()", [&] {
                 return go_on(static_cast<int>(progress.step), progress.residual);
               });
      };
      if (!ranks) {
        answers->must_end = asks_to_end();
        return;
      }
      bool is_asked = true;
      if (!answers->failure) {
        answers->failure = amgsolve::failure_of([&] { is_asked = asks_to_end() || must_stop(); });
      }
      answers->must_end = agree_on_step(*ranks, is_asked);
    });
    ctx.set_stop([this, answers] { return answers->must_end || (!ranks && must_stop()); });
    return answers;
  }

  /// body(), and after it, on all processes alike, what a callback has thrown on one of them. Work that failed on its
  /// own has ended out of step with the callbacks, and tells of itself alone.
  template <class Body>
  void tell_failure(const Answers& answers, const Body& body) const {
    std::exception_ptr interruption;
    try {
      body();
    } catch (const OutOfStepError&) {
      throw;
    } catch (const InterruptedError&) {
      interruption = std::current_exception();
    }
    if (ranks && answers.must_end) {
      all_alike(*ranks, [&] {
        if (answers.failure) {
          std::rethrow_exception(answers.failure);
        }
      });
    }
    if (interruption) {
      std::rethrow_exception(interruption);
    }
  }

  bool must_stop() const { return stop && answer_of("the function of stop_when()", stop); }

  /// Refuses what processes cannot do together.
  void require_alone(const char* what) const {
    if (ranks) {
      throw Exception(Status::bad_configuration, format_text("{} is not for several processes so far", what));
    }
  }

  /// While it lives one call works with the solver, on its device. Refuses to where the device cannot, before anything
  /// is given to it. Collective.
  struct Call {
    AtWork work;
    std::optional<CurrentDevice> current{};

    explicit Call(State& state) : work(state.is_at_work) {
      with_public_exceptions([&] {
        const auto begin = [&] {
          current.emplace(state.device());
          std::visit([](auto& own) { own->context().require_ready(); }, state.session);
        };
        collectively(state.everyone, begin);
      });
    }
  };

  /// Calls body(session), and books what was measured.
  template <class Body>
  void measured_work(Body&& body) {
    std::visit(
        [&](auto& chosen) {
          const std::shared_ptr<const Answers> answers = watch(chosen->context());
          chosen->measured([&] {
            with_public_exceptions([&] {
              tell_failure(*answers, [&] {
                body(*chosen);
                chosen->measure();
              });
            });
          });
        },
        session);
  }

  /// The same of what there is an outcome of: books what went wrong, too.
  template <class Body>
  void reported(Body&& body) {
    try {
      measured_work(body);
    } catch (const std::exception& error) {
      report.set_error(error);
      throw;
    }
  }
};

template <class T>
Solver<T>::Solver(const Options& options, void* stream)
    : state_(with_public_exceptions([&] {
        const CurrentDevice callers = device_of_caller(Options::State::of(options).configuration);
        return std::make_shared<State>(options, stream);
      })) {}

template <class T>
Solver<T>::Solver(const Options& options, std::shared_ptr<const ProcessGroup> processes, void* stream)
    : state_(with_public_exceptions([&] {
        if (!processes) {
          throw ConfigurationError("a solver of no processes: the ProcessGroup is null");
        }
        const CurrentDevice callers = device_of_caller(Options::State::of(options).configuration);
        return std::make_shared<State>(options, std::move(processes), stream);
      })) {}

template <class T>
Solver<T>::Solver(std::shared_ptr<State> state) : state_(std::move(state)) {}

template <class T>
Solver<T> Solver<T>::share(int threads, void* stream) const {
  State& state = state_of(state_);
  state.require_alone("share()");
  return with_public_exceptions([&] {
    const CurrentDevice current(state.device());
    return Solver(std::make_shared<State>(std::shared_ptr<const State>(state_), threads, stream));
  });
}

/// Refuses to change a hierarchy that others solve by.
template <class T>
void Solver<T>::require_unshared() const {
  if (const long others = state_.use_count() - 1; others > 0) {
    throw Exception(Status::bad_input,
                    format_text("share(): {} still {} the hierarchy; it stays as it is until {} gone",
                                format_count(others, "solver"), others == 1 ? "shares" : "share",
                                others == 1 ? "that one has" : "they have"));
  }
}

/// Refuses a matrix of the other kind.
template <class View>
void require_kind(bool has_processes) {
  if (has_processes && !is_distributed<View>) {
    throw Exception(Status::bad_input, "a solver of several processes takes a DistributedCsrView, each its rows");
  }
  if (!has_processes && is_distributed<View>) {
    throw Exception(Status::bad_input, "a DistributedCsrView is for a solver of several processes: amgsolve::mpi()");
  }
}

template <class T>
template <class View>
void Solver<T>::setup_with(const View& A, ArrayView<const T> near_nullspace, const Coordinates<T>& coordinates) {
  State& state = state_of(state_);
  const typename State::Call call(state);
  require_unshared();
  require_kind<View>(state.ranks != nullptr);
  // First, so that nothing refers to an earlier matrix any more, whatever becomes of this one.
  std::visit([](auto& session) { session->reset(); }, state.session);
  if (state.measured) {
    state.measured->clear_counts();
  }
  state.owner.reset();
  state.report = state.blank_report;
  state.problem = {};
  const Numbering unknowns = state.options.state_->configuration.amg.unknowns;
  state.reported([&](auto& session) {
    state.problem = {{"rows", state.everyone.sum(A.rows)},
                     {"nnz", state.everyone.sum(static_cast<std::int64_t>(A.values.size()))}};
    if (state.ranks) {
      state.problem["ranks"] = state.ranks->size();
    }
    set_up(session, A, near_nullspace, coordinates, unknowns);
  });
}

template <class T>
template <class View>
void Solver<T>::update_values_with(const View& A) {
  State& state = state_of(state_);
  const typename State::Call call(state);
  require_unshared();
  require_kind<View>(state.ranks != nullptr);
  state.report.forget_outcome();
  state.reported([&](auto& session) { session.update_values(matrix_of(session.context(), A)); });
}

#define AMGSOLVE_TAKE(...)                                                                                            \
  template <class T>                                                                                                  \
  void Solver<T>::setup(const __VA_ARGS__& A, ArrayView<const T> near_nullspace, const Coordinates<T>& coordinates) { \
    setup_with(A, near_nullspace, coordinates);                                                                       \
  }                                                                                                                   \
  template <class T>                                                                                                  \
  void Solver<T>::update_values(const __VA_ARGS__& A) {                                                               \
    update_values_with(A);                                                                                            \
  }
AMGSOLVE_TAKE(CsrView<T, std::int32_t>)
AMGSOLVE_TAKE(CsrView<T, std::int64_t>)
AMGSOLVE_TAKE(DistributedCsrView<T, std::int32_t, std::int32_t>)
AMGSOLVE_TAKE(DistributedCsrView<T, std::int32_t, std::int64_t>)
AMGSOLVE_TAKE(DistributedCsrView<T, std::int64_t, std::int32_t>)
AMGSOLVE_TAKE(DistributedCsrView<T, std::int64_t, std::int64_t>)
#undef AMGSOLVE_TAKE

template <class T>
Result Solver<T>::solve(ArrayView<const T> b, ArrayView<T> x, int columns, MemoryKind memory) {
  SolveSettings<T> settings;
  settings.columns = columns;
  settings.memory = memory;
  return solve(b, x, settings);
}

template <class T>
Result Solver<T>::solve(ArrayView<const T> b, ArrayView<T> x, const SolveSettings<T>& settings) {
  State& state = state_of(state_);
  const typename State::Call call(state);
  state.report.forget_outcome();
  state.reported([&](auto& session) {
    collectively(state.everyone, [&] { check_settings(state.options.state_->schema, settings); });
    require_alike(state.everyone, settings);
    amgsolve::solve(session, b, x, settings);
    if (state.everyone.size() > 1) {
      state.report.ranks =
          all_statistics(*state.measured, static_cast<std::int64_t>(x.size()) / settings.columns, session.ghosts());
    }
  });
  const SolveResult& result = *state.report.result;
  return Result{.status = *state.report.status,
                .message = state.report.message,
                .iterations = result.iterations,
                .relative_residual = result.relative_residual,
                .backward_error = result.backward_error,
                .jacobi_change = result.jacobi_change,
                .outside_range = result.outside_range,
                .convergence_factor = result.convergence_factor,
                .residual_history = result.residual_history};
}

template <class T>
void Solver<T>::precondition(ArrayView<const T> r, ArrayView<T> z, int columns, MemoryKind memory) {
  State& state = state_of(state_);
  const typename State::Call call(state);
  state.measured_work([&](auto& session) {
    require_alike(state.everyone, SolveSettings<T>{.columns = columns});
    amgsolve::precondition(session, r, z, columns, memory);
  });
}

template <class T>
HierarchyStatistics Solver<T>::hierarchy() const {
  const State& state = state_of(state_);
  return with_public_exceptions([&] {
    const HierarchySummary summary = std::visit([](const auto& session) { return session->summary(); }, state.session);
    HierarchyStatistics result;
    for (const LevelSummary& level : summary.levels) {
      result.levels.push_back(statistics_of(level));
    }
    result.operator_complexity = summary.operator_complexity;
    result.grid_complexity = summary.grid_complexity;
    result.coarse_solver = summary.coarse_solver;
    return result;
  });
}

template <class T>
CsrArrays<T> Solver<T>::level_matrix(int level, LevelMatrix matrix) const {
  State& state = state_of(state_);
  state.require_alone("level_matrix()");
  const typename State::Call call(state);
  return with_public_exceptions([&] {
    return std::visit(
        [&](const auto& session) {
          session->context().set_stop({});
          const CsrMatrix<T, Host> A = session->level_matrix(level, part_of(matrix));
          const auto vector_of = [](const auto& values) { return std::vector(values.begin(), values.end()); };
          return CsrArrays<T>{A.rows, A.cols, vector_of(A.row_offsets.span()), vector_of(A.col_indices.span()),
                              vector_of(A.values.span())};
        },
        state.session);
  });
}

template <class T>
void Solver<T>::stop_when(std::function<bool()> stop) {
  state_of(state_).stop = std::move(stop);
}

template <class T>
void Solver<T>::on_iteration(std::function<bool(int, double)> go_on) {
  state_of(state_).go_on = std::move(go_on);
}

template <class T>
std::string Solver<T>::report() const {
  return report_text(state_of(state_).report);
}

template <class T>
std::string Solver<T>::report_json() const {
  const State& state = state_of(state_);
  std::vector<const SchemaEntry*> entries;
  for (const SchemaEntry& entry : state.options.state_->schema.entries()) {
    entries.push_back(&entry);
  }
  return serialize(amgsolve::report_json(state.report, state.problem, configuration_json(entries)));
}

template <class T>
Solver<T>::~Solver() = default;
template <class T>
Solver<T>::Solver(Solver&& other) noexcept = default;
template <class T>
Solver<T>& Solver<T>::operator=(Solver&& other) noexcept = default;

template class Solver<float>;
template class Solver<double>;

}  // namespace amgsolve
