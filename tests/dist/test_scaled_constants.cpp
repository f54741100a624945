#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "amg/constants_check.hpp"
#include "amg/diagonal.hpp"
#include "amg/nullspace_steps.hpp"
#include "amg/relaxed_constants.hpp"
#include "amg/tentative.hpp"
#include "bench/robustness_problems.hpp"
#include "dist/halo.hpp"
#include "spmv/conversions.hpp"
#include "spmv/statistics.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/dist/shared_matrices.hpp"
#include "tests/dist/shared_solves.hpp"
#include "tests/reference/matrices.hpp"

/// Near-nullspaces of systems whose unknowns are in units of their own, on ranks.
namespace amgsolve {
namespace {

using ranks::Cut;
using ranks::world;

template <class I>
class SharedScaledConstants : public ranks::OnRanks<I> {};
TYPED_TEST_SUITE(SharedScaledConstants, reference::Instances, reference::InstanceNames);

/// S A S with units from 0.01 to 100.
CsrMatrix<double, Host> in_units_of_rows(CsrMatrix<double, Host> A) {
  const std::vector<double> exponents = reference::random_values<double>(static_cast<std::size_t>(A.rows), 5);
  return reference::in_units(std::move(A),
                             [&](Index i) { return std::pow(10.0, 2.0 * exponents[static_cast<std::size_t>(i)]); });
}

CsrMatrix<double, Host> neumann(Context<Host>& ctx, Boundary boundary) {
  GeneratedProblem problem = ranks::poisson({90, 91}, Discretization::fd);
  problem.boundary = boundary;
  return generate_matrix<double>(ctx, problem);
}

/// With as many unknowns a node.
std::vector<std::pair<CsrMatrix<double, Host>, Index>> matrices_in_units(Context<Host>& ctx) {
  std::vector<std::pair<CsrMatrix<double, Host>, Index>> all;
  const auto L = generate_matrix<double>(ctx, ranks::poisson({91, 90}, Discretization::fd));
  all.emplace_back(in_units_of_rows(convert_values<double>(ctx, L)), 1);
  all.emplace_back(in_units_of_rows(convert_values<double>(ctx, L, -1.0)), 1);
  GeneratedProblem body = ranks::poisson({61, 60}, Discretization::q1);
  body.pde = Pde::elasticity;
  all.emplace_back(in_units_of_rows(generate_matrix<double>(ctx, body)), 2);
  all.emplace_back(in_units_of_rows(neumann(ctx, Boundary::periodic)), 1);
  all.emplace_back(in_units_of_rows(neumann(ctx, Boundary::neumann)), 1);
  // Some ranks have no rows in other units.
  all.emplace_back(reference::in_units(convert_values<double>(ctx, L),
                                       [&](Index i) { return 3 * i > 2 * L.rows && i % 2 == 0 ? 1e3 : 1.0; }),
                   1);
  return all;
}

TYPED_TEST(SharedScaledConstants, SolveAsOneRankDoes) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  for (const auto& [in_double, unknowns] : matrices_in_units(host)) {
    const auto A = convert_values<T>(host, in_double);
    const auto b = reference::random_values<T>(static_cast<std::size_t>(A.rows), 1);
    for (const Cut cut : {Cut::uneven, Cut::gaps, Cut::last}) {
      SCOPED_TRACE(testing::Message() << A.rows << " rows, cut " << to_string(cut));
      const SolveResult result = ranks::expect_bits_of_one_rank<T, S>(
          A, b, ranks::small_levels(), {.tolerance = sizeof(T) == sizeof(double) ? 1e-8 : 1e-4}, unknowns, true, cut);
      EXPECT_LE(result.reason, StopReason::attained) << describe(result.reason);
      EXPECT_LE(result.iterations, 50);
    }
  }
}

TYPED_TEST(SharedScaledConstants, AreThoseOfOneRank) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  Context<S> whole = ranks::own_context<S>();
  const auto scaled_rows = [](Context<S>& ctx, const CsrMatrix<T, S>& A) {
    Buffer<T, S> scales(ctx, static_cast<std::size_t>(A.rows));
    return scale_by_rows<T>(ctx, A, scales);
  };
  std::vector<std::pair<CsrMatrix<double, Host>, Index>> all = matrices_in_units(host);
  GeneratedProblem jumps = ranks::poisson({60, 61}, Discretization::fd);
  jumps.pde = Pde::diffusion;
  jumps.coefficient.type = CoefficientType::random;
  jumps.coefficient.high = 1e6;
  all.emplace_back(generate_matrix<double>(host, jumps), 1);
  for (const auto& [in_double, unknowns] : all) {
    const CsrMatrix<T, Host> A = convert_values<T>(host, in_double);
    const auto A_there = reference::upload(whole, borrow(A));
    MultiVector<T, S> constants(whole, A.rows, unknowns);
    fill_constant_candidates<T>(whole, constants);
    const RowMagnitudes magnitudes = scaled_rows(whole, A_there);
    const auto expected = scaled_constants(whole, A_there, magnitudes, constants);
    EXPECT_EQ(expected.has_value(), &in_double != &all.back().first);
    const RowStrata sample{A.rows, 500};
    const detail::RelativeImages sum =
        detail::sum_relative_images<T>(whole, A_there, {constants.data(), unknowns, A.rows, A.rows}, sample, 0, 0);
    for (const Cut cut : ranks::all_cuts()) {
      SCOPED_TRACE(testing::Message() << A.rows << " rows, cut " << to_string(cut));
      Context<S> ctx = ranks::shared_context<S>();
      const LocalMatrix<T, S> local = ranks::share(ctx, A, cut);
      const Layout<S>& layout = *local.layout;
      const Margins margins = Halo<T, S>(local.layout).margins();
      MultiVector<T, S> own(ctx, layout.own_rows(), unknowns, margins);
      fill_constant_candidates<T>(ctx, own, layout.first_row());
      exchange_ghosts<T, S>(ctx, layout, own.view().widened(margins));
      const auto found = scaled_constants(ctx, local.A, magnitudes, own, &layout);
      const auto window = own.view().widened(margins);
      const detail::RelativeImages of_own =
          detail::sum_relative_images<T>(ctx, local.A, {window.data, unknowns, window.rows, window.rows}, sample,
                                         layout.first_row(), layout.first_own());
      EXPECT_EQ(world().sum(of_own.all), sum.all);
      EXPECT_EQ(world().sum(of_own.opposite), sum.opposite);
      ASSERT_EQ(found.has_value(), expected.has_value());
      if (found) {
        EXPECT_TRUE(ranks::same_bits<T>(reference::download(ctx, *found),
                                        ranks::rows_of(reference::download(whole, *expected), layout.partition(),
                                                       world().rank(), static_cast<std::size_t>(unknowns))));
      }
    }
  }
}

