// The module amgsolve._amgsolve: the classes of <amgsolve/amgsolve.hpp> as the Python package needs them. Arrays come
// as addresses and sizes, of the host or of a GPU alike; what makes them of Python's objects is
// python/amgsolve/_arrays.py.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <amgsolve/amgsolve.hpp>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace {

using Address = std::uintptr_t;

template <class T>
T* at(Address address) {
  return reinterpret_cast<T*>(address);
}

template <class T>
amgsolve::ArrayView<T> view(Address address, std::int64_t size) {
  return {at<T>(address), static_cast<std::size_t>(size)};
}

amgsolve::MemoryKind memory_kind(bool on_device) {
  return on_device ? amgsolve::MemoryKind::device : amgsolve::MemoryKind::host;
}

/// Where the arrays of a matrix lie, and what keeps them alive.
struct Matrix {
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t nonzeros;
  int offset_bits;
  Address row_offsets;
  Address col_indices;
  Address values;
  bool on_device;
  bool is_copied;
  py::object owners;

  template <class T, class Offset>
  amgsolve::CsrView<T, Offset> view_with() const {
    return {rows,
            cols,
            view<const Offset>(row_offsets, rows + 1),
            view<const std::int32_t>(col_indices, nonzeros),
            view<const T>(values, nonzeros),
            memory_kind(on_device),
            is_copied ? amgsolve::Ownership::copy : amgsolve::Ownership::borrow};
  }

  template <class T, class Body>
  void visit(Body&& body) const {
    if (offset_bits == 32) {
      body(view_with<T, std::int32_t>());
    } else {
      body(view_with<T, std::int64_t>());
    }
  }
};

/// Numbers that Python sees as a buffer.
template <class V>
struct Numbers {
  std::vector<V> values;
};

/// How often signals are looked for: quick for a hand at the keyboard, and seldom for the interpreter's lock.
constexpr std::chrono::milliseconds signal_interval{20};

/// Threads take turns at a solver.
struct Turns {
  std::timed_mutex mutex{};
  std::atomic<std::thread::id> owner{};
};

/// While it lives this thread works with the solver, and no other. Waits for that without the interpreter's lock, for
/// signals, too; throws what their handlers raise, and Exception of bad_input where this thread is at work already.
class Turn {
 public:
  explicit Turn(Turns& turns) : turns_(turns) {
    if (turns_.owner == std::this_thread::get_id()) {
      throw amgsolve::Exception(amgsolve::Status::bad_input, "the solver is at work: a callback must not use it");
    }
    const py::gil_scoped_release release;
    while (!turns_.mutex.try_lock_for(signal_interval)) {
      const py::gil_scoped_acquire acquire;
      if (PyErr_CheckSignals() != 0) {
        throw py::error_already_set();
      }
    }
    turns_.owner = std::this_thread::get_id();
  }
  ~Turn() {
    turns_.owner = std::thread::id();
    turns_.mutex.unlock();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Turns& turns_;
};

/// A solver that keeps alive what it borrows. Its calls take turns, and release the interpreter's lock while they work.
/// Ctrl-C, or whatever else a signal's handler raises, ends them, and so does what a callback raises; that is what the
/// call raises then.
template <class T>
class PythonSolver {
 public:
  PythonSolver(const amgsolve::Options& options, Address stream)
      : PythonSolver(amgsolve::Solver<T>(options, at<void>(stream)), {}) {}
  PythonSolver(amgsolve::Solver<T> solver, std::vector<py::object> borrowed)
      : borrowed_(std::move(borrowed)), solver_(std::move(solver)) {
    solver_.stop_when([this] { return must_stop(); });
  }
  PythonSolver(const PythonSolver&) = delete;
  PythonSolver& operator=(const PythonSolver&) = delete;

