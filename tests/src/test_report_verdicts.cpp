#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "src/library/report.hpp"
#include "tests/src/result_of_length.hpp"

/// What a message says of how a solve ended, and of what to try next.
namespace amgsolve {
namespace {

TEST(Verdict, TellsWhatIsHandedOverInPlaceOfSomethingWorse) {
  SolveResult result;
  result.reason = StopReason::diverged;
  result.given_up = 1;
  result.columns.resize(1);
  Report report;
  report.set_result(result);
  EXPECT_THAT(report.message, testing::HasSubstr("; x = 0 is handed over: what the iteration had come to was worse"));
  result.columns.resize(3);
  report.set_result(result);
  EXPECT_THAT(report.message, testing::HasSubstr("; of 1 of 3 right-hand sides x = 0 is handed over"));
}

TEST(Verdict, SuspectsNoMatrixForTheUnitsOfItsUnknowns) {
  SolveResult result;
  result.reason = StopReason::attained;
  result.relative_residual = 20.0;
  result.backward_error = 1e-16;
  for (const ScaledResidual& scaled : {ScaledResidual{1e-12, 1e-16}, ScaledResidual{5e-3, 1e-16}}) {
    result.scaled = scaled;
    Report report;
    report.set_result(result);
    EXPECT_THAT(report.message, testing::HasSubstr("scaled by 1 / sqrt(a_ii) the relative residual is"));
    const bool is_suspected = report.message.find("A may be singular") != std::string::npos;
    EXPECT_EQ(is_suspected, scaled.relative_residual > 1e-3) << report.message;
  }
}

TEST(Message, TellsWhatToTryNext) {
  const auto message = [](StopReason reason, double factor) {
    Report report;
    report.tolerance = 1e-8;
    SolveResult result = result_of_length(100);
    result.reason = reason;
    result.relative_residual = 1e-4;
    result.backward_error = 1e-15;
    // The first half is quick whatever follows.
    for (std::size_t i = 0; i < result.residual_history.size(); ++i) {
      result.residual_history[i] = i < 50 ? std::pow(0.5, i) : result.residual_history[i - 1] * factor;
    }
    report.set_result(result);
    return report.message;
  };
  EXPECT_EQ(message(StopReason::converged, 0.5), "converged");
  EXPECT_THAT(message(StopReason::max_iterations, 0.9), testing::HasSubstr("some 88 more in 'solver.max_iterations'"));
  for (const double factor : {0.9999, 1.0, 1.1, 0.0}) {
    EXPECT_THAT(message(StopReason::max_iterations, factor), testing::HasSubstr("'amg.smoother.degree'")) << factor;
  }
  Report of_growth;
  of_growth.tolerance = 1e-8;
  SolveResult grown = result_of_length(3);
  grown.reason = StopReason::max_iterations;
  grown.residual_history = {1.0, 11.0, 10.5, 10.0};
  grown.relative_residual = 10.0;
  grown.convergence_factor = std::cbrt(10.0);
  of_growth.set_result(grown);
  EXPECT_THAT(of_growth.message, testing::Not(testing::HasSubstr("more in"))) << "it falls, from where it never was";
  EXPECT_THAT(message(StopReason::stagnated, 0.5), testing::HasSubstr("; 2.0e-04 is within reach"));
  EXPECT_THAT(message(StopReason::singular, 0.5), testing::HasSubstr("null space"));
  EXPECT_THAT(message(StopReason::diverged, 0.5), testing::HasSubstr("the condition number of any matrix"));
  SolveResult large;
  large.reason = StopReason::attained;
  large.relative_residual = 1e-4;
  for (const double backward_error : {1e-14, 1e-15}) {
    Report of_large;
    large.backward_error = backward_error;
    of_large.set_result(large);
    EXPECT_EQ(of_large.message.find("|A| |x| is 1e+11 times b: A may be singular") != std::string::npos,
              backward_error < 2e-15)
        << of_large.message;
    of_large.set_result(large, true);
    EXPECT_THAT(of_large.message, testing::HasSubstr("A may be singular"));
  }
  SolveResult out_of_steps;
  out_of_steps.reason = StopReason::stagnated;
  out_of_steps.method = Method::bicgstab;
  out_of_steps.relative_residual = 0.3;
  for (const double backward_error : {0.1, 1e-15}) {
    Report of_stagnation;
    out_of_steps.backward_error = backward_error;
    of_stagnation.set_result(out_of_steps);
    EXPECT_EQ(of_stagnation.message.find("is within reach") == std::string::npos, backward_error > 1e-3)
        << of_stagnation.message;
  }
  SolveResult hidden;
  hidden.reason = StopReason::converged;
  Report of_hidden;
  of_hidden.tolerance = 1e-8;
  for (const double change : {0.9e-5, 0.05}) {
    hidden.jacobi_change = change;
    of_hidden.set_result(hidden);
    EXPECT_EQ(of_hidden.message.find("a step of Jacobi would change x by 0.05 of its norm") != std::string::npos,
              change > 1e-5)
        << of_hidden.message;
  }
  SolveResult general;
  general.method = Method::fgmres;
  general.iterations = 100;
  general.is_negated = true;
  general.reason = StopReason::max_iterations;
  Report of_general;
  of_general.set_result(general);
  EXPECT_THAT(of_general.message, testing::HasSubstr("'solver.restart'"));
  EXPECT_THAT(of_general.message, testing::HasSubstr("-A x = -b was solved"));
  general.method = Method::minres;
  of_general.set_result(general);
  EXPECT_THAT(of_general.message, testing::HasSubstr("gmres with 'solver.restart' at 100"));
  general.method = Method::fgmres;
  general.reason = StopReason::exhausted;
  of_general.set_result(general);
  EXPECT_THAT(of_general.message, testing::HasSubstr("no new direction"));
  EXPECT_THAT(message(StopReason::indefinite_matrix, 0.5),
              testing::HasSubstr("minres or gmres, which take indefinite matrices, too; of a singular one give the "
                                 "vectors that it takes to zero as 'problem.near_nullspace', of an elastic body "
                                 "'problem.coordinates'"));
  EXPECT_THAT(message(StopReason::indefinite_preconditioner, 0.5), testing::Not(testing::HasSubstr("singular")));
  SolveResult projected;
  projected.reason = StopReason::converged;
  projected.outside_range = 0.125;
  Report report;
  report.set_result(projected);
  EXPECT_THAT(report.message, testing::HasSubstr("out of its range, 0.12 of the norm, was left out"));
  projected.column_iterations = {3, 3};
  projected.outside_column = 1;
  report.set_result(projected);
  EXPECT_THAT(report.message, testing::HasSubstr("the part of the right-hand sides out of its range, 0.12 of the norm "
                                                 "of number 2, was left out"));
  projected.null_vectors_found = 2;
  report.set_result(projected);
  EXPECT_THAT(report.message, testing::HasSubstr("2 null vectors of the matrix were found"));
}

TEST(Message, TellsWhatToTryAfterASlowSolveOfAnyMatrix) {
  const auto message = [](Method method, StopReason reason, int iterations, double factor, double lopsided = 0.0) {
    SolveResult result;
    result.method = method;
    result.reason = reason;
    result.iterations = iterations;
    result.relative_residual = 1e-6;
    result.convergence_factor = factor;
    result.lopsided = lopsided;
    Report report;
    report.tolerance = 1e-8;
    report.set_result(result);
    return report.message;
  };
  const std::string hint =
      "; slow: try a larger 'solver.restart' and 'amg.smoother.degree', as 100 and 6, and for elastic bodies "
      "'amg.block_size' and the nodes' 'problem.coordinates'";
  EXPECT_EQ(message(Method::fgmres, StopReason::converged, 99, 0.9), "converged");
  EXPECT_EQ(message(Method::fgmres, StopReason::converged, 100, 0.9), "converged" + hint);
  EXPECT_THAT(message(Method::bicgstab, StopReason::converged, 100, 0.9),
              testing::HasSubstr("; slow: try 'solver.method' fgmres with a larger 'solver.restart'"));
  EXPECT_EQ(message(Method::cg, StopReason::converged, 100, 0.9), "converged") << "which looks at the matrix";
  EXPECT_THAT(
      message(Method::gmres, StopReason::max_iterations, 100, 0.9),
      testing::HasSubstr("; with some 44 more in 'solver.max_iterations' it would, at the convergence factor of "
                         "the last half, 0.900" +
                         hint));
  const std::string failed = message(Method::gmres, StopReason::max_iterations, 100, 1.0);
  EXPECT_THAT(failed, testing::HasSubstr("'solver.restart' 300 and 'amg.smoother.degree' 6"));
  EXPECT_THAT(failed, testing::Not(testing::HasSubstr("slow")));
  const std::string scaled = "rows differ in size: 50 % of the entries";
  EXPECT_THAT(message(Method::fgmres, StopReason::converged, 100, 0.9, 0.5), testing::HasSubstr("; slow: " + scaled));
  const std::string failed_scaled = message(Method::fgmres, StopReason::max_iterations, 100, 0.9, 0.5);
  EXPECT_EQ(failed_scaled.find(scaled), failed_scaled.rfind(scaled)) << failed_scaled;
}

TEST(Message, TellsWhatASlowSolveLacked) {
  const auto message = [](StopReason reason, const ConstantsCheck& slow, Index rows) {
    Report report;
    report.hierarchy.emplace().levels.push_back({.rows = rows});
    SolveResult result = result_of_length(200);
    result.reason = reason;
    result.convergence_factor = 1.0;
    result.slow = slow;
    report.set_result(result);
    return report.message;
  };
  EXPECT_EQ(message(StopReason::converged, {0.8, 0.1, 1, 3}, 900),
            "converged; slow: rows differ in size: |A 1| is 80 % of |A| |1|, but with 1 / sqrt(a_ii) for 1 it is 10 %; "
            "scale rows and columns by 1 / sqrt(a_ii), or with one unknown a node give that as "
            "'problem.near_nullspace', or 'amg.coarse_size' 900 to solve directly");
  EXPECT_THAT(message(StopReason::converged, {0.8, 0.5, 1, 1}, 1'000'000),
              testing::EndsWith("|A 1| is 80 % of |A| |1|; try 'amg.smoother.degree' 4; matrices of edge and face "
                                "elements, of curl and div, need multigrid of another kind"));
  EXPECT_THAT(message(StopReason::converged, {0.1, 0.1, 1, 3}, 1'000'000),
              testing::HasSubstr("try 'amg.block_size' 3, and give the nodes' 'problem.coordinates'"));
  const std::string of_blocks = message(StopReason::converged, {0.1, 0.1, 3, 3}, 1'000'000);
  EXPECT_THAT(of_blocks, testing::HasSubstr("try amg.smoother.type=block_chebyshev, and give the nodes' 'problem."
                                            "coordinates'"));
  EXPECT_THAT(of_blocks, testing::Not(testing::HasSubstr("block_size")));
  EXPECT_THAT(message(StopReason::converged, {0.1, 0.1, 3, 3, {}, true}, 1'000'000),
              testing::HasSubstr("try amg.smoother.degree=4, and give the nodes'"));
  const std::string shell = message(StopReason::max_iterations, {0.1, 0.1, 1, 1}, 900);
  EXPECT_THAT(shell, testing::EndsWith("'amg.smoother.degree', or 'amg.coarse_size' 900 to solve directly"));
  EXPECT_THAT(shell, testing::HasSubstr("shells"));
  Report solved_directly;
  solved_directly.hierarchy.emplace().levels.push_back({.rows = 900});
  solved_directly.hierarchy->coarse_solver = "dense LDLT";
  SolveResult result = result_of_length(200);
  result.slow = ConstantsCheck{0.1, 0.1, 1, 1};
  solved_directly.set_result(result);
  EXPECT_THAT(solved_directly.message, testing::Not(testing::HasSubstr("directly")));
}

TEST(Message, OfASlowSolveTellsWhatIsQuickerThanItsMethod) {
  const auto message = [](Method method, const ConstantsCheck& slow) {
    Report report;
    report.hierarchy.emplace().levels.push_back({.rows = 1'000'000});
    SolveResult result = result_of_length(200);
    result.reason = StopReason::converged;
    result.method = method;
    result.slow = slow;
    report.set_result(result);
    return report.message;
  };
  const ConstantsCheck usual{0.1, 0.1, 1, 1};
  EXPECT_THAT(
      message(Method::minres, usual),
      testing::StartsWith("converged; slow: where the matrix is positive definite try 'solver.method' cg, else "));
  EXPECT_THAT(message(Method::minres, {0.8, 0.1, 1, 1}), testing::HasSubstr("slow: rows differ in size"));
  EXPECT_THAT(message(Method::amg, usual),
              testing::StartsWith("converged; slow: cycles alone, which 'solver.method' auto accelerates; A takes"));
  EXPECT_THAT(message(Method::gmres, usual), testing::StartsWith("converged; slow: try a larger 'solver.restart'"));
}

TEST(Message, OfASlowSolveNamesOptionsThatMayBeWhyFirst) {
  Report report;
  report.options_of_slow_cycle = "amg.max_levels=1";
  SolveResult result = result_of_length(200);
  result.reason = StopReason::converged;
  result.slow = ConstantsCheck{0.1, 0.1, 1, 1};
  report.set_result(result);
  EXPECT_THAT(report.message,
              testing::StartsWith("converged; slow: first of all try without amg.max_levels=1; A takes the constants"));
}

TEST(Message, OfAFailureNamesOtherOptionsFirstAndNoMethodThatHasRun) {
  const auto message = [](StopReason reason, Method method, const std::string& options) {
    Report report;
    report.options_of_cycle = options;
    SolveResult result;
    result.reason = reason;
    result.method = method;
    report.set_result(result);
    return report.message;
  };
  constexpr auto by_cycle = StopReason::indefinite_preconditioner;
  EXPECT_THAT(
      message(by_cycle, Method::cg, "amg.smoother.damping=1.9"),
      testing::HasSubstr("not positive definite; first of all try without amg.smoother.damping=1.9; where the "
                         "matrix is positive definite try 'solver.method' fcg with 'amg.precision' same, else"));
  EXPECT_THAT(message(StopReason::diverged, Method::amg, "amg.smoother.damping=1.9"),
              testing::HasSubstr("; first of all try without amg.smoother.damping=1.9; "));
  for (const StopReason reason : {StopReason::indefinite_matrix, by_cycle}) {
    EXPECT_THAT(message(reason, Method::cg, ""), testing::Not(testing::HasSubstr("first of all")));
    EXPECT_THAT(message(reason, Method::fcg, ""), testing::Not(testing::HasSubstr("fcg")));
    EXPECT_THAT(message(reason, Method::fcg, ""), testing::HasSubstr("minres or gmres"));
    EXPECT_THAT(message(reason, Method::minres, ""), testing::Not(testing::HasSubstr("minres")));
    EXPECT_THAT(message(reason, Method::minres, ""), testing::HasSubstr("gmres with 'amg.precision' same"));
  }
}

TEST(Message, OfAFailureNamesNothingThatIsSo) {
  const auto message = [](StopReason reason, Method method) {
    Report report;
    report.precision = Precision::same;
    SolveResult result;
    result.reason = reason;
    result.method = method;
    report.set_result(result);
    return report.message;
  };
  for (const StopReason reason : {StopReason::indefinite_preconditioner, StopReason::diverged, StopReason::exhausted}) {
    for (const Method method : {Method::cg, Method::fcg, Method::fgmres, Method::minres, Method::bicgstab}) {
      EXPECT_THAT(message(reason, method), testing::Not(testing::HasSubstr("'amg.precision'")));
      EXPECT_THAT(message(reason, method), testing::HasSubstr("'solver.method' "));
    }
  }
  EXPECT_THAT(message(StopReason::indefinite_preconditioner, Method::cg),
              testing::HasSubstr("definite try 'solver.method' fcg, else"));
  EXPECT_THAT(message(StopReason::indefinite_preconditioner, Method::fcg),
              testing::HasSubstr("; try 'solver.method' minres or gmres"));
  EXPECT_THAT(message(StopReason::exhausted, Method::fgmres),
              testing::HasSubstr("; try 'solver.method' bicgstab, where"));
}

TEST(Message, TellsOfSinglePrecisionAndOfProductsOfTheCaller) {
  const auto message = [](StopReason reason, int iterations, bool is_single, bool has_product) {
    Report report;
    SolveResult result = result_of_length(static_cast<std::size_t>(iterations));
    result.reason = reason;
    report.set_result(result, is_single, has_product);
    return report.message;
  };
  EXPECT_THAT(message(StopReason::singular, 20, true, false),
              testing::EndsWith("; this was single precision: double reaches further"));
  EXPECT_THAT(message(StopReason::singular, 20, false, false), testing::Not(testing::HasSubstr("precision")));
  EXPECT_THAT(message(StopReason::converged, 20, true, false), testing::Not(testing::HasSubstr("precision")));
  EXPECT_EQ(message(StopReason::converged, 200, false, true),
            "converged; slow: the product that was given may not be much like the matrix that was set up: set up one "
            "that is");
  EXPECT_EQ(message(StopReason::converged, 20, false, true), "converged");
}

TEST(Message, TellsOfAHierarchyThatWasMadeForEarlierValues) {
  const auto message = [](StopReason reason, std::size_t iterations, bool has_earlier_levels) {
    Report report;
    SolveResult result = result_of_length(iterations);
    result.reason = reason;
    result.has_earlier_levels = has_earlier_levels;
    report.set_result(result);
    return report.message;
  };
  EXPECT_EQ(message(StopReason::converged, 200, true),
            "converged; the hierarchy was made for earlier values, see 'solver.reuse': another setup makes one for "
            "these");
  EXPECT_EQ(message(StopReason::converged, 20, true), "converged");
  EXPECT_EQ(message(StopReason::converged, 200, false), "converged");
  EXPECT_THAT(message(StopReason::indefinite_preconditioner, 3, true), testing::HasSubstr("'solver.reuse'"));
  EXPECT_THAT(message(StopReason::max_iterations, 20, false), testing::Not(testing::HasSubstr("'solver.reuse'")));
}

}  // namespace
}  // namespace amgsolve
