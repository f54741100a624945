#include "problems/npz.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "problems/zip_archive.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The files of the fuzzers' corpus, which SciPy has written, or NumPy where something is wrong in them.
const std::string folder = AMGSOLVE_SOURCE_DIR "/tests/fuzz/corpus/binary_files/";

class Npz : public testing::Test {
 protected:
  void SetUp() override {
    if (!ZipArchive::is_available()) {
      GTEST_SKIP() << "built without libzip";
    }
  }
  CsrMatrix<double, Host> matrix(const std::string& name) {
    return read_matrix(ctx_, folder + name + ".npz", warnings_);
  }
  /// The message without the folder.
  std::string error_of(const std::string& name) {
    try {
      matrix(name);
    } catch (const InputError& error) {
      const std::string message = error.what();
      return message.starts_with(folder) ? message.substr(folder.size()) : message;
    }
    return "no error";
  }
  CsrMatrix<double, Host> expected(const std::vector<double>& values) {
    return reference::matrix_from_entries<double>(ctx_, 2, 3,
                                                  {{0, 0, values[0]}, {0, 2, values[1]}, {1, 1, values[2]}});
  }

  Context<Host> ctx_;
  std::vector<std::string> warnings_;
};

TEST_F(Npz, IsReadInAllFormatsOfSciPysAndAnyType) {
  for (const char* name : {"npz_csr", "npz_csr_stored", "npz_csc", "npz_wide_indices", "npz_unicode_format"}) {
    EXPECT_TRUE(reference::identical(matrix(name), expected({4.0, -1.0, 2.5}))) << name;
  }
  EXPECT_TRUE(reference::identical(matrix("npz_integers"), expected({4.0, -1.0, 2.0})));
  EXPECT_TRUE(reference::identical(matrix("npz_unsigned"), expected({4.0, 1.0, 2.0}))) << "of 16 bits";
  EXPECT_TRUE(reference::identical(matrix("npz_pattern"), expected({1.0, 1.0, 1.0})));
  EXPECT_TRUE(reference::identical(matrix("npz_csr_room_behind"), expected({4.0, -1.0, 2.5}))) << "of 5 values 3 count";
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(Npz, TripletsThatOccurTwiceAreSummed) {
  EXPECT_TRUE(reference::identical(matrix("npz_coo"), expected({4.0, -1.0, 2.5})));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("npz_coo.npz: 1 duplicate of entries before them, which were summed")));
}

TEST_F(Npz, TellsItsSizeBeforeItsValuesAreRead) {
  const MatrixSize size = MatrixFile(ctx_, folder + "npz_csr.npz").size();
  EXPECT_EQ(size.rows, 2);
  EXPECT_EQ(size.nnz, 3);
}

TEST_F(Npz, MistakesAreNamed) {
  EXPECT_EQ(error_of("npz_bsr"),
            "npz_bsr.npz: a matrix in SciPy's format 'bsr'; csr, csc and coo are read: save A.tocsr()");
  EXPECT_EQ(error_of("npz_complex"),
            "npz_complex.npz: data: values of type '<c16'; they must be real, and if not of one byte, little-endian: "
            "float64, float32, int64 to int8, uint64 to uint8 or bool");
  EXPECT_EQ(error_of("npz_integer_no_double"),
            "npz_integer_no_double.npz: data: number 2, counted from 1, is an integer that no number in double is "
            "equal to");
  EXPECT_EQ(error_of("npz_of_arrays"),
            "npz_of_arrays.npz: the archive has no sparse matrix, whose 'format' and 'shape' scipy.sparse.save_npz() "
            "writes");
  for (const std::string name : {"npz_column_outside", "npz_column_past_32_bits"}) {
    EXPECT_EQ(error_of(name), name + ".npz: row 1, counted from 1, has an entry in a column outside the 3 there are");
  }
  EXPECT_EQ(error_of("npz_coo_outside"), "npz_coo_outside.npz: entry 1 is at (2, 2), outside a 2 x 3 matrix");
  EXPECT_EQ(error_of("npz_offsets_descend"),
            "npz_offsets_descend.npz: the row offset of row 2, counted from 1, is past that of the next");
  EXPECT_EQ(error_of("npz_short_offsets"),
            "npz_short_offsets.npz: indptr: 2 numbers for 3 offsets of rows and their end");
  EXPECT_EQ(error_of("npz_no_indices"), "npz_no_indices.npz: there is no 'indices.npy' in the archive");
  EXPECT_EQ(error_of("npz_short_indices"), "npz_short_indices.npz: indices: 2 numbers for 3 values");
  EXPECT_EQ(error_of("npz_float_indices"),
            "npz_float_indices.npz: indices: numbers of type '<f8'; they must be little-endian int32 or int64");
  EXPECT_EQ(error_of("npz_negative_shape"), "npz_negative_shape.npz: -2 rows of a matrix of SciPy's");
  EXPECT_EQ(error_of("npz_rows_past_32_bits"),
            "npz_rows_past_32_bits.npz: 1099511627776 rows; a process takes 0 to 2147483647");
  EXPECT_EQ(error_of("npz_three_dimensions"),
            "npz_three_dimensions.npz: shape: 3 numbers for 2 dimensions of a matrix");
  EXPECT_THAT(error_of("npz_truncated"), HasSubstr("npz_truncated.npz: cannot read: the zip archive is corrupt ("));
  EXPECT_THAT(error_of("npz_wrong_crc"),
              HasSubstr("npz_wrong_crc.npz: cannot read: 'data.npy' in the zip archive is corrupt ("));
}