  void setup(const Matrix& A, Address near_nullspace, std::int64_t size, Address coordinates, std::int64_t nodes,
             int dimensions) {
    const Turn turn(turns_);
    const amgsolve::Coordinates<T> positions{view<const T>(coordinates, nodes * dimensions), dimensions};
    takes(A, [&](const auto& matrix) { solver_.setup(matrix, view<const T>(near_nullspace, size), positions); });
  }

  void update_values(const Matrix& A) {
    const Turn turn(turns_);
    takes(A, [&](const auto& matrix) { solver_.update_values(matrix); });
  }

  /// @param product   called with the addresses of x and y, the columns and the stream, which on the host is 0; or
  ///                  None
  /// @param callback  called with the iterations done and the relative residual, tells whether to go on; or None
  amgsolve::Result solve(Address b, Address x, std::int64_t rows, int columns, bool on_device,
                         std::optional<double> tolerance, std::optional<int> max_iterations, const py::object& product,
                         const py::object& callback) {
    const Turn turn(turns_);
    amgsolve::SolveSettings<T> settings;
    settings.columns = columns;
    settings.memory = memory_kind(on_device);
    settings.tolerance = tolerance;
    settings.max_iterations = max_iterations;
    if (!product.is_none()) {
      settings.product = [&](const T* in, T* out, int k, void* stream) {
        holding_the_lock([&] {
          product(reinterpret_cast<Address>(in), reinterpret_cast<Address>(out), k, reinterpret_cast<Address>(stream));
        });
      };
    }
    if (!callback.is_none()) {
      solver_.on_iteration([&](int iterations, double residual) {
        bool goes_on = false;
        holding_the_lock([&] { goes_on = callback(iterations, residual).template cast<bool>(); });
        return goes_on;
      });
    }
    amgsolve::Result result;
    working([&] {
      const std::int64_t size = rows * columns;
      result = solver_.solve(view<const T>(b, size), view<T>(x, size), settings);
    });
    return result;
  }

  void precondition(Address r, Address z, std::int64_t size, int columns, bool on_device) {
    const Turn turn(turns_);
    working([&] { solver_.precondition(view<const T>(r, size), view<T>(z, size), columns, memory_kind(on_device)); });
  }

  std::unique_ptr<PythonSolver> share(int threads, Address stream) {
    const Turn turn(turns_);
    return std::make_unique<PythonSolver>(without_the_lock([&] { return solver_.share(threads, at<void>(stream)); }),
                                          borrowed_);
  }

  /// The same until there is another.
  std::shared_ptr<amgsolve::HierarchyStatistics> hierarchy() {
    if (!statistics_) {
      const Turn turn(turns_);
      if (!statistics_) {
        statistics_ = std::make_shared<amgsolve::HierarchyStatistics>(solver_.hierarchy());
      }
    }
    return statistics_;
  }

  std::string report() {
    const Turn turn(turns_);
    return solver_.report();
  }

  std::string report_json() {
    const Turn turn(turns_);
    return solver_.report_json();
  }

  /// (data, indices, indptr), (rows, columns), as scipy.sparse.csr_matrix takes them, but for being buffers.
  /// @param hierarchy  whose level it is
  py::tuple level_matrix(const amgsolve::HierarchyStatistics& hierarchy, int level, amgsolve::LevelMatrix part) {
    const Turn turn(turns_);
    if (&hierarchy != statistics_.get()) {
      throw amgsolve::Exception(amgsolve::Status::bad_input,
                                "level " + std::to_string(level) + " is of an earlier hierarchy of its solver");
    }
    amgsolve::CsrArrays<T> A = without_the_lock([&] { return solver_.level_matrix(level, part); });
    return py::make_tuple(
        py::make_tuple(Numbers<T>{std::move(A.values)}, Numbers<std::int32_t>{std::move(A.col_indices)},
                       Numbers<std::int64_t>{std::move(A.row_offsets)}),
        py::make_tuple(A.rows, A.cols));
  }

 private:
  using Clock = std::chrono::steady_clock;

