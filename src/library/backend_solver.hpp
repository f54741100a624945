#pragma once

#include <memory>
#include <span>

#include <amgsolve/amgsolve.hpp>

#include "src/library/configuration.hpp"
#include "src/library/report.hpp"

namespace amgsolve {

/// What a public Solver does, in the memory space of its backend. Throws what AmgSolver throws, and
/// std::invalid_argument where memory is not of the kind that the caller says.
template <class T>
class BackendSolver {
 public:
  BackendSolver() = default;
  BackendSolver(const BackendSolver&) = delete;
  BackendSolver& operator=(const BackendSolver&) = delete;
  virtual ~BackendSolver() = default;

  /// Let go of an earlier matrix and of what was measured.
  virtual void reset() = 0;

  virtual HierarchySummary setup(const CsrView<T, std::int32_t>& A, std::span<const T> near_nullspace) = 0;
  virtual HierarchySummary setup(const CsrView<T, std::int64_t>& A, std::span<const T> near_nullspace) = 0;

  /// See Solver::solve().
  virtual SolveResult solve(std::span<const T> b, std::span<T> x, int columns, MemoryKind memory) = 0;

  /// See Report.
  virtual void measure(Report& report) = 0;
  virtual void measure_after_failure(Report& report) = 0;
};

/// A solver on the backend that the configuration asks for.
/// @param stream  see Solver
/// @param report  receives where it runs
/// Throws DeviceError where that backend cannot be had.
template <class T>
std::unique_ptr<BackendSolver<T>> make_backend_solver(const Configuration& configuration, void* stream, Report& report);

}  // namespace amgsolve