/// Sizes that lie want no memory.
TEST_F(Npz, MoreRowsThanOffsetsAreRefused) {
  EXPECT_EQ(error_of("npz_huge_shape"),
            "npz_huge_shape.npz: indptr: 3 numbers for 2147483648 offsets of rows and their end");
  EXPECT_EQ(error_of("npz_coo_huge_shape"),
            "npz_coo_huge_shape.npz: 2147483647 rows, but only 3 nonzeros: of more than 1000000 rows, not so many may "
            "be empty");
  EXPECT_LE(ctx_.memory().peak_bytes(), std::size_t{1} << 20);
}

/// The memory that a matrix will take is forecast from its size.
TEST_F(Npz, ItsSizeIsNoLie) {
  const auto error_of_size = [&](const std::string& name) -> std::string {
    try {
      static_cast<void>(MatrixFile(ctx_, folder + name + ".npz").size());
    } catch (const InputError& error) {
      return std::string(error.what()).substr(folder.size());
    }
    return "no error";
  };
  EXPECT_EQ(error_of_size("npz_huge_shape"),
            "npz_huge_shape.npz: indptr: 3 numbers for 2147483648 offsets of rows and their end");
  EXPECT_EQ(error_of_size("npz_coo_huge_shape"),
            "npz_coo_huge_shape.npz: 2147483647 rows, but only 3 nonzeros: of more than 1000000 rows, not so many may "
            "be empty");
  EXPECT_EQ(error_of_size("npz_values_that_lie"),
            "npz_values_that_lie.npz: data: 1125899906842624 numbers by its header, which the archive does not hold");
  for (const char* name : {"npz_csr", "npz_csr_stored", "npz_csc", "npz_coo", "npz_wide_indices"}) {
    EXPECT_EQ(error_of_size(name), "no error") << name;
  }
}

TEST_F(Npz, WhateverAByteTurnsIntoIsRefusedOrAMatrix) {
  const reference::TemporaryDirectory directory;
  const std::string bytes = reference::bytes_of_file(folder + "npz_csr_stored.npz");
  for (std::size_t k = 4; k < bytes.size(); ++k) {
    std::string changed = bytes;
    changed[k] = static_cast<char>(changed[k] ^ 0x81);
    try {
      read_matrix(ctx_, directory.write("A.npz", changed), warnings_);
    } catch (const InputError&) {
    }
  }
  for (std::size_t size = 4; size < bytes.size(); size += 7) {
    EXPECT_THROW(read_matrix(ctx_, directory.write("A.npz", bytes.substr(0, size)), warnings_), InputError) << size;
  }
}

TEST(NpzWithoutLibzip, NamesTheLibrary) {
  if (ZipArchive::is_available()) {
    GTEST_SKIP() << "built with libzip";
  }
  Context<Host> ctx;
  std::vector<std::string> warnings;
  try {
    read_matrix(ctx, folder + "npz_csr.npz", warnings);
    FAIL() << "read without libzip";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), folder +
                                "npz_csr.npz: cannot read: it is a zip archive, as .npz files are, and this amgsolve "
                                "was built without libzip");
  }
}

}  // namespace
}  // namespace amgsolve