  template <class Body>
  static auto without_the_lock(Body&& body) {
    const py::gil_scoped_release release;
    return body();
  }

  /// Calls give(matrix), after which the solver borrows A in place of what it did before. Where A is refused all is as
  /// it was; where the work ends otherwise, the arrays of either may be in use.
  template <class Give>
  void takes(const Matrix& A, Give&& give) {
    const auto former = std::exchange(statistics_, nullptr);
    borrowed_.push_back(A.is_copied ? py::none() : A.owners);
    try {
      working([&] { A.visit<T>(give); });
    } catch (const amgsolve::Exception& error) {
      if (error.status() == amgsolve::Status::bad_input) {
        statistics_ = former;
        borrowed_.pop_back();
      }
      throw;
    }
    borrowed_.erase(borrowed_.begin(), borrowed_.end() - 1);
  }

  template <class Body>
  void working(Body&& body) {
    raised_.reset();
    next_look_ = Clock::now() + signal_interval;
    try {
      without_the_lock(body);
    } catch (...) {
      end_of_work();
      throw;
    }
    end_of_work();
  }

  /// Raises what was raised meanwhile: it is why the work ended, whatever it ended with.
  void end_of_work() {
    solver_.on_iteration({});
    if (raised_) {
      const py::error_already_set error = *std::exchange(raised_, nullptr);
      throw error;
    }
  }

  /// Python code in a callback of the library, which takes no exceptions.
  template <class Body>
  void holding_the_lock(Body&& body) {
    const py::gil_scoped_acquire acquire;
    if (raised_) {
      return;
    }
    try {
      body();
    } catch (py::error_already_set& error) {
      raised_ = std::make_unique<py::error_already_set>(error);
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_TypeError, error.what());
      raised_ = std::make_unique<py::error_already_set>();
    }
  }

  bool must_stop() {
    if (raised_) {
      return true;
    }
    const Clock::time_point now = Clock::now();
    if (now < next_look_) {
      return false;
    }
    next_look_ = now + signal_interval;
    const py::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) {
      raised_ = std::make_unique<py::error_already_set>();
    }
    return raised_ != nullptr;
  }

  Turns turns_;
  std::vector<py::object> borrowed_;  ///< goes after the solver
  amgsolve::Solver<T> solver_;
  std::shared_ptr<amgsolve::HierarchyStatistics> statistics_;
  std::unique_ptr<py::error_already_set> raised_;
  Clock::time_point next_look_{};
};

template <class V>
void bind_numbers(py::module_& module, const char* name) {
  py::class_<Numbers<V>>(module, name, py::buffer_protocol()).def_buffer([](Numbers<V>& numbers) {
    return py::buffer_info(numbers.values.data(), static_cast<py::ssize_t>(numbers.values.size()));
  });
}

template <class T>
void bind_solver(py::module_& module, const char* name) {
  using Solver = PythonSolver<T>;
  py::class_<Solver>(module, name)
      .def(py::init<const amgsolve::Options&, Address>())
      .def("setup", &Solver::setup)
      .def("update_values", &Solver::update_values)
      .def("solve", &Solver::solve)
      .def("precondition", &Solver::precondition)
      .def("share", &Solver::share)
      .def("hierarchy", &Solver::hierarchy)
      .def("level_matrix", &Solver::level_matrix)
      .def("report", &Solver::report)
      .def("report_json", &Solver::report_json);
}

/// The class of amgsolve._errors for a status.
py::object error_class(amgsolve::Status status) {
  return py::module_::import("amgsolve._errors").attr("BY_STATUS")[py::str(std::string(name(status)))];
}

void raise(amgsolve::Status status, const char* message) { PyErr_SetString(error_class(status).ptr(), message); }

}  // namespace

