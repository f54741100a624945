#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "core/errors.hpp"
#include "core/output_file.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

namespace fs = std::filesystem;
using reference::bytes_of_file;
using reference::TemporaryDirectory;

std::string message_of_write(const fs::path& path) {
  try {
    write_file_atomically(path, "text");
  } catch (const OutputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(OutputFile, AppearsOnlyWhenItIsComplete) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("result", "old");
  OutputFile file(path);
  file.write("new ");
  file.write("text");
  EXPECT_EQ(bytes_of_file(path), "old");
  file.commit();
  EXPECT_EQ(bytes_of_file(path), "new text");
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(OutputFile, LeavesNothingBehindWithoutACommit) {
  const TemporaryDirectory directory;
  const fs::path kept = directory.write("kept", "old");
  {
    OutputFile replacing(kept);
    OutputFile fresh(directory.path() / "fresh");
    replacing.write("half");
    fresh.write("half");
    EXPECT_LE(directory.entries(), 3u) << "fewer where temporary files need no name";
  }
  EXPECT_EQ(directory.entries(), 1u);
  EXPECT_EQ(bytes_of_file(kept), "old");
}

TEST(OutputFile, HasThePermissionsOfAnyNewFile) {
  const TemporaryDirectory directory;
  write_file_atomically(directory.path() / "ours", "");
  directory.write("plain", "");
  EXPECT_EQ(fs::status(directory.path() / "ours").permissions(), fs::status(directory.path() / "plain").permissions());
}

TEST(OutputFile, FollowsSymbolicLinks) {
  const TemporaryDirectory directory;
  const fs::path target = directory.write("target", "old");
  const fs::path link = directory.path() / "link";
  fs::create_symlink(target, link);
  write_file_atomically(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(bytes_of_file(target), "new");
}

TEST(OutputFile, WritesDevicesInPlace) {
  write_file_atomically("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(OutputFile, SaysWhatPreventsWriting) {
  const TemporaryDirectory directory;
  const fs::path orphan = directory.path() / "missing" / "result";
  EXPECT_EQ(message_of_write(orphan),
            orphan.string() + ": cannot write: there is no directory '" + orphan.parent_path().string() + "'");
  EXPECT_EQ(message_of_write(directory.path()), directory.path().string() + ": cannot write: it is a directory");
  const fs::path below_file = directory.write("file", "") / "result";
  EXPECT_EQ(message_of_write(below_file), below_file.string() + ": cannot write: Not a directory");
  if (fs::exists("/dev/full")) {
    EXPECT_EQ(message_of_write("/dev/full"), "/dev/full: cannot write: No space left on device");
  }
}

TEST(OutputFile, DoesNotReplaceWhatMayNotBeWritten) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may write everything";
  }
  const TemporaryDirectory directory;
  const fs::path path = directory.write("protected", "old");
  fs::permissions(path, fs::perms::owner_read);
  EXPECT_EQ(message_of_write(path), path.string() + ": cannot write: Permission denied");
  EXPECT_EQ(bytes_of_file(path), "old");
}

}  // namespace
}  // namespace amgsolve
