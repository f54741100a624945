#include <fmt/format.h>

#include <amgsolve/amgsolve.hpp>
#include <stdexcept>

#include "src/library/backend_solver.hpp"
#include "src/library/options_state.hpp"
#include "src/library/report_json.hpp"
#include "src/library/report_text.hpp"
#include "src/library/status.hpp"

namespace amgsolve {
namespace {

[[noreturn]] void throw_exception(const std::exception& error) {
  if (const std::optional<Status> status = status_of(error)) {
    throw Exception(*status, error.what());
  }
  if (dynamic_cast<const std::invalid_argument*>(&error) != nullptr) {
    throw Exception(Status::bad_input, error.what());
  }
  throw Exception(Status::breakdown, fmt::format("internal error: {}", error.what()));
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

}  // namespace

// Out of line, so that its type information is in one place.
Exception::~Exception() = default;

template <class T>
struct Solver<T>::State {
  Options options;
  const Configuration& configuration = options.state_->configuration;
  Report blank_report;  ///< what is known before any setup
  std::unique_ptr<BackendSolver<T>> solver;
  Report report;
  nlohmann::ordered_json problem;

  State(const Options& options_, void* stream) : options(options_) {
    validate(configuration);
    blank_report.tolerance = configuration.solver.tolerance;
    solver = make_backend_solver<T>(configuration, stream, blank_report);
    report = blank_report;
  }

  /// Calls the body, and books what was measured and what went wrong.
  template <class Body>
  auto reported(Body&& body) {
    try {
      return with_public_exceptions(body);
    } catch (const Exception& error) {
      report.set_error(error.status(), error.what());
      solver->measure_after_failure(report);
      throw;
    }
  }
};

template <class T>
Solver<T>::Solver(const Options& options, void* stream)
    : state_(with_public_exceptions([&] { return std::make_unique<State>(options, stream); })) {}

template <class T>
template <class Offset>
void Solver<T>::setup_with(const CsrView<T, Offset>& A, std::span<const T> near_nullspace) {
  State& state = *state_;
  // First, so that nothing refers to an earlier matrix any more, whatever becomes of this one.
  state.solver->reset();
  state.report = state.blank_report;
  state.problem = {{"rows", A.rows}, {"nnz", A.col_indices.size()}};
  state.reported([&] {
    state.report.hierarchy = state.solver->setup(A, near_nullspace);
    state.solver->measure(state.report);
  });
}

template <class T>
void Solver<T>::setup(const CsrView<T, std::int32_t>& A, std::span<const T> near_nullspace) {
  setup_with(A, near_nullspace);
}

template <class T>
void Solver<T>::setup(const CsrView<T, std::int64_t>& A, std::span<const T> near_nullspace) {
  setup_with(A, near_nullspace);
}

template <class T>
Result Solver<T>::solve(std::span<const T> b, std::span<T> x, int columns, MemoryKind memory) {
  State& state = *state_;
  state.report.result.reset();
  return state.reported([&] {
    state.report.set_result(state.solver->solve(b, x, columns, memory));
    state.solver->measure(state.report);
    const SolveResult& result = *state.report.result;
    return Result{.status = *state.report.status,
                  .message = state.report.message,
                  .iterations = result.iterations,
                  .relative_residual = result.relative_residual,
                  .convergence_factor = result.convergence_factor,
                  .residual_history = result.residual_history};
  });
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
