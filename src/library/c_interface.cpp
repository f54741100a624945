#include <amgsolve/amgsolve.h>

#include <algorithm>
#include <amgsolve/amgsolve.hpp>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/format.hpp"

// <amgsolve/amgsolve.h> by the C++ classes. No exception leaves a function of it.

struct amgsolve_options {
  amgsolve::Options options;
};

namespace {

using amgsolve::Exception;
using amgsolve::format_text;
using amgsolve::Status;

template <class T>
struct SolverOf {
  using Value = T;

  amgsolve::Solver<T> solver;
  amgsolve::Result result;              ///< of the last solve
  amgsolve::CsrArrays<T> level_matrix;  ///< handed out last
};

}  // namespace

struct amgsolve_solver {
  std::variant<SolverOf<double>, SolverOf<float>> of;
};

namespace {

constexpr amgsolve_status done = AMGSOLVE_CONVERGED;

constexpr amgsolve_status to_c(Status status) { return static_cast<amgsolve_status>(status); }

static_assert(to_c(Status::converged) == AMGSOLVE_CONVERGED && to_c(Status::not_converged) == AMGSOLVE_NOT_CONVERGED &&
              to_c(Status::bad_configuration) == AMGSOLVE_BAD_CONFIGURATION &&
              to_c(Status::bad_input) == AMGSOLVE_BAD_INPUT && to_c(Status::out_of_memory) == AMGSOLVE_OUT_OF_MEMORY &&
              to_c(Status::breakdown) == AMGSOLVE_BREAKDOWN && to_c(Status::device_failed) == AMGSOLVE_DEVICE_FAILED &&
              to_c(Status::interrupted) == AMGSOLVE_INTERRUPTED &&
              to_c(Status::internal_error) == AMGSOLVE_INTERNAL_ERROR);

/// Of a thread. Of fixed size, so that there is room for the message that memory has run out.
thread_local char last_error[1024] = "";

amgsolve_status fail(amgsolve_status status, std::string_view message) noexcept {
  std::size_t length = std::min(message.size(), sizeof(last_error) - 1);
  const auto is_within_character = [&] { return (static_cast<unsigned char>(message[length]) & 0xC0U) == 0x80U; };
  while (length > 0 && length < message.size() && is_within_character()) {
    --length;
  }
  std::memcpy(last_error, message.data(), length);
  last_error[length] = '\0';
  return status;
}

/// Calls the body, which returns a status; what it throws becomes one.
/// @param of_arguments  what an argument that does not fit is
template <class Body>
amgsolve_status guarded(Body&& body, amgsolve_status of_arguments = AMGSOLVE_BAD_INPUT) noexcept {
  try {
    return body();
  } catch (const Exception& error) {
    return fail(to_c(error.status()), error.what());
  } catch (const std::invalid_argument& error) {
    return fail(of_arguments, error.what());
  } catch (const std::bad_alloc&) {
    return fail(AMGSOLVE_OUT_OF_MEMORY, "out of host memory");
  } catch (const std::exception& error) {
    return fail(AMGSOLVE_INTERNAL_ERROR, error.what());
  } catch (...) {
    return fail(AMGSOLVE_INTERNAL_ERROR, "internal error: an exception of unknown kind");
  }
}

void refuse(const std::string& message) { throw Exception(Status::bad_input, message); }

/// Throws where a pointer is NULL that must not be.
void require(const void* pointer, const char* name) {
  if (pointer == nullptr) {
    refuse(format_text("{} is NULL", name));
  }
}

/// Calls body(SolverOf<T>&) with the solver behind the handle.
template <class Handle, class Body>
amgsolve_status with_solver(Handle* handle, Body&& body) noexcept {
  return guarded([&] {
    require(handle, "solver");
    return std::visit([&](auto& solver) { return body(solver); }, handle->of);
  });
}

/// `count` of the caller's elements.
template <class T, class Pointer>
amgsolve::ArrayView<T> elements(Pointer* pointer, std::int64_t count, const char* name) {
  if (count > 0) {
    require(pointer, name);
  }
  return {static_cast<T*>(pointer), static_cast<std::size_t>(count)};
}

std::int64_t checked_count(std::int64_t count, const char* name) {
  if (count < 0 || count > std::numeric_limits<std::int64_t>::max() / 16) {
    refuse(format_text("{} is {}", name, count));
  }
  return count;
}

/// rows × columns.
std::int64_t checked_size(std::int64_t rows, int columns) {
  if (rows < 0 || rows > std::numeric_limits<std::int32_t>::max()) {
    refuse(format_text("rows is {}; a matrix has between 1 and 2147483647", rows));
  }
  if (columns < 1) {
    refuse(format_text("columns is {}; there must be at least 1", columns));
  }
  return rows * columns;
}

amgsolve::MemoryKind memory_kind(amgsolve_memory memory) {
  if (memory != AMGSOLVE_HOST && memory != AMGSOLVE_DEVICE) {
    refuse(format_text("memory is {}; it must be AMGSOLVE_HOST or AMGSOLVE_DEVICE", memory));
  }
  return memory == AMGSOLVE_HOST ? amgsolve::MemoryKind::host : amgsolve::MemoryKind::device;
}

amgsolve::Ownership ownership_of(amgsolve_ownership ownership) {
  if (ownership != AMGSOLVE_BORROW && ownership != AMGSOLVE_COPY) {
    refuse(format_text("ownership is {}; it must be AMGSOLVE_BORROW or AMGSOLVE_COPY", ownership));
  }
  return ownership == AMGSOLVE_BORROW ? amgsolve::Ownership::borrow : amgsolve::Ownership::copy;
}

amgsolve::LevelMatrix level_matrix_of(amgsolve_level_part part) {
  switch (part) {
    case AMGSOLVE_A:
      return amgsolve::LevelMatrix::A;
    case AMGSOLVE_P:
      return amgsolve::LevelMatrix::P;
    case AMGSOLVE_R:
      return amgsolve::LevelMatrix::R;
  }
  refuse(format_text("part is {}; it must be AMGSOLVE_A, AMGSOLVE_P or AMGSOLVE_R", part));
  return {};
}

/// Calls body(CsrView<T, Offset>) with the caller's matrix.
template <class T, class Body>
void with_matrix(const amgsolve_matrix* A, Body&& body) {
  require(A, "A");
  const std::int64_t nonzeros = checked_count(A->nonzeros, "A.nonzeros");
  const std::int64_t offsets = checked_count(A->rows, "A.rows") + 1;
  const auto view = [&]<class Offset>(Offset) {
    body(amgsolve::CsrView<T, Offset>{
        A->rows, A->cols, elements<const Offset>(A->row_offsets, offsets, "A.row_offsets"),
        elements<const std::int32_t>(A->col_indices, nonzeros, "A.col_indices"),
        elements<const T>(A->values, nonzeros, "A.values"), memory_kind(A->memory), ownership_of(A->ownership)});
  };
  if (A->offset_bits == 32) {
    view(std::int32_t{});
  } else if (A->offset_bits == 64) {
    view(std::int64_t{});
  } else {
    refuse(format_text("A.offset_bits is {}; it must be 32 or 64", A->offset_bits));
  }
}

amgsolve_status hand_over(std::string_view from, char* text, std::size_t capacity, std::size_t* length) {
  if (capacity > 0) {
    require(text, "text");
    const std::size_t copied = std::min(from.size(), capacity - 1);
    std::memcpy(text, from.data(), copied);
    text[copied] = '\0';
  }
  if (length != nullptr) {
    *length = from.size();
  }
  return done;
}

template <class Set>
amgsolve_status set_option(amgsolve_options* options, const char* key, Set&& set) noexcept {
  return guarded(
      [&] {
        require(options, "options");
        require(key, "key");
        set(options->options);
        return done;
      },
      AMGSOLVE_BAD_CONFIGURATION);
}

template <class T>
amgsolve::SolveSettings<T> settings_of(const amgsolve_settings& settings) {
  amgsolve::SolveSettings<T> result;
  result.columns = settings.columns;
  result.memory = memory_kind(settings.memory);
  if (!(settings.tolerance < 0.0)) {
    result.tolerance = settings.tolerance;
  }
  if (settings.max_iterations >= 0) {
    result.max_iterations = settings.max_iterations;
  }
  if (settings.product != nullptr) {
    result.product = [product = settings.product, user = settings.user](const T* x, T* y, int columns, void* stream) {
      product(x, y, columns, stream, user);
    };
  }
  return result;
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

amgsolve_result to_c(const amgsolve::Result& result) {
  return {to_c(result.status),
          result.iterations,
          result.relative_residual,
          result.backward_error,
          result.outside_range,
          result.convergence_factor,
          result.jacobi_change.value_or(unknown)};
}

amgsolve_result unsolved(amgsolve_status status) { return {status, 0, unknown, unknown, unknown, unknown, unknown}; }

}  // namespace

extern "C" {

const char* amgsolve_version(void) { return amgsolve::version().data(); }

const char* amgsolve_status_name(amgsolve_status status) { return amgsolve::name(static_cast<Status>(status)).data(); }

const char* amgsolve_last_error(void) { return last_error; }

amgsolve_status amgsolve_options_create(amgsolve_options** options) {
  return guarded([&] {
    require(options, "options");
    *options = nullptr;
    *options = new amgsolve_options;
    return done;
  });
}

void amgsolve_options_destroy(amgsolve_options* options) { delete options; }

amgsolve_status amgsolve_options_set(amgsolve_options* options, const char* key, const char* value) {
  return set_option(options, key, [&](amgsolve::Options& all) {
    require(value, "value");
    all.set(key, std::string_view(value));
  });
}

amgsolve_status amgsolve_options_set_integer(amgsolve_options* options, const char* key, int64_t value) {
  return set_option(options, key, [&](amgsolve::Options& all) { all.set(key, value); });
}

amgsolve_status amgsolve_options_set_real(amgsolve_options* options, const char* key, double value) {
  return set_option(options, key, [&](amgsolve::Options& all) { all.set(key, value); });
}

amgsolve_status amgsolve_options_get(const amgsolve_options* options, const char* key, char* text, size_t capacity,
                                     size_t* length) {
  return guarded(
      [&] {
        require(options, "options");
        require(key, "key");
        return hand_over(options->options.get(key), text, capacity, length);
      },
      AMGSOLVE_BAD_CONFIGURATION);
}

amgsolve_status amgsolve_create(amgsolve_precision precision, const amgsolve_options* options, void* stream,
                                amgsolve_solver** solver) {
  return guarded([&] {
    require(solver, "solver");
    *solver = nullptr;
    if (precision != AMGSOLVE_DOUBLE && precision != AMGSOLVE_FLOAT) {
      refuse(format_text("precision is {}; it must be AMGSOLVE_DOUBLE or AMGSOLVE_FLOAT", precision));
    }
    const amgsolve::Options& chosen = options != nullptr ? options->options : amgsolve::Options();
    const auto make = [&]<class T>(T) {
      return std::make_unique<amgsolve_solver>(
          amgsolve_solver{SolverOf<T>{amgsolve::Solver<T>(chosen, stream), {}, {}}});
    };
    *solver = (precision == AMGSOLVE_DOUBLE ? make(double{}) : make(float{})).release();
    return done;
  });
}

void amgsolve_destroy(amgsolve_solver* solver) { delete solver; }

amgsolve_status amgsolve_setup(amgsolve_solver* solver, const amgsolve_matrix* A, const void* near_nullspace,
                               int vectors) {
  return with_solver(solver, [&]<class T>(SolverOf<T>& of) {
    if (vectors < 0 || (vectors == 0 && near_nullspace != nullptr)) {
      refuse(format_text("vectors is {}; of a near_nullspace there must be at least 1", vectors));
    }
    with_matrix<T>(A, [&](const auto& view) {
      const std::int64_t size = vectors == 0 ? 0 : checked_size(A->rows, vectors);
      of.solver.setup(view, elements<const T>(near_nullspace, size, "near_nullspace"));
    });
    return done;
  });
}

amgsolve_status amgsolve_setup_body(amgsolve_solver* solver, const amgsolve_matrix* A, const void* coordinates,
                                    int64_t nodes, int dimensions) {
  return with_solver(solver, [&]<class T>(SolverOf<T>& of) {
    if (nodes < 1 || nodes > std::numeric_limits<std::int32_t>::max() || dimensions < 1) {
      refuse(format_text("coordinates of nodes: nodes is {} and dimensions {}", nodes, dimensions));
    }
    with_matrix<T>(A, [&](const auto& view) {
      const auto values = elements<const T>(coordinates, checked_size(nodes, dimensions), "coordinates");
      of.solver.setup(view, {}, {values, dimensions});
    });
    return done;
  });
}

amgsolve_status amgsolve_update_values(amgsolve_solver* solver, const amgsolve_matrix* A) {
  return with_solver(solver, [&]<class T>(SolverOf<T>& of) {
    with_matrix<T>(A, [&](const auto& view) { of.solver.update_values(view); });
    return done;
  });
}

void amgsolve_settings_init(amgsolve_settings* settings) {
  if (settings != nullptr) {
    *settings = {1, AMGSOLVE_HOST, -1.0, -1, nullptr, nullptr};
  }
}

amgsolve_status amgsolve_solve(amgsolve_solver* solver, int64_t rows, const void* b, void* x,
                               const amgsolve_settings* settings, amgsolve_result* result) {
  amgsolve_result outcome{};
  const amgsolve_status status = with_solver(solver, [&]<class T>(SolverOf<T>& of) {
    amgsolve_settings chosen;
    amgsolve_settings_init(&chosen);
    chosen = settings != nullptr ? *settings : chosen;
    of.result = {};
    const std::int64_t size = checked_size(rows, chosen.columns);
    of.result = of.solver.solve(elements<const T>(b, size, "b"), elements<T>(x, size, "x"), settings_of<T>(chosen));
    outcome = to_c(of.result);
    return outcome.status == done ? done : fail(outcome.status, of.result.message);
  });
  if (result != nullptr) {
    *result = outcome.status == status ? outcome : unsolved(status);
  }
  return status;
}

amgsolve_status amgsolve_precondition(amgsolve_solver* solver, int64_t rows, const void* r, void* z, int columns,
                                      amgsolve_memory memory) {
  return with_solver(solver, [&]<class T>(SolverOf<T>& of) {
    const std::int64_t size = checked_size(rows, columns);
    of.solver.precondition(elements<const T>(r, size, "r"), elements<T>(z, size, "z"), columns, memory_kind(memory));
    return done;
  });
}

amgsolve_status amgsolve_share(amgsolve_solver* solver, int threads, void* stream, amgsolve_solver** sharing) {
  if (sharing != nullptr) {
    *sharing = nullptr;
  }
  return with_solver(solver, [&]<class T>(SolverOf<T>& of) {
    require(sharing, "sharing");
    *sharing = std::make_unique<amgsolve_solver>(amgsolve_solver{SolverOf<T>{of.solver.share(threads, stream), {}, {}}})
                   .release();
    return done;
  });
}

amgsolve_status amgsolve_stop_when(amgsolve_solver* solver, int (*stop)(void* user), void* user) {
  return with_solver(solver, [&](auto& of) {
    of.solver.stop_when({});
    if (stop != nullptr) {
      of.solver.stop_when([stop, user] { return stop(user) != 0; });
    }
    return done;
  });
}

amgsolve_status amgsolve_on_iteration(amgsolve_solver* solver, int (*go_on)(int, double, void*), void* user) {
  return with_solver(solver, [&](auto& of) {
    of.solver.on_iteration({});
    if (go_on != nullptr) {
      of.solver.on_iteration(
          [go_on, user](int iterations, double residual) { return go_on(iterations, residual, user) != 0; });
    }
    return done;
  });
}

amgsolve_status amgsolve_message(const amgsolve_solver* solver, char* text, size_t capacity, size_t* length) {
  return with_solver(solver, [&](const auto& of) { return hand_over(of.result.message, text, capacity, length); });
}

amgsolve_status amgsolve_residual_history(const amgsolve_solver* solver, double* values, size_t capacity,
                                          size_t* length) {
  return with_solver(solver, [&](const auto& of) {
    const std::vector<double>& history = of.result.residual_history;
    if (capacity > 0) {
      require(values, "values");
      std::copy_n(history.begin(), std::min(history.size(), capacity), values);
    }
    if (length != nullptr) {
      *length = history.size();
    }
    return done;
  });
}

amgsolve_status amgsolve_report(const amgsolve_solver* solver, char* text, size_t capacity, size_t* length) {
  return with_solver(solver, [&](const auto& of) { return hand_over(of.solver.report(), text, capacity, length); });
}

amgsolve_status amgsolve_report_json(const amgsolve_solver* solver, char* text, size_t capacity, size_t* length) {
  return with_solver(solver,
                     [&](const auto& of) { return hand_over(of.solver.report_json(), text, capacity, length); });
}

amgsolve_status amgsolve_get_hierarchy(const amgsolve_solver* solver, amgsolve_hierarchy* hierarchy) {
  return with_solver(solver, [&](const auto& of) {
    require(hierarchy, "hierarchy");
    const amgsolve::HierarchyStatistics all = of.solver.hierarchy();
    *hierarchy = {static_cast<int>(all.levels.size()), all.operator_complexity, all.grid_complexity};
    return done;
  });
}

amgsolve_status amgsolve_get_level(const amgsolve_solver* solver, int level, amgsolve_level* statistics) {
  return with_solver(solver, [&](const auto& of) {
    require(statistics, "statistics");
    const std::vector<amgsolve::LevelStatistics> levels = of.solver.hierarchy().levels;
    if (level < 0 || static_cast<std::size_t>(level) >= levels.size()) {
      refuse(format_text("there is no level {}: the hierarchy has {}", level, levels.size()));
    }
    const amgsolve::LevelStatistics& chosen = levels[static_cast<std::size_t>(level)];
    *statistics = {chosen.rows,
                   chosen.nonzeros,
                   chosen.bytes,
                   chosen.aggregates,
                   chosen.mean_aggregate_size,
                   chosen.strength_threshold,
                   chosen.spectral_radius};
    return done;
  });
}

amgsolve_status amgsolve_get_level_matrix(amgsolve_solver* solver, int level, amgsolve_level_part part,
                                          amgsolve_matrix* matrix) {
  return with_solver(solver, [&](auto& of) {
    require(matrix, "matrix");
    of.level_matrix = of.solver.level_matrix(level, level_matrix_of(part));
    const auto& A = of.level_matrix;
    *matrix = {A.rows,
               A.cols,
               static_cast<std::int64_t>(A.values.size()),
               64,
               A.row_offsets.data(),
               A.col_indices.data(),
               A.values.data(),
               AMGSOLVE_HOST,
               AMGSOLVE_BORROW};
    return done;
  });
}

}  // extern "C"
