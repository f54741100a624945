#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "src/library/report.hpp"

/// What a message says of singular matrices, and of what is handed over.
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

}  // namespace
}  // namespace amgsolve
