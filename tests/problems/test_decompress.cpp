#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "problems/mesh_file.hpp"
#include "problems/text_file.hpp"
#include "tests/problems/reading.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

namespace fs = std::filesystem;
using reference::TemporaryDirectory;

std::string gzip(const std::string& text) {
  z_stream stream{};
  constexpr int gzip_window = MAX_WBITS + 16;
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY);
  std::string compressed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  deflate(&stream, Z_FINISH);
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  return compressed;
}

std::string xz(const std::string& text) {
  std::string compressed(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                          reinterpret_cast<std::uint8_t*>(compressed.data()), &size, compressed.size());
  compressed.resize(size);
  return compressed;
}

const std::vector<std::string> texts{"", "x", "two\nlines\n", std::string(3'000'000, 'a')};

TEST(Decompress, DecompressesWhateverTheName) {
  const TemporaryDirectory directory;
  for (const std::string& text : texts) {
    EXPECT_EQ(text_of(directory.write("text", gzip(text))), text);
    EXPECT_EQ(text_of(directory.write("text", xz(text))), text);
  }
}

TEST(Decompress, JoinsCompressedStreams) {
  const TemporaryDirectory directory;
  EXPECT_EQ(text_of(directory.write("text.gz", gzip("one ") + gzip("two"))), "one two");
  EXPECT_EQ(text_of(directory.write("text.xz", xz("one ") + xz("two"))), "one two");
}

TEST(Decompress, PassesOverZerosBehindGzip) {
  const TemporaryDirectory directory;
  const std::string zeros(600, '\0');
  EXPECT_EQ(text_of(directory.write("text.gz", gzip("one ") + zeros + gzip("two") + zeros)), "one two");
}

TEST(Decompress, ReportsEveryTruncation) {
  const TemporaryDirectory directory;
  const std::string compressed_gzip = gzip("1 1 1.0\n2 2 2.0\n");
  for (std::size_t size = 2; size < compressed_gzip.size(); ++size) {
    const fs::path path = directory.write("text.gz", compressed_gzip.substr(0, size));
    EXPECT_EQ(message_of_reading(path), path.string() + ": cannot read: the gzip data is truncated") << size;
  }
  const std::string compressed_xz = xz("1 1 1.0\n2 2 2.0\n");
  for (std::size_t size = 6; size < compressed_xz.size(); ++size) {
    const fs::path path = directory.write("text.xz", compressed_xz.substr(0, size));
    EXPECT_EQ(message_of_reading(path), path.string() + ": cannot read: the xz data is truncated") << size;
  }
}

TEST(Decompress, ReportsCorruption) {
  const TemporaryDirectory directory;
  std::string compressed = gzip(std::string(1000, 'a'));
  compressed[compressed.size() - 6] ^= 1;  // in the checksum
  EXPECT_NE(message_of_reading(directory.write("text.gz", compressed)).find("the gzip data is corrupt"),
            std::string::npos);
  EXPECT_NE(message_of_reading(directory.write("text.gz", gzip("text") + "rubbish")).find("the gzip data is corrupt"),
            std::string::npos);
  compressed = xz(std::string(1000, 'a'));
  compressed[compressed.size() / 2] ^= 1;
  const fs::path path = directory.write("text.xz", compressed);
  EXPECT_EQ(message_of_reading(path), path.string() + ": cannot read: the xz data is corrupt");
}

TEST(Decompress, RefusesTextsThatDoNotFit) {
  const TemporaryDirectory directory;
  const fs::path bomb = directory.write("bomb.gz", gzip(std::string(64'000'000, '0')));
  ASSERT_LT(fs::file_size(bomb), 100'000u);
  Context<Host> ctx;
  ctx.memory().set_limit(16'000'000);
  EXPECT_THROW(TextFile(ctx, bomb), OutOfMemoryError);
  EXPECT_EQ(ctx.memory().bytes_in_use(), 0u);
}

/// Gmsh itself would ask whether to write the text beside the file.
TEST(Decompress, ReadsMeshesOfGmsh) {
  const TemporaryDirectory directory;
  const std::string triangle =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
      "$Elements\n1\n1 2 2 1 1 1 2 3\n$EndElements\n";
  const fs::path plain = directory.write("a.msh", triangle);
  Context<Host> ctx;
  ElementsOfNodes around;
  if (const std::string error = message_of([&] { read_mesh(ctx, plain, around); });
      error.find("this takes Gmsh") != std::string::npos) {
    GTEST_SKIP() << error;
  }
  for (const fs::path& path :
       {plain, directory.write("a.msh.gz", gzip(triangle)), directory.write("b.msh", xz(triangle))}) {
    EXPECT_EQ(read_mesh(ctx, path, around).elements(), 1) << path;
  }
  EXPECT_EQ(directory.entries(), 3U) << "nothing else is written";
  const fs::path broken = directory.write("c.msh.gz", gzip("$MeshFormat\nnothing\n"));
  EXPECT_EQ(message_of([&] { read_mesh(ctx, broken, around); }),
            broken.string() + ": Gmsh says: Error loading '" + broken.string() + "'");
}

}  // namespace
}  // namespace amgsolve
