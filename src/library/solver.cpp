#include <algorithm>
#include <amgsolve/amgsolve.hpp>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "src/library/caller_arrays.hpp"
#include "src/library/device_ranks.hpp"
#include "src/library/distributed_rows.hpp"
#include "src/library/group_communicator.hpp"
#include "src/library/measured_communicator.hpp"
#include "src/library/options_state.hpp"
#include "src/library/report_json.hpp"
#include "src/library/report_text.hpp"
#include "src/library/same_options.hpp"
#include "src/library/session.hpp"
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

/// Calls the body; whatever it throws becomes an Exception.
template <class Body>
auto with_public_exceptions(Body&& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    throw_exception(error);
  }
}

Index rows_of(std::size_t size, int columns, const char* what) {
  if (columns < 1) {
    throw InputError(format_text("columns of {} is {}; there must be at least 1", what, columns));
  }
  if (size % static_cast<std::size_t>(columns) != 0) {
    throw InputError(format_text("{} has {} values, which do not make {} columns", what, size, columns));
  }
  return checked_index(static_cast<std::int64_t>(size) / columns, "rows");
}

Index candidates_in(std::size_t size, Index rows) {
  if (rows == 0 || size % static_cast<std::size_t>(rows) != 0) {
    throw InputError(
        format_text("the near-nullspace has {} values, which is no multiple of the {} rows of the matrix", size, rows));
  }
  return checked_index(static_cast<std::int64_t>(size) / rows, "near-nullspace vectors");
}

/// Whether this is what each of several processes has of a matrix.
template <class View>
constexpr bool is_distributed = requires(const View& A) {
  A.global_columns;
};

/// The caller's matrix as the session takes it: all of it, or the rows of this process.
template <MemorySpace S, class T, class Offset>
CsrMatrix<T, S> matrix_of(Context<S>& ctx, const CsrView<T, Offset>& A) {
  return CallerArrays<S>(ctx, A.memory, A.ownership).matrix_in_space(A);
}
template <MemorySpace S, class T, class Offset>
GlobalRows<T, S> matrix_of(Context<S>& ctx, const DistributedCsrView<T, Offset>& A) {
  GlobalRows<T, S> rows;
  collectively(ctx.communicator(), [&] { rows = rows_in_space<T, S>(ctx, A); });
  return rows;
}

/// Refuses coordinates of other nodes than those that a process has the rows of. Collective. Numbers of nodes that do
/// not go into those of rows altogether are refused with the whole matrix.
void require_own_nodes(const Communicator& ranks, std::int64_t rows, std::int64_t nodes) {
  const std::int64_t all_rows = ranks.sum(rows);
  const std::int64_t all_nodes = ranks.sum(nodes);
  if (all_nodes == 0 || all_rows % all_nodes != 0) {
    return;
  }
  collectively(ranks, [&] {
    if (const std::int64_t unknowns = all_rows / all_nodes; nodes * unknowns != rows) {
      throw InputError(format_text("there are coordinates of {} nodes for {} rows of the matrix, with {} a node", nodes,
                                   rows, unknowns));
    }
  });
}

/// @param unknowns  how they are numbered: by field the nodes of a process's rows are any
template <class T, MemorySpace S, class View>
void set_up(Session<T, S>& session, const View& A, ArrayView<const T> near_nullspace, const Coordinates<T>& coordinates,
            Numbering unknowns) {
  Context<S>& ctx = session.context();
  auto matrix = matrix_of<S>(ctx, A);
  Buffer<T, S> candidates;
  MultiVectorView<const T, S> candidates_view;
  Buffer<T, S> positions;
  MultiVectorView<const T, S> positions_view;
  collectively(ctx.communicator(), [&] {
    CallerArrays<S> arrays(ctx, A.memory, Ownership::borrow);
    if (!near_nullspace.empty()) {
      const Index rows = checked_index(A.rows, "rows");
      candidates = arrays.in_space(near_nullspace, "near_nullspace");
      candidates_view = {std::as_const(candidates).data(), rows, candidates_in(near_nullspace.size(), rows)};
    }
    if (!coordinates.values.empty()) {
      const Index nodes = rows_of(coordinates.values.size(), coordinates.dimensions, "coordinates");
      positions = arrays.in_space(coordinates.values, "coordinates");
      positions_view = {std::as_const(positions).data(), nodes, coordinates.dimensions};
    }
  });
  if constexpr (is_distributed<View>) {
    if (unknowns == Numbering::by_node) {
      require_own_nodes(ctx.communicator(), A.rows, positions_view.rows);
    }
    const MultiVector<T, S> nodes = rows_of_all(ctx, positions_view, "the coordinates");
    session.setup(std::move(matrix), candidates_view, nodes.view());
  } else {
    session.setup(std::move(matrix), candidates_view, positions_view);
  }
}

