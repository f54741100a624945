#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/errors.hpp"
#include "problems/text_file.hpp"
#include "tests/reference/temporary_directory.hpp"

// Linked with problems/ compiled without zlib and liblzma.
namespace amgsolve {
namespace {

std::string message_of_reading(const std::filesystem::path& path) {
  Context<Host> ctx;
  try {
    const TextFile file(ctx, path);
    return std::string(file.text());
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(WithoutCompression, PlainFilesAreReadAndCompressedOnesNameTheLibrary) {
  const reference::TemporaryDirectory directory;
  EXPECT_EQ(message_of_reading(directory.write("plain", "1 1 2.0\n")), "1 1 2.0\n");
  const std::filesystem::path gzip = directory.write("matrix.gz", "\x1f\x8b\x08");
  EXPECT_EQ(message_of_reading(gzip), gzip.string() +
                                          ": cannot read: it is compressed by gzip, and this amgsolve was "
                                          "built without zlib");
  const std::filesystem::path xz = directory.write("matrix.xz", std::string("\xfd\x37zXZ\0\0", 7));
  EXPECT_EQ(message_of_reading(xz), xz.string() +
                                        ": cannot read: it is compressed by xz, and this amgsolve was built "
                                        "without liblzma");
}

}  // namespace
}  // namespace amgsolve
