#include <gtest/gtest.h>

#include <filesystem>

#include "tests/fuzz/targets.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve::fuzz {
namespace {

class FuzzCorpus : public testing::TestWithParam<Target> {};

// What fuzzers found worth keeping; an input that once failed stays here.
TEST_P(FuzzCorpus, IsTakenOrRefused) {
  int taken = 0;
  int refused = 0;
  const std::filesystem::path folder =
      std::filesystem::path(AMGSOLVE_SOURCE_DIR "/tests/fuzz/corpus") / GetParam().name;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    bool is_taken = false;
    EXPECT_NO_THROW(is_taken = GetParam().takes(reference::bytes_of_file(file.path()))) << file.path();
    ++(is_taken ? taken : refused);
  }
  // Both ways are walked.
  EXPECT_GE(taken, 3);
  EXPECT_GE(refused, 3);
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzCorpus, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace amgsolve::fuzz
