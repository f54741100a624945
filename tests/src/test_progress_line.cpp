#include "src/application/progress_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>

namespace amgsolve {
namespace {

using namespace std::chrono_literals;

TEST(ProgressLine, DescribesEachPhase) {
  EXPECT_EQ(describe(Progress{.phase = "generate"}), "generate");
  EXPECT_EQ(describe(Progress{.phase = "read", .step = 3'000'000}), "read: 3.0 MB");
  EXPECT_EQ(describe(Progress{.phase = "read", .step = 3'000'000, .steps = 6'000'000}), "read: 3.0 MB of 6.0 MB");
  EXPECT_EQ(describe(Progress{.phase = "setup", .step = 2, .steps = 25}), "setup: level 2");
  EXPECT_EQ(describe(Progress{.phase = "solve", .step = 12, .steps = 200, .residual = 3.25e-5}),
            "solve: iteration 12 of at most 200, relative residual 3.2e-05");
}

TEST(ProgressLine, IsSilentForWhatIsQuick) {
  // Once more where a busy machine was not.
  std::string shown;
  std::chrono::steady_clock::duration elapsed{};
  do {
    std::ostringstream terminal;
    const auto start = std::chrono::steady_clock::now();
    {
      ProgressLine line(terminal);
      line.show({.phase = "generate"});
    }
    elapsed = std::chrono::steady_clock::now() - start;
    shown = terminal.str();
  } while (elapsed > 90ms);
  EXPECT_EQ(shown, "");
}

TEST(ProgressLine, RewritesTheLineAndClearsItAtTheEnd) {
  std::ostringstream terminal;
  {
    ProgressLine line(terminal);
    std::this_thread::sleep_for(110ms);
    line.show({.phase = "generate"});
  }
  EXPECT_EQ(terminal.str(), "\r\033[Kgenerate\r\033[K");
}

TEST(ProgressLine, LogsAtMostOnceASecondAndClearsNothing) {
  std::ostringstream log;
  const auto start = std::chrono::steady_clock::now();
  {
    ProgressLine line(log, ProgressForm::logged);
    while (std::chrono::steady_clock::now() - start < 1050ms) {
      line.show({.phase = "setup", .step = 1});
      std::this_thread::sleep_for(1ms);
    }
  }
  const auto elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_THAT(log.str(), testing::MatchesRegex("(amgsolve: [0-9]+ s: setup: level 1\n)+"));
  EXPECT_LE(std::ranges::count(log.str(), '\n'), elapsed / 1s);
}

TEST(ProgressLine, IsClearedOnce) {
  std::ostringstream terminal;
  ProgressLine line(terminal);
  line.clear();
  EXPECT_EQ(terminal.str(), "");
  std::this_thread::sleep_for(110ms);
  line.show({.phase = "generate"});
  line.clear();
  line.clear();
  EXPECT_EQ(terminal.str(), "\r\033[Kgenerate\r\033[K");
}

TEST(ProgressLine, WritesAtMostTenTimesASecond) {
  std::ostringstream terminal;
  ProgressLine line(terminal);
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < 250ms) {
    line.show({.phase = "solve", .step = 1, .steps = 2});
  }
  const auto elapsed = std::chrono::steady_clock::now() - start;
  const auto updates = std::ranges::count(terminal.str(), '\r');
  EXPECT_GE(updates, 1);
  EXPECT_LE(updates, elapsed / 100ms);
}

}  // namespace
}  // namespace amgsolve
