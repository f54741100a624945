#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "amg/shared_solver.hpp"
#include "amg/solver.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

/// Solves by ranks that share a matrix.
namespace amgsolve::ranks {

/// Options by which ranks share two levels and more of problems of some thousand rows.
inline AmgOptions small_levels() {
  AmgOptions options;
  options.coarse_size = 50;
  options.direct_solve_limit = 50;
  options.replicate_below = 3000;
  options.set_up_whole_below = 0;
  return options;
}

/// That ranks which have rows of A, with all unknowns of a node on one of them, solve as one does by itself, by the
/// options. Returns what they found.
/// @param shares  whether they share levels; else each has A whole
template <class T, MemorySpace S>
SolveResult expect_bits_of_one_rank(const CsrMatrix<T, Host>& A, const std::vector<T>& b, const AmgOptions& options,
                                    const SolverOptions& by, Index unknowns = 1, bool shares = true,
                                    Cut cut = Cut::uneven) {
  Context<S> whole = own_context<S>();
  AmgSolver<T, S> solver(options, by);
  solver.setup(whole, reference::upload(whole, borrow(A)));
  MultiVector<T, S> all_x = reference::upload(whole, std::vector<T>(b.size()));
  const SolveResult expected = solver.solve(whole, reference::upload(whole, b), all_x);
  Context<S> ctx = shared_context<S>();
  ctx.set_records_work(true);
  const Partition partition(world(), own_rows(world(), cut, A.rows / unknowns) * unknowns);
  const auto own_b = rows_of(b, partition, world().rank());
  MultiVector<T, S> own_x = reference::upload(ctx, std::vector<T>(own_b.size()));
  SharedSolver<T, S> shared(options, by);
  shared.setup(ctx, upload_rows(ctx, A, partition));
  EXPECT_EQ(shared.shared_levels() >= 2, shares) << shared.shared_levels() << " shared levels";
  EXPECT_EQ(shared.shared_levels() == 0, !shares) << shared.shared_levels() << " shared levels";
  const SolveResult result = shared.solve(ctx, reference::upload(ctx, own_b), own_x);
  EXPECT_EQ(result.method, expected.method);
  EXPECT_EQ(result.reason, expected.reason);
  EXPECT_EQ(result.is_negated, expected.is_negated);
  EXPECT_EQ(result.residual_history, expected.residual_history);
  EXPECT_EQ(result.jacobi_change, expected.jacobi_change);
  EXPECT_TRUE(same_bits<T>(reference::download(ctx, own_x),
                           rows_of(reference::download(whole, all_x), partition, world().rank())));
  return result;
}

}  // namespace amgsolve::ranks
