#include "problems/amg_file.hpp"
#include "problems/solution_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "problems/vector_file.hpp"
#include "spmv/statistics.hpp"
#include "tests/problems/reading.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

template <class V>
std::string little_endian(std::initializer_list<V> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(V)};
}

std::string padded(std::string bytes) {
  bytes.resize((bytes.size() + 63) / 64 * 64);
  return bytes;
}

constexpr std::size_t magic_bytes = 8;
constexpr std::size_t checksum_at = 56;

/// With the checksum that docs/formats.md tells, word by word.
std::string sealed(std::string bytes) {
  std::memset(bytes.data() + checksum_at, 0, sizeof(std::uint64_t));
  std::uint64_t sum = 0;
  for (std::uint64_t k = 0; k < bytes.size() / 8; ++k) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + 8 * k, sizeof(word));
    sum += hash64(word + k * 0x9E3779B97F4A7C15U);
  }
  return bytes.replace(checksum_at, 8, little_endian<std::uint64_t>({sum}));
}

struct Sizes {
  std::uint32_t version = 1;
  std::uint32_t kind = 1;
  std::int64_t rows = 2;
  std::int64_t columns = 3;
  std::int64_t entries = 3;
  std::uint32_t offset_bytes = 4;
  std::uint32_t value_bytes = 8;
};

/// A file as docs/formats.md describes it: the header, and the arrays one after the other.
std::string file_of(const Sizes& sizes, const std::vector<std::string>& arrays) {
  std::string bytes;
  for (const std::string& array : arrays) {
    bytes += padded(array);
  }
  const std::string header =
      "\x89"
      "AMG\r\n\x1a\n" +
      little_endian<std::uint32_t>({sizes.version, sizes.kind}) +
      little_endian<std::int64_t>({sizes.rows, sizes.columns, sizes.entries}) +
      little_endian<std::uint32_t>({sizes.offset_bytes, sizes.value_bytes}) +
      little_endian<std::uint64_t>({64 + bytes.size(), 0});
  return sealed(header + bytes);
}

// 2 x 3: [4 0 -1; 0 2.5 0]
const std::string columns = little_endian<std::int32_t>({0, 2, 1});
const std::string values = little_endian<double>({4, -1, 2.5});
const std::string matrix_file = file_of({}, {little_endian<std::int32_t>({0, 2, 3}), columns, values});
const std::string wide_matrix_file =
    file_of({.offset_bytes = 8, .value_bytes = 4},
            {little_endian<std::int64_t>({0, 2, 3}), columns, little_endian<float>({4, -1, 2.5F})});
// Rows (7, -8), (0.5, 3).
const Sizes vectors_sizes{.kind = 2, .rows = 2, .columns = 2, .entries = 4, .offset_bytes = 0};
const std::string vectors_file = file_of(vectors_sizes, {little_endian<double>({7, -8, 0.5, 3})});

class AmgFile : public testing::Test {
 protected:
  CsrMatrix<double, Host> matrix(const std::string& bytes) {
    return read_matrix(ctx_, directory_.write("A.amg", bytes), warnings_);
  }
  MultiVector<double, Host> vectors(const std::string& bytes) {
    return read_vectors<double>(ctx_, directory_.write("b.amg", bytes), nullptr, rows_);
  }
  std::string matrix_error(const std::string& bytes) {
    return error_of([&] { matrix(bytes); });
  }
  std::string vectors_error(const std::string& bytes) {
    return error_of([&] { vectors(bytes); });
  }

  reference::TemporaryDirectory directory_;
  Context<Host> ctx_;
  std::vector<std::string> warnings_;
  std::optional<Index> rows_;
};

TEST_F(AmgFile, HoldsAMatrixWithOffsetsAndValuesOfEitherSize) {
  for (const std::string& bytes : {matrix_file, wide_matrix_file}) {
    const CsrMatrix<double, Host> A = matrix(bytes);
    EXPECT_EQ(A.rows, 2);
    EXPECT_EQ(A.cols, 3);
    EXPECT_THAT(std::vector<Offset>(A.row_offsets.data(), A.row_offsets.data() + 3), ElementsAre(0, 2, 3));
    EXPECT_THAT(std::vector<Index>(A.col_indices.data(), A.col_indices.data() + 3), ElementsAre(0, 2, 1));
    EXPECT_THAT(std::vector<double>(A.values.data(), A.values.data() + 3), ElementsAre(4.0, -1.0, 2.5));
    EXPECT_THAT(warnings_, IsEmpty());
    const MatrixSize size = MatrixFile(ctx_, directory_.path() / "A.amg").size();
    EXPECT_EQ(size.rows, 2);
    EXPECT_EQ(size.nnz, 3);
  }
}

