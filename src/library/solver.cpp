#include "amg/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <amgsolve/amgsolve.hpp>
#include <utility>

#include "core/errors.hpp"
#include "src/library/backend.hpp"
#include "src/library/options_state.hpp"
#include "src/library/report_json.hpp"
#include "src/library/report_text.hpp"
#include "src/library/status.hpp"

namespace amgsolve {
namespace {

// The library only reads what it borrows; a buffer has one pointer type for what it owns and what it does not.
template <class T>
Buffer<T, Host> borrow(std::span<const T> values) {
  return Buffer<T, Host>::borrow(const_cast<T*>(values.data()), values.size());
}

Buffer<std::int64_t, Host> offsets_of(Context<Host>&, std::span<const std::int64_t> offsets) { return borrow(offsets); }

Buffer<std::int64_t, Host> offsets_of(Context<Host>& ctx, std::span<const std::int32_t> offsets) {
  Buffer<std::int64_t, Host> result(ctx, offsets.size());
  std::ranges::copy(offsets, result.data());
  return result;
}

template <class T, class Offset>
CsrMatrix<T, Host> matrix_of(Context<Host>& ctx, const CsrView<T, Offset>& A) {
  CsrMatrix<T, Host> result;
  result.rows = checked_index(A.rows, "rows of the matrix");
  result.cols = checked_index(A.cols, "columns of the matrix");
  result.row_offsets = offsets_of(ctx, A.row_offsets);
  result.col_indices = borrow(A.col_indices);
  result.values = borrow(A.values);
  return result;
}

Index rows_of(std::size_t size, int columns, const char* what) {
  if (columns < 1 || size % static_cast<std::size_t>(columns) != 0) {
    throw InputError(fmt::format("{} has {} values, which do not make {} columns", what, size, columns));
  }
  return checked_index(static_cast<std::int64_t>(size) / columns, "rows");
}

template <class T>
FatView<const T, Host> candidates_of(std::span<const T> values, Index rows) {
  if (values.empty()) {
    return {};
  }
  if (rows == 0 || values.size() % static_cast<std::size_t>(rows) != 0) {
    throw InputError(fmt::format("the near-nullspace has {} values, which is no multiple of the {} rows of the matrix",
                                 values.size(), rows));
  }
  return {values.data(), rows,
          checked_index(static_cast<std::int64_t>(values.size()) / rows, "near-nullspace vectors")};
}

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
  Context<Host> ctx{configuration.threads};
  AmgSolver<T, Host> solver = new_solver();
  Report report = new_report();
  nlohmann::ordered_json problem;

  explicit State(const Options& options_) : options(options_) {
    validate(configuration);
    require_backend(configuration.backend);
    ctx.memory().set_limit(static_cast<std::size_t>(configuration.memory_limit));
  }

  AmgSolver<T, Host> new_solver() const { return {configuration.amg, configuration.solver}; }

  Report new_report() const {
    Report result;
    result.tolerance = configuration.solver.tolerance;
    return result;
  }

  /// Calls the body, and books what was measured and what went wrong.
  template <class Body>
  auto reported(Body&& body) {
    try {
      return with_public_exceptions(body);
    } catch (const Exception& error) {
      report.set_error(error.status(), error.what());
      report.measure(ctx);
      throw;
    }
  }
};

template <class T>
Solver<T>::Solver(const Options& options)
    : state_(with_public_exceptions([&] { return std::make_unique<State>(options); })) {}

template <class T>
template <class Offset>
void Solver<T>::setup_with(const CsrView<T, Offset>& A, std::span<const T> near_nullspace) {
  State& state = *state_;
  // First, so that nothing refers to an earlier matrix any more, whatever becomes of this one.
  state.solver = state.new_solver();
  state.report = state.new_report();
  state.problem = {{"rows", A.rows}, {"nnz", A.col_indices.size()}};
  state.ctx.profile().clear();
  state.reported([&] {
    CsrMatrix<T, Host> matrix = matrix_of(state.ctx, A);
    const FatView<const T, Host> candidates = candidates_of(near_nullspace, matrix.rows);
    state.solver.setup(state.ctx, std::move(matrix), candidates);
    state.report.hierarchy = state.solver.summary();
    state.report.measure(state.ctx);
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
Result Solver<T>::solve(std::span<const T> b, std::span<T> x, int columns) {
  State& state = *state_;
  state.report.result.reset();
  return state.reported([&] {
    const FatView<const T, Host> b_view(b.data(), rows_of(b.size(), columns, "b"), columns);
    const FatView<T, Host> x_view(x.data(), rows_of(x.size(), columns, "x"), columns);
    state.report.set_result(state.solver.solve(state.ctx, b_view, x_view));
    state.report.measure(state.ctx);
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
