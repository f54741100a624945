#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "amg/hierarchy_wear.hpp"

/// When a hierarchy that new values have left in part does not serve any more.
namespace amgsolve {
namespace {

using testing::HasSubstr;

SolveResult ended(StopReason reason, std::vector<double> history) {
  SolveResult result;
  result.reason = reason;
  result.iterations = static_cast<int>(history.size()) - 1;
  result.residual_history = std::move(history);
  return result;
}

/// A solve from a residual of `start` on, each iteration of which multiplies it by the factor.
SolveResult at_rate(double factor, int iterations, double start = 1.0, StopReason reason = StopReason::converged) {
  std::vector<double> history;
  for (int i = 0; i <= iterations; ++i) {
    history.push_back(start * std::pow(factor, i));
  }
  return ended(reason, history);
}

/// The books after a first solve by the values of the setup, and a last one by others.
HierarchyWear after(const SolveResult& first, const SolveResult& last, bool has_own_end = true) {
  HierarchyWear wear;
  wear.take(first, false, false);
  wear.take(last, true, has_own_end);
  return wear;
}

bool is_outdated(const SolveResult& first, const SolveResult& last) { return after(first, last).is_outdated(1.5); }

TEST(HierarchyWear, SaysWhatIterationsSayOfSolvesToOneTolerance) {
  for (const int last : {5, 10, 15, 16, 40}) {
    // The last iteration goes beyond the tolerance, of one solve more than of the other.
    for (const double beyond : {1.0, 1e-3}) {
      SolveResult slow = at_rate(std::pow(1e-8, 1.0 / last), last);
      slow.residual_history.back() *= beyond;
      EXPECT_EQ(is_outdated(at_rate(0.15, 10), slow), last > 15) << last << " iterations, beyond by " << beyond;
    }
  }
}

TEST(HierarchyWear, ComparesSolvesToOtherTolerancesAsFarAsBothWent) {
  for (const double start : {1.0, 1e-4, 1e5}) {  // a first guess that is nearly right, or far off
    for (const int iterations : {4, 8, 40}) {
      EXPECT_FALSE(is_outdated(at_rate(0.1, 10), at_rate(0.1, iterations, start)));
      EXPECT_FALSE(is_outdated(at_rate(0.1, 10), at_rate(0.19, iterations, start)));
      EXPECT_TRUE(is_outdated(at_rate(0.1, 10), at_rate(0.4, iterations, start)));
      EXPECT_TRUE(is_outdated(at_rate(0.1, 2), at_rate(0.4, std::max(iterations, 5), start)));
    }
  }
}

TEST(HierarchyWear, CountsToWhereAResidualStaysBelow) {
  // Conjugate gradients' residual may grow on the way.
  const SolveResult first = ended(StopReason::converged, {1.0, 0.4, 3.0, 3.0, 2.0, 0.4, 0.01, 1e-9});
  EXPECT_FALSE(is_outdated(first, ended(StopReason::max_iterations, {1.0, 0.4, 3.0, 3.0, 2.0, 0.5})));
  EXPECT_FALSE(is_outdated(first, ended(StopReason::max_iterations, {1.0, 2.0, 3.0})));
}

TEST(HierarchyWear, IsSeenWhereNothingIsGained) {
  for (const double factor : {1.0, 0.999, 1.1}) {
    EXPECT_TRUE(is_outdated(at_rate(0.1, 10), at_rate(factor, 20, 1.0, StopReason::max_iterations)));
  }
  // What no more than rounding errors keep up says nothing of the rest.
  SolveResult attained = at_rate(0.1, 16, 1.0, StopReason::attained);
  attained.residual_history.resize(120, 1e-16);
  attained.iterations = 119;
  EXPECT_FALSE(is_outdated(at_rate(0.1, 8), attained));
}

TEST(HierarchyWear, IsNoneInAnIterationOrInNone) {
  SolveResult exact = at_rate(0.0, 1);
  EXPECT_FALSE(is_outdated(exact, at_rate(1e-9, 1)));
  EXPECT_FALSE(is_outdated(exact, at_rate(1e-5, 2)));
  EXPECT_TRUE(is_outdated(exact, at_rate(1e-3, 3)));
  EXPECT_TRUE(is_outdated(at_rate(0.1, 10), at_rate(1.0, 40)));
  HierarchyWear wear = after(at_rate(0.1, 10), at_rate(0.5, 40));
  wear.take(at_rate(0.5, 0), true, false);
  EXPECT_TRUE(wear.is_outdated(1.5));
  wear.take(at_rate(0.1, 8), true, false);
  EXPECT_FALSE(wear.is_outdated(1.5));
  EXPECT_FALSE(HierarchyWear().is_outdated(1.0));
}

TEST(HierarchyWear, IsAFailureUnlessTheSolveEndedAtItsOwnLimit) {
  for (const StopReason reason : {StopReason::max_iterations, StopReason::stagnated}) {
    const SolveResult last = at_rate(0.1, 4, 1.0, reason);
    EXPECT_FALSE(after(at_rate(0.1, 8), last, true).is_outdated(1.5));
    EXPECT_TRUE(after(at_rate(0.1, 8), last, false).is_outdated(1.5));
  }
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const HierarchyWear broken = after(at_rate(0.1, 8), ended(StopReason::not_finite, {1.0, nan}));
  EXPECT_TRUE(broken.is_outdated(1.5));
  EXPECT_EQ(broken.reason(), "the last solve did not converge");
}

TEST(HierarchyWear, TellsWhatItWasSeenBy) {
  EXPECT_EQ(after(at_rate(0.1, 10), at_rate(0.5, 20)).reason(),
            "the last solve reduced the residual to 9.5e-07 of the first one in 20 iterations, the first one after a "
            "setup in 7");
  HierarchyWear wear;
  wear.take(at_rate(0.5, 20), true, false);
  EXPECT_TRUE(wear.is_outdated(1.5));
  EXPECT_THAT(wear.reason(), HasSubstr("in 20 iterations, and none was by the values of the setup"));
}

}  // namespace
}  // namespace amgsolve