TEST_F(AmgFile, HoldsVectors) {
  const std::string in_float =
      file_of({.kind = 2, .rows = 2, .columns = 2, .entries = 4, .offset_bytes = 0, .value_bytes = 4},
              {little_endian<float>({7, -8, 0.5F, 3})});
  for (const std::string& bytes : {vectors_file, in_float}) {
    const MultiVector<double, Host> b = vectors(bytes);
    ASSERT_EQ(b.rows(), 2);
    ASSERT_EQ(b.columns(), 2);
    EXPECT_THAT(std::vector<double>(b.data(), b.data() + 4), ElementsAre(7.0, -8.0, 0.5, 3.0));
  }
}

TEST_F(AmgFile, IsWrittenAsItIsDescribed) {
  const std::filesystem::path path = directory_.path() / "x.amg";
  write_amg_file(ctx_, path, matrix(matrix_file));
  EXPECT_EQ(reference::bytes_of_file(path), matrix_file);
  write_solution<double>(ctx_, path, vectors(vectors_file).view());
  EXPECT_EQ(reference::bytes_of_file(path), vectors_file);
}

/// By the program in docs/formats.md, which is kept to these bytes by its own test.
TEST_F(AmgFile, IsReadAsOthersWriteIt) {
  const std::string bytes = reference::bytes_of_file(AMGSOLVE_SOURCE_DIR "/tests/fuzz/corpus/binary_files/amg_matrix");
  const CsrMatrix<double, Host> A = matrix(bytes);
  EXPECT_THAT(std::vector<double>(A.values.data(), A.values.data() + A.nnz()), ElementsAre(2, -1, -1, 2, -1, -1, 2));
  write_amg_file(ctx_, directory_.path() / "B.amg", A);
  EXPECT_EQ(reference::bytes_of_file(directory_.path() / "B.amg"), bytes);
}

/// For any number of threads, whose checksums are the same.
TEST_F(AmgFile, GivesBackWhatWasWritten) {
  const CsrMatrix<double, Host> A = reference::random_matrix<double>(ctx_, 9001, 7000, 500, 3);
  const std::filesystem::path path = directory_.path() / "A.amg";
  std::string bytes;
  for (const int threads : {1, 2, 5}) {
    Context<Host> ctx(threads);
    write_amg_file(ctx, path, A);
    const std::string written = reference::bytes_of_file(path);
    EXPECT_TRUE(bytes.empty() || bytes == written);
    bytes = written;
    EXPECT_TRUE(reference::identical(A, read_matrix(ctx, path, warnings_)));
  }
  EXPECT_EQ(bytes, sealed(bytes));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(AmgFile, MayBeEmpty) {
  const CsrMatrix<double, Host> A =
      matrix(file_of({.rows = 0, .columns = 0, .entries = 0}, {little_endian<std::int32_t>({0})}));
  EXPECT_EQ(A.rows, 0);
  EXPECT_EQ(A.nnz(), 0);
}

/// The file's own pages take no memory; a copy of the text would take as much as the matrix.
TEST_F(AmgFile, IsMapped) {
  const std::filesystem::path path = directory_.path() / "A.amg";
  const CsrMatrix<double, Host> A = reference::random_matrix<double>(ctx_, 100000, 100000, 50, 3);
  write_amg_file(ctx_, path, A);
  Context<Host> ctx;
  read_matrix(ctx, path, warnings_);
  EXPECT_LT(ctx.memory().peak_bytes(), A.bytes() * 3 / 2);
}

TEST_F(AmgFile, RowsAreSortedAndDuplicatesSummed) {
  const CsrMatrix<double, Host> A = matrix(
      file_of({.rows = 1}, {little_endian<std::int32_t>({0, 3}), little_endian<std::int32_t>({2, 0, 2}), values}));
  EXPECT_THAT(std::vector<Index>(A.col_indices.data(), A.col_indices.data() + A.nnz()), ElementsAre(0, 2));
  EXPECT_THAT(std::vector<double>(A.values.data(), A.values.data() + A.nnz()), ElementsAre(-1.0, 6.5));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("A.amg: 1 duplicate of entries before them, which were summed")));
}

