#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "core/errors.hpp"
#include "core/output_file.hpp"
#include "tests/reference/temporary_directory.hpp"
#include "tests/reference/unprivileged.hpp"

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

TEST(OutputFile, IsWrittenByOthersWhereItIsShared) {
  constexpr std::size_t size = std::size_t{5} << 30;  // of which nothing lies on the disk but what is written
  for (const bool by_name : {false, true}) {
    SCOPED_TRACE(by_name);
    const TemporaryDirectory directory;
    const fs::path path = directory.write("result", "old");
    OutputFile file(path);
    const OutputFile::Place shared = file.share(size, by_name);
    EXPECT_TRUE(!by_name || fs::path(shared.path).parent_path() == fs::canonical(directory.path()));
    OutputFile other(path, shared);
    ASSERT_TRUE(other.is_open());
    other.write_at(size - 5, "end");
    file.write("begins so");
    other.commit();
    EXPECT_EQ(bytes_of_file(path), "old");
    file.commit();
    EXPECT_EQ(fs::file_size(path), size);
    EXPECT_EQ(directory.entries(), 1u);
    std::ifstream written(path, std::ios::binary);
    const auto text_at = [&](std::size_t place, std::size_t length) {
      std::string text(length, '?');
      written.seekg(static_cast<std::streamoff>(place));
      written.read(text.data(), static_cast<std::streamsize>(length));
      return text;
    };
    EXPECT_EQ(text_at(0, 20), "begins so" + std::string(11, '\0'));
    EXPECT_EQ(text_at(size - 5, 5), std::string("end\0\0", 5));
  }
}

/// A name for those that see the directory, where not all find it without one.
TEST(OutputFile, IsSharedByNameInTheEnd) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "result";
  {
    OutputFile file(path);
    file.share(100, false);
    OutputFile other(path, file.share(100, true));
    ASSERT_TRUE(other.is_open());
    file.write("all");
    EXPECT_EQ(directory.entries(), 1u);
  }
  EXPECT_EQ(directory.entries(), 0u) << "without a commit";
}

TEST(OutputFile, IsNotTakenForAnother) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "result";
  const fs::path another = directory.write("another", "12345678");
  EXPECT_FALSE(OutputFile(path, {.path = (directory.path() / "none").string()}).is_open());
  EXPECT_FALSE(OutputFile(path, {.path = another.string(), .mark = 1}).is_open());
  EXPECT_FALSE(OutputFile(path, {.path = "/dev/null", .mark = 1}).is_open());
  EXPECT_EQ(bytes_of_file(another), "12345678");
  EXPECT_EQ(OutputFile("/dev/null").share(100, true).path, "");
}

TEST(OutputFile, HasThePermissionsOfAnyNewFile) {
  const TemporaryDirectory directory;
  write_file_atomically(directory.path() / "ours", "");
  directory.write("plain", "");
  EXPECT_EQ(fs::status(directory.path() / "ours").permissions(), fs::status(directory.path() / "plain").permissions());
}

