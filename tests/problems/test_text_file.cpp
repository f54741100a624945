#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "problems/text_file.hpp"
#include "tests/problems/reading.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

namespace fs = std::filesystem;
using reference::TemporaryDirectory;

const std::vector<std::string> texts{"", "x", "two\nlines\n", std::string(3'000'000, 'a')};

TEST(TextFile, ReadsPlainFiles) {
  const TemporaryDirectory directory;
  for (const std::string& text : texts) {
    EXPECT_EQ(text_of(directory.write("text", text)), text);
  }
}

TEST(TextFile, SaysWhatPreventsReading) {
  const TemporaryDirectory directory;
  const fs::path missing = directory.path() / "missing";
  EXPECT_EQ(message_of_reading(missing), missing.string() + ": cannot open: No such file or directory");
  EXPECT_EQ(message_of_reading(directory.path()), directory.path().string() + ": cannot open: it is a directory");
}

TEST(TextFile, NeedsPermission) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may read everything";
  }
  const TemporaryDirectory directory;
  const fs::path path = directory.write("secret", "text");
  fs::permissions(path, fs::perms::none);
  EXPECT_EQ(message_of_reading(path), path.string() + ": cannot open: Permission denied");
}

TEST(TextFile, TellsItsProgress) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("text", std::string(40'000'000, 'a'));
  Context<Host> ctx;
  std::vector<std::int64_t> steps;
  ctx.set_progress_listener([&](const Progress& progress) { steps.push_back(progress.step); });
  const TextFile file(ctx, path);
  EXPECT_GE(steps.size(), 2u);
  EXPECT_EQ(steps.back(), 40'000'000);
}

}  // namespace
}  // namespace amgsolve