TEST_F(AmgFile, MistakesAreNamed) {
  const std::string offsets = little_endian<std::int32_t>({0, 2, 3});
  const auto matrix_with = [&](const Sizes& sizes) { return file_of(sizes, {offsets, columns, values}); };
  EXPECT_EQ(matrix_error(matrix_with({.version = 2})),
            "A.amg: version 2 of amgsolve's files; this amgsolve reads version 1");
  EXPECT_EQ(matrix_error(matrix_with({.kind = 3})),
            "A.amg: its header says kind 3; 1, a matrix, and 2, vectors, are known");
  EXPECT_EQ(matrix_error(matrix_with({.rows = -1})), "A.amg: its header says -1 rows; 0 to 2147483647 are possible");
  EXPECT_EQ(matrix_error(matrix_with({.columns = std::int64_t{1} << 31})),
            "A.amg: its header says 2147483648 columns; 0 to 2147483647 are possible");
  EXPECT_EQ(matrix_error(matrix_with({.entries = std::numeric_limits<std::int64_t>::max()})),
            "A.amg: its header says 9223372036854775807 entries; 0 to 72057594037927936 are possible");
  const Sizes many_rows{.kind = 2, .rows = std::int64_t{1} << 31, .columns = 0, .entries = 0, .offset_bytes = 0};
  EXPECT_EQ(vectors_error(file_of(many_rows, {})),
            "b.amg: its header says 2147483648 rows; 0 to 2147483647 are possible");
  const Sizes too_many{.kind = 2, .rows = std::int64_t{1} << 40, .columns = 1 << 30, .entries = 0, .offset_bytes = 0};
  EXPECT_EQ(vectors_error(file_of(too_many, {})), "b.amg: its header says 0 entries of 1099511627776 x 1073741824");
  EXPECT_EQ(matrix_error(matrix_with({.offset_bytes = 2})), "A.amg: its header says row offsets of 2 bytes");
  EXPECT_EQ(matrix_error(matrix_with({.value_bytes = 16})),
            "A.amg: its header says values of 16 bytes; 4 or 8 are possible");
  EXPECT_EQ(matrix_error(matrix_with({.rows = 2147483647})),
            "A.amg: the file has 256 bytes, and its header says 8589934784");
  EXPECT_EQ(matrix_error(file_of({}, {little_endian<std::int32_t>({1, 2, 3}), columns, values})),
            "A.amg: the row offsets go from 1 to 3, and there are 3 entries");
  EXPECT_EQ(matrix_error(file_of({}, {little_endian<std::int32_t>({0, 2, 4}), columns, values})),
            "A.amg: the row offsets go from 0 to 4, and there are 3 entries");
  EXPECT_EQ(matrix_error(file_of({}, {little_endian<std::int32_t>({0, 4, 3}), columns, values})),
            "A.amg: the row offset of row 2, counted from 1, is past that of the next");
  EXPECT_EQ(matrix_error(file_of({}, {offsets, little_endian<std::int32_t>({0, 3, 1}), values})),
            "A.amg: row 1, counted from 1, has an entry in a column outside the 3 there are");
  EXPECT_EQ(matrix_error(vectors_file), "A.amg: the file holds vectors; a matrix is wanted");
  EXPECT_EQ(vectors_error(matrix_file), "b.amg: the file holds a matrix; vectors are wanted");
  EXPECT_EQ(vectors_error(file_of({.kind = 2, .rows = 2, .columns = 2, .entries = 4}, {values})),
            "b.amg: its header says row offsets of 4 bytes");
  EXPECT_EQ(vectors_error(file_of({.kind = 2, .rows = 2, .columns = 2, .entries = 3, .offset_bytes = 0}, {values})),
            "b.amg: its header says 3 entries of 2 x 2");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(vectors_error(file_of(vectors_sizes, {little_endian<double>({7, -8, infinity, 3})})),
            "b.amg: row 2, counted from 1, has a value that is NaN, infinite or too large");
  rows_ = 3;
  EXPECT_EQ(vectors_error(vectors_file), "b.amg: vectors of 2 rows for a matrix of 3 rows");
}

TEST_F(AmgFile, FilesThatEndEarlyOrLateAreRefused) {
  for (std::size_t size = 8; size < matrix_file.size(); ++size) {
    EXPECT_THAT(
        matrix_error(matrix_file.substr(0, size)),
        testing::AnyOf(HasSubstr("the file ends in its header, after"), HasSubstr("bytes, and its header says 256")))
        << size;
  }
  EXPECT_EQ(matrix_error(matrix_file + '\0'), "A.amg: the file has 257 bytes, and its header says 256");
}

TEST_F(AmgFile, NoByteMayChange) {
  for (const std::string& bytes : {matrix_file, wide_matrix_file}) {
    for (std::size_t k = magic_bytes; k < bytes.size(); ++k) {
      for (const int flip : {1, 0x80, 0xff}) {
        std::string changed = bytes;
        changed[k] = static_cast<char>(changed[k] ^ flip);
        EXPECT_NE(matrix_error(changed), "no error") << k;
      }
    }
  }
  std::string changed = matrix_file;
  changed[200] = 1;
  EXPECT_THAT(matrix_error(changed), HasSubstr("A.amg: the file is damaged: its bytes have the checksum "));
  EXPECT_LE(ctx_.memory().peak_bytes(), std::size_t{1} << 20);
}

/// A byte that was changed for another together with the checksum is refused or makes a well-formed matrix.
TEST_F(AmgFile, WhateverIsSealedIsRefusedOrAWellFormedMatrix) {
  int taken = 0;
  for (std::size_t k = magic_bytes; k < matrix_file.size(); ++k) {
    for (const int flip : {1, 2, 0x80, 0xff}) {
      std::string changed = matrix_file;
      changed[k] = static_cast<char>(changed[k] ^ flip);
      CsrMatrix<double, Host> A;
      if (error_of([&] { A = matrix(sealed(changed)); }) == "no error") {
        EXPECT_NO_THROW(check_structure(ctx_, A)) << k;
        ++taken;
      }
    }
  }
  EXPECT_GT(taken, 0);
}

}  // namespace
}  // namespace amgsolve
