#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/problems/reading.hpp"
#include "tests/reference/temporary_directory.hpp"

// Linked with problems/ compiled without zlib and liblzma.
namespace amgsolve {
namespace {

TEST(WithoutCompression, PlainFilesAreReadAndCompressedOnesNameTheLibrary) {
  const reference::TemporaryDirectory directory;
  EXPECT_EQ(text_of(directory.write("plain", "1 1 2.0\n")), "1 1 2.0\n");
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