TEST(OutputFile, KeepsThePermissionsOfTheFileThatItReplaces) {
  const TemporaryDirectory directory;
  const fs::path file = directory.write("private", "old");
  const fs::perms owner_only = fs::perms::owner_read | fs::perms::owner_write;
  fs::permissions(file, owner_only);
  write_file_atomically(file, "new");
  EXPECT_EQ(bytes_of_file(file), "new");
  EXPECT_EQ(fs::status(file).permissions(), owner_only);
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

/// As of a standard output that a shell appends to a file.
TEST(OutputFile, WritesOpenFilesInPlace) {
  const TemporaryDirectory directory;
  const fs::path log = directory.write("log", "precious\n");
  const int appending = ::open(log.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const int begun = ::open(log.c_str(), O_WRONLY | O_CLOEXEC);
  const int reading = ::open(log.c_str(), O_RDONLY | O_CLOEXEC);
  const std::string by_number = "/dev/fd/" + std::to_string(appending);
  const fs::path link = directory.path() / "link";
  fs::create_symlink(by_number, link);
  write_file_atomically(by_number, "one\n");
  write_file_atomically("/proc/self/fd/" + std::to_string(appending), "two\n");
  write_file_atomically(link, "three\n");
  EXPECT_EQ(bytes_of_file(log), "precious\none\ntwo\nthree\n");

  ASSERT_EQ(::write(begun, "p", 1), 1);
  write_file_atomically("/dev/fd/" + std::to_string(begun), "RECIOUS");
  EXPECT_EQ(bytes_of_file(log), "pRECIOUS\none\ntwo\nthree\n");
  EXPECT_EQ(directory.entries(), 2u);

  const std::string for_reading = "/dev/fd/" + std::to_string(reading);
  EXPECT_EQ(message_of_write(for_reading), for_reading + ": cannot write: it is open for reading only");
  for (const int descriptor : {appending, begun, reading}) {
    ::close(descriptor);
  }
  EXPECT_EQ(message_of_write(by_number), by_number + ": cannot write: Bad file descriptor");
  EXPECT_EQ(named_descriptor("/dev/stderr"), STDERR_FILENO);
  EXPECT_EQ(named_descriptor(log), std::nullopt);
}

TEST(OutputFile, WaitsForThePipesThatDoNot) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  const std::string text(std::size_t{1} << 20, 'x');
  std::size_t received = 0;
  std::thread reader([&] {
    std::string piece(std::size_t{1} << 16, '\0');
    while (received < text.size()) {
      const ssize_t size = ::read(ends[0], piece.data(), piece.size());
      received += size > 0 ? static_cast<std::size_t>(size) : 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  write_file_atomically("/dev/fd/" + std::to_string(ends[1]), text);
  reader.join();
  EXPECT_EQ(received, text.size());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(OutputFile, KnowsWhatIsOnePlace) {
  const TemporaryDirectory directory;
  const fs::path log = directory.write("log", "");
  const auto open = [](const fs::path& path) { return ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC); };
  const auto name_of = [](int descriptor) { return fs::path("/dev/fd/" + std::to_string(descriptor)); };
  const int first = open(log);
  const int second = open(log);
  const int nowhere = open("/dev/null");
  const int also_nowhere = open("/dev/null");
  fs::create_symlink(name_of(first), directory.path() / "link");
  EXPECT_TRUE(share_a_place(name_of(first), directory.path() / "link"));
  EXPECT_TRUE(share_a_place(name_of(first), name_of(second)));
  EXPECT_TRUE(share_a_place(name_of(first), log));
  EXPECT_FALSE(share_a_place(log, log)) << "replaced, not written in place";
  EXPECT_FALSE(share_a_place(name_of(first), directory.path() / "none"));
  EXPECT_FALSE(share_a_place("/dev/null", "/dev/null"));
  EXPECT_FALSE(share_a_place(name_of(nowhere), name_of(also_nowhere)));
  EXPECT_FALSE(share_a_place(name_of(first), name_of(nowhere)));

  ASSERT_EQ(::mkfifo((directory.path() / "pipe").c_str(), 0666), 0);
  fs::create_symlink("pipe", directory.path() / "same");
  ASSERT_EQ(::mkfifo((directory.path() / "other").c_str(), 0666), 0);
  EXPECT_TRUE(share_a_place(directory.path() / "pipe", directory.path() / "same"));
  EXPECT_FALSE(share_a_place(directory.path() / "pipe", directory.path() / "other"));
  for (const int descriptor : {first, second, nowhere, also_nowhere}) {
    ::close(descriptor);
  }
}

TEST(OutputFile, SaysWhatPreventsWriting) {
  const TemporaryDirectory directory;
  const fs::path orphan = directory.path() / "missing" / "result";
  EXPECT_EQ(message_of_write(orphan),
            orphan.string() + ": cannot write: there is no directory '" + orphan.parent_path().string() + "'");
  EXPECT_EQ(message_of_write(directory.path()), directory.path().string() + ": cannot write: it is a directory");
  EXPECT_THAT(message_of_write("/proc/result"),
              testing::AnyOf("/proc/result: cannot write: no file can be made in '/proc'",
                             "/proc/result: cannot write: Permission denied"));
  const fs::path below_file = directory.write("file", "") / "result";
  EXPECT_EQ(message_of_write(below_file), below_file.string() + ": cannot write: Not a directory");
  if (fs::exists("/dev/full")) {
    EXPECT_EQ(message_of_write("/dev/full"), "/dev/full: cannot write: No space left on device");
  }
}

TEST(OutputFile, DoesNotReplaceWhatMayNotBeWritten) {
  const TemporaryDirectory directory;
  fs::permissions(directory.path(), fs::perms::all);
  const fs::path path = directory.write("protected", "old");
  fs::permissions(path, fs::perms(0444));
  const reference::Unprivileged user;
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may write everything";
  }
  EXPECT_EQ(message_of_write(path), path.string() + ": cannot write: Permission denied");
  EXPECT_EQ(bytes_of_file(path), "old");
  EXPECT_EQ(message_of_write(directory.path() / "another"), "no error");
}

}  // namespace
}  // namespace amgsolve
