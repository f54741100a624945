#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "amg/convergence.hpp"

/// The books of an iteration: when a round ends, and what is then said of x.
namespace amgsolve {
namespace {

constexpr double u = std::numeric_limits<double>::epsilon() / 2.0;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The books of columns with ‖b‖ = 1.
Convergence books(SolverOptions options, std::size_t columns) {
  options.tolerance = options.tolerance.value_or(1e-8);
  return Convergence(options, std::vector<double>(columns, 1.0), u, 8.0 * u);
}

/// Takes a step of a round, without breakdown.
bool step(Convergence& convergence, const std::vector<double>& residual_norms) {
  std::vector<StepOutcome> columns;
  for (const double norm : residual_norms) {
    columns.push_back({norm, {}});
  }
  return convergence.add_iteration(columns);
}

TEST(Books, ShowANaNInAnyColumn) {
  for (const std::size_t bad : {0U, 1U, 2U}) {
    Convergence convergence = books({}, 3);
    EXPECT_EQ(convergence.judge({{{1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}}}), std::nullopt);
    std::vector<Judgement> columns(3, {1e-9, 1e-12});
    columns[bad] = {nan, nan};
    EXPECT_EQ(convergence.judge(columns), StopReason::not_finite);
    const SolveResult result = convergence.result(StopReason::not_finite);
    EXPECT_TRUE(std::isnan(result.relative_residual));
    EXPECT_TRUE(std::isnan(result.backward_error));
    EXPECT_TRUE(std::isnan(result.residual_history.back()));
  }
}

TEST(Books, EndARoundOnceEveryColumnHasNothingMoreToGainInIt) {
  SolverOptions options;
  Convergence convergence = books(options, 2);
  convergence.judge({{{1.0, 1.0}, {1.0, 1.0}}});
  EXPECT_FALSE(step(convergence, {1e-9, 1e-7}));
  EXPECT_FALSE(step(convergence, {1e-300, 1e-7}));
  EXPECT_FALSE(convergence.add_iteration({{{0.0, StopReason::indefinite_matrix}, {1e-7, {}}}}));
  EXPECT_TRUE(step(convergence, {nan, 1e-8}));
  // Below rounding errors of what it began with a recurrence means nothing.
  options.tolerance = 0.0;
  Convergence exact = books(options, 1);
  exact.judge({{{1e3, 1.0}}});
  EXPECT_FALSE(step(exact, {1e-12}));
  EXPECT_TRUE(step(exact, {1e-13}));
}

TEST(Books, GiveUpWhenNoColumnGainsAnyMore) {
  Convergence convergence = books({}, 2);
  EXPECT_EQ(convergence.judge({{{1.0, 1.0}, {1.0, 1.0}}}), std::nullopt);
  EXPECT_TRUE(step(convergence, {1e-9, 1e-9}));
  EXPECT_EQ(convergence.judge({{{1e-3, 1e-6}, {1e-4, 1e-6}}}), std::nullopt);
  EXPECT_TRUE(step(convergence, {1e-9, 1e-9}));
  // The worst column stays; the other one still gains.
  EXPECT_EQ(convergence.judge({{{1e-3, 1e-6}, {1e-6, 1e-9}}}), std::nullopt);
  EXPECT_TRUE(step(convergence, {1e-9, 1e-9}));
  EXPECT_EQ(convergence.judge({{{1e-3, 1e-6}, {1e-9, 1e-12}}}), StopReason::stagnated);
  const SolveResult result = convergence.result(StopReason::stagnated);
  EXPECT_EQ(result.relative_residual, 1e-3);
  EXPECT_EQ(result.backward_error, 1e-6);
  EXPECT_EQ(result.column_iterations, (std::vector<int>{3, 3}));
}

TEST(Books, TellByWhatFactorAnIterationReducesTheResidual) {
  Convergence convergence = books({}, 1);
  convergence.judge({{{1.0, 1.0}}});
  EXPECT_TRUE(std::isnan(convergence.result(StopReason::max_iterations).convergence_factor)) << "0 would be perfect";
  step(convergence, {0.5});
  step(convergence, {1e-4});
  convergence.judge({{{1e-4, 1e-6}}});
  EXPECT_DOUBLE_EQ(convergence.result(StopReason::max_iterations).convergence_factor, 1e-2);
}

TEST(Books, CallABreakdownOneWhereItsRoundGainedNothing) {
  for (const bool gains : {true, false}) {
    Convergence convergence = books({}, 1);
    convergence.judge({{{1.0, 1.0}}});
    EXPECT_TRUE(convergence.add_iteration({{{0.5, StopReason::indefinite_matrix}}}));
    const std::optional<StopReason> expected = gains ? std::nullopt : std::optional(StopReason::indefinite_matrix);
    EXPECT_EQ(convergence.judge({{{gains ? 0.5 : 0.6, 1.0}}}), expected);
  }
}

TEST(Books, AskWhatIsTrueOfAStalledRound) {
  SolverOptions options;
  Convergence convergence = books(options, 2);
  convergence.judge({{{1.0, 1.0}, {1.0, 1.0}}});
  const auto steps_until_asked = [&](double first, double second) {
    for (int steps = 1; steps <= 3 * stalled_iterations; ++steps) {
      EXPECT_FALSE(step(convergence, {first, second}));
      if (convergence.has_stalled()) {
        EXPECT_TRUE(convergence.has_stalled()) << "until the truth is told";
        convergence.judge_stall({{{1.0, 1.0}, {1.0, 1.0}}});
        EXPECT_FALSE(convergence.has_stalled());
        return steps;
      }
    }
    return 0;
  };
  EXPECT_EQ(steps_until_asked(1e-3, 1e-3), stalled_iterations + 1);  // the first step gains
  EXPECT_EQ(steps_until_asked(1e-3, 1e-3), stalled_iterations);
  EXPECT_EQ(steps_until_asked(6e-4, 1e-5), stalled_iterations) << "one of them has stalled, not having been halved";
  EXPECT_EQ(steps_until_asked(4e-4, 1e-9), stalled_iterations + 1) << "what the other does is of no interest";
  EXPECT_TRUE(convergence.judge_stall({{{1e-3, 8.0 * u}, {1.0, 1.0}}}));
  EXPECT_FALSE(convergence.judge_stall({{{1e-3, 9.0 * u}, {1e-9, u}}}));
  EXPECT_FALSE(convergence.judge_stall({{{0.1, u}, {1e-9, u}}})) << "nothing is solved";
  options.stopping = Stopping::strict;
  convergence = books(options, 2);
  convergence.judge({{{1.0, 1.0}, {1.0, 1.0}}});
  EXPECT_EQ(steps_until_asked(1e-3, 1e-3), 0);
}

// The next one gains more from the true residual, which rounding errors of the last did not reach.
TEST(Books, EndRoundsThatStallNearRoundingErrorsOfTheirBeginning) {
  for (const double roundoffs : {0.5 * roundoffs_of_recurrence, 2.0 * roundoffs_of_recurrence}) {
    Convergence convergence = books({}, 1);
    convergence.judge({{{1e12, 1.0}}});
    const double left = 1e12 * roundoffs * u;
    for (int steps = 0; steps <= stalled_iterations; ++steps) {
      EXPECT_FALSE(step(convergence, {left})) << "it has more to gain than the tolerance tells";
    }
    EXPECT_TRUE(convergence.has_stalled());
    EXPECT_EQ(convergence.judge_stall({{{left, 1.0}}}), roundoffs < roundoffs_of_recurrence);
    EXPECT_EQ(convergence.judge({{{left, 1.0}}}), std::nullopt);
  }
}

TEST(Books, TakeABackwardErrorAtRoundingLevelWhereTheyMay) {
  for (const Stopping stopping : {Stopping::attainable, Stopping::strict}) {
    SolverOptions options;
    options.stopping = stopping;
    Convergence convergence = books(options, 2);
    convergence.judge({{{1.0, 1.0}, {1.0, 1.0}}});
    EXPECT_TRUE(step(convergence, {1e-9, 1e-9}));
    const StopReason expected = stopping == Stopping::strict ? StopReason::stagnated : StopReason::attained;
    // What another round may still reach is tried.
    EXPECT_EQ(convergence.judge({{{2e-8, 7.0 * u}, {1e-9, 1e-12}}}), std::nullopt);
    EXPECT_TRUE(step(convergence, {1e-9, 1e-9}));
    EXPECT_EQ(convergence.judge({{{2e-8, 7.0 * u}, {1e-9, 1e-12}}}), expected);
    Convergence out_of_reach = books(options, 1);
    out_of_reach.judge({{{1.0, 1.0}}});
    EXPECT_TRUE(step(out_of_reach, {1e-9}));
    EXPECT_EQ(out_of_reach.judge({{{1e-5, 7.0 * u}}}), expected);
    // An x so large that it hides that nothing is solved: A is singular to working precision.
    Convergence singular = books(options, 1);
    singular.judge({{{1.0, 1.0}}});
    EXPECT_TRUE(step(singular, {1e-9}));
    EXPECT_EQ(singular.judge({{{0.9, u}}}), StopReason::singular);
    // Unless the last round brought it nearer, or it is not near enough to rounding errors.
    Convergence nearer = books(options, 1);
    nearer.judge({{{1.0, 1.0}}});
    EXPECT_TRUE(step(nearer, {1e-9}));
    EXPECT_EQ(nearer.judge({{{0.4, u}}}), std::nullopt);
    Convergence stuck = books(options, 1);
    stuck.judge({{{1.0, 1.0}}});
    EXPECT_TRUE(step(stuck, {1e-9}));
    EXPECT_EQ(stuck.judge({{{0.9, 1e-10}}}), StopReason::stagnated);
  }
}

TEST(Books, CallSingularWhatIsSoInAnyUnits) {
  const auto judged = [](const ScaledResidual& scaled) {
    Convergence convergence = books({}, 1);
    convergence.judge({{{1.0, 1.0}}});
    EXPECT_TRUE(step(convergence, {1e-9}));
    const std::vector<Judgement> columns = {{.residual_norm = 100.0, .backward_error = u, .scaled = scaled}};
    const std::optional<StopReason> reason = convergence.judge(columns);
    EXPECT_EQ(convergence.result(StopReason::singular).columns[0].is_worse_than_zero(), scaled.relative_residual > 1.0);
    return reason;
  };
  EXPECT_EQ(judged({0.5, u}), StopReason::singular);
  EXPECT_EQ(judged({1.5, u}), StopReason::singular);
  EXPECT_EQ(judged({1e-12, u}), StopReason::attained);
  EXPECT_EQ(judged({1e-12, 1e-10}), StopReason::stagnated);
  EXPECT_EQ(judged({0.5, 1e-6}), StopReason::stagnated);
}

}  // namespace
}  // namespace amgsolve
