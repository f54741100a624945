#include "amg/machine_figures.hpp"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <limits>
#include <utility>

#include "amg/multiply_add.hpp"
#include "amg/solver.hpp"
#include "spmv/blas1.hpp"
#include "spmv/operator.hpp"

namespace amgsolve {
namespace {

template <MemorySpace S, class Work>
double seconds_of(Context<S>& ctx, const Work& work) {
  ctx.synchronize();
  const auto begin = std::chrono::steady_clock::now();
  work();
  ctx.synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Of the quickest of several calls, after one that warms up.
template <MemorySpace S, class Work>
double least_seconds(Context<S>& ctx, const Work& work) {
  constexpr int calls = 20;
  work();
  double least = std::numeric_limits<double>::infinity();
  for (int call = 0; call < calls; ++call) {
    least = std::min(least, seconds_of(ctx, work));
  }
  return least;
}

template <MemorySpace S>
MachineFigures::Speed measure_product(Context<S>& ctx, CsrMatrix<double, S> matrix) {
  const Operator<double, S> A(ctx, std::move(matrix));
  MultiVector<double, S> x(ctx, A.cols());
  MultiVector<double, S> y(ctx, A.rows());
  fill(ctx, 1.0, x.view());
  const double seconds = least_seconds(ctx, [&] { A.apply(ctx, 1.0, std::as_const(x).view(), 0.0, y.view()); });
  return {.bytes = A.bytes() + x.bytes() + y.bytes(), .flops = 2 * A.nnz(), .seconds = seconds};
}

template <MemorySpace S>
void measure_solve(Context<S>& ctx, CsrMatrix<double, S> A, MachineFigures& figures) {
  MultiVector<double, S> b(ctx, A.rows);
  MultiVector<double, S> x(ctx, A.rows);
  fill(ctx, 1.0, b.view());
  fill(ctx, 0.0, x.view());
  AmgSolver<double, S> solver(AmgOptions{}, SolverOptions{});
  SolveResult result;
  figures.rows = A.rows;
  figures.nnz = A.nnz();
  figures.setup_seconds = seconds_of(ctx, [&] { solver.setup(ctx, std::move(A)); });
  figures.solve_seconds = seconds_of(ctx, [&] { result = solver.solve(ctx, std::as_const(b).view(), x.view()); });
  figures.iterations = result.iterations;
}

}  // namespace

template <MemorySpace S>
MachineFigures::Speed measure_copy(Context<S>& ctx, Index values) {
  MultiVector<double, S> from(ctx, values);
  MultiVector<double, S> to(ctx, values);
  fill(ctx, 1.0, from.view());
  const double seconds = least_seconds(ctx, [&] { copy<double, double>(ctx, std::as_const(from).view(), to.view()); });
  return {.bytes = from.bytes() + to.bytes(), .seconds = seconds};
}

template <class T, MemorySpace S>
MachineFigures::Speed measure_arithmetic(Context<S>& ctx) {
  // Some milliseconds of a core, and enough for every lane of a device to have several.
  constexpr Index values = Index{1} << (std::same_as<S, Host> ? 18 : 20);
  constexpr int rounds = std::same_as<S, Host> ? 1024 : 4096;
  MultiVector<T, S> x(ctx, values);
  fill(ctx, T{1}, x.view());
  const double seconds = least_seconds(ctx, [&] { repeat_multiply_add(ctx, T{0.5}, T{1}, rounds, x.view().span()); });
  return {.bytes = 2 * x.bytes(), .flops = std::int64_t{2} * rounds * values, .seconds = seconds};
}

template <MemorySpace S>
MachineFigures measure_machine(Context<S>& ctx, Index copied_values,
                               const std::function<CsrMatrix<double, S>()>& matrix) {
  constexpr int repetitions = 3;
  MachineFigures best;
  measure_solve(ctx, matrix(), best);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    MachineFigures figures;
    measure_solve(ctx, matrix(), figures);
    const bool is_better =
        repetition == 0 || figures.setup_seconds + figures.solve_seconds < best.setup_seconds + best.solve_seconds;
    best = is_better ? figures : best;
  }
  best.copy = measure_copy(ctx, copied_values);
  best.doubles = measure_arithmetic<double>(ctx);
  best.floats = measure_arithmetic<float>(ctx);
  best.product = measure_product(ctx, matrix());
  return best;
}

#define AMGSOLVE_INSTANTIATE_SPEEDS(S)                                    \
  template MachineFigures::Speed measure_copy(Context<S>&, Index);        \
  template MachineFigures::Speed measure_arithmetic<float>(Context<S>&);  \
  template MachineFigures::Speed measure_arithmetic<double>(Context<S>&); \
  template MachineFigures measure_machine(Context<S>&, Index, const std::function<CsrMatrix<double, S>()>&);

AMGSOLVE_INSTANTIATE_SPEEDS(Host)
#if AMGSOLVE_HAVE_CUDA
AMGSOLVE_INSTANTIATE_SPEEDS(Cuda)
#endif

}  // namespace amgsolve
