#include "bench/amgcl_solve.hpp"

#if AMGSOLVE_HAVE_AMGCL

#include <omp.h>

#include <amgcl/adapter/zero_copy.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/make_solver.hpp>
#include <amgcl/relaxation/spai0.hpp>
#include <amgcl/solver/cg.hpp>
#include <tuple>
#include <vector>

#include "bench/measure.hpp"

namespace amgsolve::bench {

bool have_amgcl() { return true; }

PeerResult solve_with_amgcl(const CsrMatrix<double, Host>& A, int threads, double strength, double tolerance,
                            int max_iterations) {
  using Backend = amgcl::backend::builtin<double, Index, Offset>;
  using Multigrid = amgcl::amg<Backend, amgcl::coarsening::smoothed_aggregation, amgcl::relaxation::spai0>;
  using Solver = amgcl::make_solver<Multigrid, amgcl::solver::cg<Backend>>;
  omp_set_num_threads(threads);
  Solver::params params;
  params.precond.coarsening.aggr.eps_strong = static_cast<float>(strength);
  params.solver.tol = tolerance;
  params.solver.maxiter = static_cast<std::size_t>(max_iterations);
  const auto rows = static_cast<std::size_t>(A.rows);
  const std::vector<double> b(rows, 1.0);
  std::vector<double> x(rows, 0.0);

  PeerResult result;
  const auto setup_start = std::chrono::steady_clock::now();
  const auto matrix =
      amgcl::adapter::zero_copy_direct(rows, rows, A.row_offsets.data(), A.col_indices.data(), A.values.data());
  const Solver solver(matrix, params);
  result.setup_seconds = seconds_since(setup_start);
  const auto solve_start = std::chrono::steady_clock::now();
  std::size_t iterations = 0;
  std::tie(iterations, result.relative_residual) = solver(b, x);
  result.solve_seconds = seconds_since(solve_start);
  result.iterations = static_cast<int>(iterations);
  return result;
}

}  // namespace amgsolve::bench

#else

#include <stdexcept>

namespace amgsolve::bench {

bool have_amgcl() { return false; }

PeerResult solve_with_amgcl(const CsrMatrix<double, Host>&, int, double, double, int) {
  throw std::logic_error("built without AMGCL");
}

}  // namespace amgsolve::bench

#endif