PYBIND11_MODULE(_amgsolve, module) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) {
        std::rethrow_exception(thrown);
      }
    } catch (const amgsolve::Exception& error) {
      raise(error.status(), error.what());
    }
  });

  py::class_<amgsolve::Options>(module, "Options")
      .def(py::init<>())
      .def("set",
           [](amgsolve::Options& options, std::string_view key, std::string_view value) {
             try {
               options.set(key, value);
             } catch (const std::invalid_argument& error) {
               throw amgsolve::Exception(amgsolve::Status::bad_configuration, error.what());
             }
           })
      .def("get",
           [](const amgsolve::Options& options, std::string_view key) {
             try {
               return options.get(key);
             } catch (const std::invalid_argument& error) {
               throw amgsolve::Exception(amgsolve::Status::bad_configuration, error.what());
             }
           })
      .def("copy", [](const amgsolve::Options& options) { return options; })
      .def_static("keys", &amgsolve::Options::keys);

  py::class_<Matrix>(module, "Matrix")
      .def(
          py::init([](std::int64_t rows, std::int64_t cols, std::int64_t nonzeros, int offset_bits, Address row_offsets,
                      Address col_indices, Address values, bool on_device, bool is_copied, py::object owners) {
            return Matrix{rows,        cols,   nonzeros,  offset_bits, row_offsets,
                          col_indices, values, on_device, is_copied,   std::move(owners)};
          }));

  py::enum_<amgsolve::LevelMatrix>(module, "LevelMatrix")
      .value("A", amgsolve::LevelMatrix::A)
      .value("P", amgsolve::LevelMatrix::P)
      .value("R", amgsolve::LevelMatrix::R);

  using amgsolve::LevelStatistics;
  py::class_<LevelStatistics>(module, "LevelStatistics")
      .def_readonly("rows", &LevelStatistics::rows)
      .def_readonly("nonzeros", &LevelStatistics::nonzeros)
      .def_readonly("bytes", &LevelStatistics::bytes)
      .def_readonly("storage", &LevelStatistics::storage)
      .def_readonly("aggregates", &LevelStatistics::aggregates)
      .def_readonly("mean_aggregate_size", &LevelStatistics::mean_aggregate_size)
      .def_readonly("strength_threshold", &LevelStatistics::strength_threshold)
      .def_readonly("dropped_weight", &LevelStatistics::dropped_weight)
      .def_readonly("prolongator_steps", &LevelStatistics::prolongator_steps)
      .def_readonly("truncation", &LevelStatistics::truncation)
      .def_readonly("density", &LevelStatistics::density)
      .def_readonly("spectral_radius", &LevelStatistics::spectral_radius);

  using amgsolve::HierarchyStatistics;
  py::class_<HierarchyStatistics, std::shared_ptr<HierarchyStatistics>>(module, "HierarchyStatistics")
      .def_readonly("levels", &HierarchyStatistics::levels)
      .def_readonly("operator_complexity", &HierarchyStatistics::operator_complexity)
      .def_readonly("grid_complexity", &HierarchyStatistics::grid_complexity)
      .def_readonly("coarse_solver", &HierarchyStatistics::coarse_solver);

  using amgsolve::Result;
  py::class_<Result>(module, "Result")
      .def_property_readonly("status", [](const Result& result) { return name(result.status); })
      .def_readonly("message", &Result::message)
      .def_readonly("iterations", &Result::iterations)
      .def_readonly("relative_residual", &Result::relative_residual)
      .def_readonly("backward_error", &Result::backward_error)
      .def_readonly("jacobi_change", &Result::jacobi_change)
      .def_readonly("outside_range", &Result::outside_range)
      .def_readonly("convergence_factor", &Result::convergence_factor)
      .def_readonly("residual_history", &Result::residual_history);

  bind_numbers<float>(module, "Floats");
  bind_numbers<double>(module, "Doubles");
  bind_numbers<std::int32_t>(module, "Indices");
  bind_numbers<std::int64_t>(module, "Offsets");
  bind_solver<double>(module, "SolverOfDouble");
  bind_solver<float>(module, "SolverOfFloat");
  module.attr("__version__") = amgsolve::version();
}
