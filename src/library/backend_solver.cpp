#include "src/library/backend_solver.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "amg/solver.hpp"
#include "core/algorithms.hpp"
#include "core/copy.hpp"
#include "core/device.hpp"
#include "core/errors.hpp"
#include "core/timer.hpp"

namespace amgsolve {
namespace {

/// The caller's arrays as buffers in the memory space of a solver. Phase, where something is copied: "transfer".
template <MemorySpace S>
class CallerArrays {
 public:
  CallerArrays(Context<S>& ctx, MemoryKind memory, Ownership ownership)
      : ctx_(&ctx), memory_(memory), ownership_(ownership) {}

  template <class V>
  Buffer<V, S> in_space(std::span<const V> values, const char* name) {
    check(values.data(), name);
    if constexpr (std::same_as<S, Cuda>) {
      if (memory_ == MemoryKind::host) {
        const ScopedTimer timer(*ctx_, "transfer");
        return upload(*ctx_, Span<const V, Host>(values.data(), values.size()));
      }
    }
    // The library only reads what it borrows; a buffer has one pointer type for what it owns and what it does not.
    Buffer<V, S> borrowed = Buffer<V, S>::borrow(const_cast<V*>(values.data()), values.size());
    if (ownership_ == Ownership::borrow) {
      return borrowed;
    }
    const ScopedTimer timer(*ctx_, "transfer");
    Buffer<V, S> copied(*ctx_, values.size());
    copy(*ctx_, borrowed.span(), copied.span());
    return copied;
  }

  Buffer<Offset, S> offsets_in_space(std::span<const std::int64_t> offsets) { return in_space(offsets, "row_offsets"); }

  Buffer<Offset, S> offsets_in_space(std::span<const std::int32_t> offsets) {
    CallerArrays borrowing(*ctx_, memory_, Ownership::borrow);
    const Buffer<Index, S> narrow = borrowing.in_space(offsets, "row_offsets");
    const ScopedTimer timer(*ctx_, "transfer");
    Buffer<Offset, S> wide(*ctx_, narrow.size());
    widen(*ctx_, narrow, wide);
    return wide;
  }

  template <class T, class OffsetOfView>
  CsrMatrix<T, S> matrix_in_space(const CsrView<T, OffsetOfView>& A) {
    CsrMatrix<T, S> result;
    result.rows = checked_index(A.rows, "rows of the matrix");
    result.cols = checked_index(A.cols, "columns of the matrix");
    result.row_offsets = offsets_in_space(A.row_offsets);
    result.col_indices = in_space(A.col_indices, "col_indices");
    result.values = in_space(A.values, "values");
    return result;
  }

 private:
  void check(const void* pointer, const char* name) const {
    if (memory_ == MemoryKind::host) {
      return;
    }
    if constexpr (std::same_as<S, Cuda>) {
      require_device_pointer(pointer, name);
    } else {
      throw std::invalid_argument(
          fmt::format("{} is said to be device memory; the solver runs on the host ('solver.backend')", name));
    }
  }

  Context<S>* ctx_;
  MemoryKind memory_;
  Ownership ownership_;
};

Index rows_of(std::size_t size, int columns, const char* what) {
  if (columns < 1 || size % static_cast<std::size_t>(columns) != 0) {
    throw InputError(fmt::format("{} has {} values, which do not make {} columns", what, size, columns));
  }
  return checked_index(static_cast<std::int64_t>(size) / columns, "rows");
}

Index candidates_in(std::size_t size, Index rows) {
  if (rows == 0 || size % static_cast<std::size_t>(rows) != 0) {
    throw InputError(
        fmt::format("the near-nullspace has {} values, which is no multiple of the {} rows of the matrix", size, rows));
  }
  return checked_index(static_cast<std::int64_t>(size) / rows, "near-nullspace vectors");
}

template <class T, MemorySpace S>
class SpaceSolver final : public BackendSolver<T> {
 public:
  template <class... ContextArguments>
  explicit SpaceSolver(const Configuration& configuration, ContextArguments... arguments)
      : configuration_(&configuration), ctx_(arguments...) {
    ctx_.memory().set_limit(static_cast<std::size_t>(configuration.memory_limit));
  }

  const Context<S>& context() const { return ctx_; }

  void reset() override {
    solver_ = new_solver();
    ctx_.profile().clear();
  }

  HierarchySummary setup(const CsrView<T, std::int32_t>& A, std::span<const T> near_nullspace) override {
    return setup_with(A, near_nullspace);
  }
  HierarchySummary setup(const CsrView<T, std::int64_t>& A, std::span<const T> near_nullspace) override {
    return setup_with(A, near_nullspace);
  }

  SolveResult solve(std::span<const T> b, std::span<T> x, int columns, MemoryKind memory) override {
    const Index b_rows = rows_of(b.size(), columns, "b");
    const Index x_rows = rows_of(x.size(), columns, "x");
    CallerArrays<S> arrays(ctx_, memory, Ownership::borrow);
    const Buffer<T, S> b_here = arrays.in_space(b, "b");
    Buffer<T, S> x_here = arrays.in_space(std::span<const T>(x), "x");
    SolveResult result = solver_.solve(ctx_, {b_here.data(), b_rows, columns}, {x_here.data(), x_rows, columns});
    if (x_here.data() != x.data()) {
      const ScopedTimer timer(ctx_, "transfer");
      download(ctx_, x_here.span(), {x.data(), x.size()});
    }
    return result;
  }

  void measure(Report& report) override { report.measure(ctx_); }
  void measure_after_failure(Report& report) override { report.measure_after_failure(ctx_); }

 private:
  AmgSolver<T, S> new_solver() const { return {configuration_->amg, configuration_->solver}; }

  template <class OffsetOfView>
  HierarchySummary setup_with(const CsrView<T, OffsetOfView>& A, std::span<const T> near_nullspace) {
    CsrMatrix<T, S> matrix = CallerArrays<S>(ctx_, A.memory, A.ownership).matrix_in_space(A);
    Buffer<T, S> candidates;
    FatView<const T, S> candidates_view;
    if (!near_nullspace.empty()) {
      candidates = CallerArrays<S>(ctx_, A.memory, Ownership::borrow).in_space(near_nullspace, "near_nullspace");
      candidates_view = {candidates.data(), matrix.rows, candidates_in(near_nullspace.size(), matrix.rows)};
    }
    solver_.setup(ctx_, std::move(matrix), candidates_view);
    return solver_.summary();
  }

  const Configuration* configuration_;
  Context<S> ctx_;
  AmgSolver<T, S> solver_ = new_solver();
};

}  // namespace

template <class T>
std::unique_ptr<BackendSolver<T>> make_backend_solver(const Configuration& configuration, [[maybe_unused]] void* stream,
                                                      Report& report) {
  report.backend = choose_backend(configuration);
#if AMGSOLVE_HAVE_CUDA
  if (report.backend->backend == Backend::cuda) {
    auto solver =
        std::make_unique<SpaceSolver<T, Cuda>>(configuration, configuration.device, static_cast<CUstream_st*>(stream));
    report.device = describe_device(solver->context().device());
    return solver;
  }
#endif
  auto solver = std::make_unique<SpaceSolver<T, Host>>(configuration, configuration.threads);
  report.threads = solver->context().threads();
  return solver;
}

template std::unique_ptr<BackendSolver<float>> make_backend_solver(const Configuration&, void*, Report&);
template std::unique_ptr<BackendSolver<double>> make_backend_solver(const Configuration&, void*, Report&);

}  // namespace amgsolve