/// The product that a solve takes in place of the assembled matrix's, in the session's terms.
template <MemorySpace S, class T>
FormProduct<T, S> form_product(const ProductCallback<T>& product) {
  if (!product) {
    return {};
  }
  return [&product](Context<S>& ctx, MultiVectorView<const T, S> X, MultiVectorView<T, S> Y) {
    const ScopedTimer timer(ctx, "product");
    void* stream = nullptr;
    if constexpr (std::same_as<S, Cuda>) {
      stream = ctx.stream();
    }
    product(X.data, Y.data, X.columns, stream);
  };
}

/// Of addresses and no ends, which sizes that are wrong may put anywhere.
template <class T>
void check_apart(ArrayView<const T> b, ArrayView<T> x) {
  const auto b_begin = reinterpret_cast<std::uintptr_t>(b.data());
  const auto x_begin = reinterpret_cast<std::uintptr_t>(x.data());
  const bool is_b_first = b_begin <= x_begin;
  const std::uintptr_t between = is_b_first ? x_begin - b_begin : b_begin - x_begin;
  if (!b.empty() && !x.empty() && between / sizeof(T) < (is_b_first ? b.size() : x.size())) {
    throw InputError("b and x share memory: the right-hand side is needed until the end");
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

template <class T, MemorySpace S>
void solve(Session<T, S>& session, ArrayView<const T> b, ArrayView<T> x, const SolveSettings<T>& settings) {
  Context<S>& ctx = session.context();
  const int columns = settings.columns;
  CallerArrays<S> arrays(ctx, settings.memory, Ownership::borrow);
  Index b_rows = 0;
  Index x_rows = 0;
  Buffer<T, S> b_here;
  Buffer<T, S> x_here;
  collectively(ctx.communicator(), [&] {
    check_apart(b, x);
    b_rows = rows_of(b.size(), columns, "b");
    x_rows = rows_of(x.size(), columns, "x");
    b_here = arrays.in_space(b, "b");
    x_here = arrays.in_space(x, "x");
  });
  session.solve({std::as_const(b_here).data(), b_rows, columns}, {x_here.data(), x_rows, columns},
                {settings.tolerance, settings.max_iterations, form_product<S>(settings.product)});
  ctx.set_stop({});  // what came out is handed over whole
  arrays.hand_over(x_here, x);
}

template <class T, MemorySpace S>
void precondition(Session<T, S>& session, ArrayView<const T> r, ArrayView<T> z, int columns, MemoryKind memory) {
  Context<S>& ctx = session.context();
  CallerArrays<S> arrays(ctx, memory, Ownership::borrow);
  Index r_rows = 0;
  Index z_rows = 0;
  Buffer<T, S> r_here;
  Buffer<T, S> z_here;
  collectively(ctx.communicator(), [&] {
    r_rows = rows_of(r.size(), columns, "r");
    z_rows = rows_of(z.size(), columns, "z");
    r_here = arrays.in_space(r, "r");
    z_here = arrays.room_in_space(z, "z");
  });
  session.precondition({std::as_const(r_here).data(), r_rows, columns}, {z_here.data(), z_rows, columns});
  arrays.hand_over(z_here, z);
}

/// Throws what Options say of values that the keys do not allow.
void check_settings(Options options, std::optional<double> tolerance, std::optional<int> max_iterations) {
  try {
    if (tolerance) {
      options.set("solver.tolerance", *tolerance);
    }
    if (max_iterations) {
      options.set("solver.max_iterations", *max_iterations);
    }
  } catch (const std::invalid_argument& error) {
    throw ConfigurationError(error.what());
  }
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
  Report report;
  AnySession<T> session;
  Report blank_report;  ///< what is known before any setup
  Json problem;
  std::function<bool()> stop{};
  std::function<bool(int, double)> go_on{};
  std::atomic<bool> is_at_work{false};

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

  /// What this call asks and tells of its work. Where there are several processes all ask, at the same places.
  template <MemorySpace S>
  void watch(Context<S>& ctx) const {
    auto ended = std::make_shared<bool>(false);
    ctx.set_progress_listener([this, ended](const Progress& progress) {
      *ended = progress.phase == "solve" && go_on && !go_on(static_cast<int>(progress.step), progress.residual);
      if (ranks) {
        *ended = agree_on_step(*ranks, *ended || (stop && stop()));
      }
    });
    ctx.set_stop([this, ended] { return *ended || (!ranks && stop && stop()); });
  }

  /// Refuses what processes cannot do together.
  void require_alone(const char* what) const {
    if (ranks) {
      throw Exception(Status::bad_configuration, format_text("{} is not for several processes so far", what));
    }
  }

  /// Calls body(session), and books what was measured and what went wrong.
  template <MemorySpace S, class Body>
  void reported_by(Session<T, S>& chosen, Body&& body) {
    watch(chosen.context());
    chosen.reported([&] {
      with_public_exceptions([&] {
        body(chosen);
        chosen.measure();
      });
    });
  }
  template <class Body>
  void reported(Body&& body) {
    std::visit([&](auto& chosen) { reported_by(*chosen, body); }, session);
  }
};

template <class T>
Solver<T>::Solver(const Options& options, void* stream)
    : state_(with_public_exceptions([&] { return std::make_shared<State>(options, stream); })) {}

template <class T>
Solver<T>::Solver(const Options& options, std::shared_ptr<const ProcessGroup> processes, void* stream)
    : state_(with_public_exceptions([&] {
        if (!processes) {
          throw ConfigurationError("a solver of no processes: the ProcessGroup is null");
        }
        return std::make_shared<State>(options, std::move(processes), stream);
      })) {}

template <class T>
Solver<T>::Solver(std::shared_ptr<State> state) : state_(std::move(state)) {}

template <class T>
Solver<T> Solver<T>::share(int threads, void* stream) const {
  state_->require_alone("share()");
  return with_public_exceptions(
      [&] { return Solver(std::make_shared<State>(std::shared_ptr<const State>(state_), threads, stream)); });
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
  const AtWork work(state_->is_at_work);
  require_unshared();
  State& state = *state_;
  require_kind<View>(state.ranks != nullptr);
  // First, so that nothing refers to an earlier matrix any more, whatever becomes of this one.
  std::visit([](auto& session) { session->reset(); }, state.session);
  state.owner.reset();
  state.report = state.blank_report;
  state.problem = {{"rows", A.rows}, {"nnz", A.values.size()}};
  if (state.ranks) {
    state.problem = {{"rows", state.ranks->sum(A.rows)},
                     {"nnz", state.ranks->sum(static_cast<std::int64_t>(A.values.size()))},
                     {"ranks", state.ranks->size()}};
  }
  const Numbering unknowns = state.options.state_->configuration.amg.unknowns;
  state.reported([&](auto& session) { set_up(session, A, near_nullspace, coordinates, unknowns); });
}

template <class T>
void Solver<T>::setup(const DistributedCsrView<T, std::int32_t>& A, ArrayView<const T> near_nullspace,
                      const Coordinates<T>& coordinates) {
  setup_with(A, near_nullspace, coordinates);
}

template <class T>
void Solver<T>::setup(const DistributedCsrView<T, std::int64_t>& A, ArrayView<const T> near_nullspace,
                      const Coordinates<T>& coordinates) {
  setup_with(A, near_nullspace, coordinates);
}

template <class T>
void Solver<T>::setup(const CsrView<T, std::int32_t>& A, ArrayView<const T> near_nullspace,
                      const Coordinates<T>& coordinates) {
  setup_with(A, near_nullspace, coordinates);
}

template <class T>
void Solver<T>::setup(const CsrView<T, std::int64_t>& A, ArrayView<const T> near_nullspace,
                      const Coordinates<T>& coordinates) {
  setup_with(A, near_nullspace, coordinates);
}

template <class T>
template <class View>
void Solver<T>::update_values_with(const View& A) {
  const AtWork work(state_->is_at_work);
  require_unshared();
  require_kind<View>(state_->ranks != nullptr);
  state_->report.result.reset();
  state_->reported([&](auto& session) { session.update_values(matrix_of(session.context(), A)); });
}

template <class T>
void Solver<T>::update_values(const DistributedCsrView<T, std::int32_t>& A) {
  update_values_with(A);
}

template <class T>
void Solver<T>::update_values(const DistributedCsrView<T, std::int64_t>& A) {
  update_values_with(A);
}

template <class T>
void Solver<T>::update_values(const CsrView<T, std::int32_t>& A) {
  update_values_with(A);
}

template <class T>
void Solver<T>::update_values(const CsrView<T, std::int64_t>& A) {
  update_values_with(A);
}

template <class T>
Result Solver<T>::solve(ArrayView<const T> b, ArrayView<T> x, int columns, MemoryKind memory) {
  SolveSettings<T> settings;
  settings.columns = columns;
  settings.memory = memory;
  return solve(b, x, settings);
}

template <class T>
Result Solver<T>::solve(ArrayView<const T> b, ArrayView<T> x, const SolveSettings<T>& settings) {
  State& state = *state_;
  const AtWork work(state.is_at_work);
  state.report.result.reset();
  state.reported([&](auto& session) {
    const auto check = [&] {
      if (settings.tolerance || settings.max_iterations) {
        check_settings(state.options, settings.tolerance, settings.max_iterations);
      }
    };
    if (state.ranks) {
      collectively(*state.ranks, check);
      require_alike(*state.ranks, settings);
    } else {
      check();
    }
    amgsolve::solve(session, b, x, settings);
    if (state.ranks) {
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
                .outside_range = result.outside_range,
                .convergence_factor = result.convergence_factor,
                .residual_history = result.residual_history};
}

template <class T>
void Solver<T>::precondition(ArrayView<const T> r, ArrayView<T> z, int columns, MemoryKind memory) {
  const AtWork work(state_->is_at_work);
  state_->reported([&](auto& session) {
    if (state_->ranks) {
      require_alike(*state_->ranks, SolveSettings<T>{.columns = columns});
    }
    amgsolve::precondition(session, r, z, columns, memory);
  });
}

template <class T>
HierarchyStatistics Solver<T>::hierarchy() const {
  return with_public_exceptions([&] {
    const HierarchySummary summary =
        std::visit([](const auto& session) { return session->summary(); }, state_->session);
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
  state_->require_alone("level_matrix()");
  return with_public_exceptions([&] {
    return std::visit(
        [&](const auto& session) {
          session->context().set_stop({});
          const CsrMatrix<T, Host> A = session->level_matrix(level, part_of(matrix));
          const auto vector_of = [](const auto& values) { return std::vector(values.begin(), values.end()); };
          return CsrArrays<T>{A.rows, A.cols, vector_of(A.row_offsets.span()), vector_of(A.col_indices.span()),
                              vector_of(A.values.span())};
        },
        state_->session);
  });
}

template <class T>
void Solver<T>::stop_when(std::function<bool()> stop) {
  state_->stop = std::move(stop);
}

template <class T>
void Solver<T>::on_iteration(std::function<bool(int, double)> go_on) {
  state_->go_on = std::move(go_on);
}

template <class T>
std::string Solver<T>::report() const {
  return report_text(state_->report);
}

template <class T>
std::string Solver<T>::report_json() const {
  std::vector<const SchemaEntry*> entries;
  for (const SchemaEntry& entry : state_->options.state_->schema.entries()) {
    entries.push_back(&entry);
  }
  return serialize(amgsolve::report_json(state_->report, state_->problem, configuration_json(entries)));
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
