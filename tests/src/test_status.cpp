#include "src/library/status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using testing::HasSubstr;

std::string documentation(const std::string& file) {
  return reference::bytes_of_file(std::string(AMGSOLVE_SOURCE_DIR "/docs/") + file);
}

TEST(Status, EveryOneHasANameAndANumberOfItsOwnAndIsDocumented) {
  int previous = -1;
  for (const StatusText& entry : statuses()) {
    EXPECT_GT(static_cast<int>(entry.status), previous);
    previous = static_cast<int>(entry.status);
    EXPECT_EQ(name(entry.status), entry.name);
    EXPECT_THAT(documentation("reliability.md"), HasSubstr(format_text("| {} | `{}` |", previous, entry.name)));
    EXPECT_THAT(documentation("report.md"), HasSubstr(format_text("`{}`", entry.name)));
  }
}

TEST(Status, OfWhyAnIterationEnded) {
  for (const auto& [reason, expected] : {std::pair(StopReason::converged, Status::converged),
                                         {StopReason::attained, Status::converged},
                                         {StopReason::stagnated, Status::not_converged},
                                         {StopReason::max_iterations, Status::not_converged},
                                         {StopReason::diverged, Status::breakdown},
                                         {StopReason::indefinite_matrix, Status::breakdown},
                                         {StopReason::indefinite_preconditioner, Status::breakdown},
                                         {StopReason::exhausted, Status::breakdown},
                                         {StopReason::singular, Status::breakdown},
                                         {StopReason::not_finite, Status::breakdown},
                                         {StopReason::interrupted, Status::interrupted}}) {
    EXPECT_EQ(status_of(reason), expected) << describe(reason);
  }
}

TEST(Status, OfErrors) {
  EXPECT_EQ(status_of(ConfigurationError("x")), Status::bad_configuration);
  EXPECT_EQ(status_of(InputError("x")), Status::bad_input);
  EXPECT_EQ(status_of(OutputError("x")), Status::bad_input);
  EXPECT_EQ(status_of(OutOfMemoryError("setup", "host", 2, 1)), Status::out_of_memory);
  EXPECT_EQ(status_of(std::bad_alloc()), Status::out_of_memory);
  EXPECT_EQ(status_of(BreakdownError("x")), Status::breakdown);
  EXPECT_EQ(status_of(DeviceError("x")), Status::device_failed);
  EXPECT_EQ(status_of(InterruptedError("x")), Status::interrupted);
  EXPECT_EQ(status_of(std::logic_error("x")), Status::internal_error);
  EXPECT_EQ(status_of(Exception(Status::breakdown, "x")), Status::breakdown);
}

}  // namespace
}  // namespace amgsolve