/// Those that are relaxed, with as many unknowns a node.
std::vector<std::pair<CsrMatrix<double, Host>, Index>> matrices_to_relax(Context<Host>& ctx) {
  std::vector<std::pair<CsrMatrix<double, Host>, Index>> all;
  const auto with_jumps = [&](GeneratedProblem problem) {
    problem.pde = Pde::diffusion;
    problem.coefficient.type = CoefficientType::checkerboard;
    problem.coefficient.block = 4;
    problem.coefficient.high = 1e4;
    return generate_matrix<double>(ctx, problem);
  };
  const auto to_unit_diagonal = [&](const CsrMatrix<double, Host>& A, double sign = 1.0) {
    const auto diagonal = diagonal_of(ctx, A);
    return reference::in_units(convert_values<double>(ctx, A, sign),
                               [&](Index i) { return 1.0 / std::sqrt(diagonal[static_cast<std::size_t>(i)]); });
  };
  const auto L = with_jumps(ranks::poisson({91, 90}, Discretization::fd));
  all.emplace_back(to_unit_diagonal(L), 1);
  all.emplace_back(to_unit_diagonal(L, -1.0), 1);
  // Seen by their lone rows alone.
  all.emplace_back(to_unit_diagonal(with_jumps(ranks::poisson({22, 21, 20}, Discretization::fd))), 1);
  all.emplace_back(in_units_of_rows(convert_values<double>(ctx, L)), 1);
  all.emplace_back(bench::in_units(bench::random_network(ctx, 3000, 2,
                                                         [](std::mt19937_64&) {
                                                           return std::vector<double>{1.0, 0.3, 0.3, 1.2};
                                                         }),
                                   bench::random_units(6000, 0.2)),
                   2);
  return all;
}

TYPED_TEST(SharedScaledConstants, AreRelaxedAsOnOneRank) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  Context<S> whole = ranks::own_context<S>();
  for (const auto& [in_double, unknowns] : matrices_to_relax(host)) {
    const CsrMatrix<T, Host> A = convert_values<T>(host, in_double);
    const auto b = reference::random_values<T>(static_cast<std::size_t>(A.rows), 1);
    MultiVector<T, S> constants(whole, A.rows, unknowns);
    fill_constant_candidates<T>(whole, constants);
    const auto expected = relaxed_constants(whole, reference::upload(whole, borrow(A)), constants);
    const bool is_negative = A.values[0] < T{0};
    ASSERT_EQ(expected.has_value(), !is_negative);
    for (const Cut cut : {Cut::uneven, Cut::gaps, Cut::last}) {
      SCOPED_TRACE(testing::Message() << A.rows << " rows, cut " << to_string(cut));
      const SolveResult result = ranks::expect_bits_of_one_rank<T, S>(
          A, b, ranks::small_levels(), {.tolerance = sizeof(T) == sizeof(double) ? 1e-8 : 1e-4}, unknowns, true, cut);
      EXPECT_LE(result.reason, StopReason::attained) << describe(result.reason);
      EXPECT_LE(result.iterations, 30);
      Context<S> ctx = ranks::shared_context<S>();
      const LocalMatrix<T, S> local = ranks::share(ctx, A, cut);
      const Layout<S>& layout = *local.layout;
      const Margins margins = Halo<T, S>(local.layout).margins();
      MultiVector<T, S> own(ctx, layout.own_rows(), unknowns, margins);
      fill_constant_candidates<T>(ctx, own, layout.first_row());
      exchange_ghosts<T, S>(ctx, layout, own.view().widened(margins));
      const auto found = relaxed_constants(ctx, local.A, own, local.layout);
      ASSERT_EQ(found.has_value(), expected.has_value());
      if (found) {
        EXPECT_EQ(found->relaxation.products, expected->relaxation.products);
        EXPECT_EQ(found->relaxation.image, expected->relaxation.image);
        EXPECT_TRUE(
            ranks::same_bits<T>(reference::download(ctx, found->vectors),
                                ranks::rows_of(reference::download(whole, expected->vectors), layout.partition(),
                                               world().rank(), static_cast<std::size_t>(unknowns))));
      }
    }
  }
}

}  // namespace
}  // namespace amgsolve
