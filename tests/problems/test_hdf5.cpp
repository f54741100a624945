#include "problems/hdf5.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "problems/vector_file.hpp"
#include "tests/problems/reading.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/temporary_directory.hpp"

#if AMGSOLVE_HAVE_HDF5
#include <hdf5.h>
#endif

namespace amgsolve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Hdf5, IsRecognisedBehindTheHeaderOfMatlab) {
  const std::string signature = "\x89HDF\r\n\x1a\n";
  EXPECT_TRUE(is_hdf5(signature + "x"));
  EXPECT_TRUE(is_hdf5(std::string(512, ' ') + signature + "x"));
  EXPECT_FALSE(is_hdf5(std::string(511, ' ') + signature + "x"));
  EXPECT_FALSE(is_hdf5(""));
}

TEST(Hdf5, IsRefusedByABuildWithoutIt) {
  if (has_hdf5()) {
    GTEST_SKIP() << "the build reads HDF5";
  }
  Context<Host> ctx;
  std::vector<std::string> warnings;
  const reference::TemporaryDirectory directory;
  EXPECT_EQ(error_of([&] { read_matrix(ctx, directory.write("A.mat", "\x89HDF\r\n\x1a\n"), warnings); }),
            "A.mat: the build is without HDF5 (Debian's libhdf5-dev), which reads this file");
}

#if AMGSOLVE_HAVE_HDF5

/// A file as MATLAB writes them, part by part.
class Writer {
 public:
  explicit Writer(const std::filesystem::path& path, hsize_t header = 512) : path_(path), header_(header) {
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(creation, header);
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    H5Pclose(creation);
  }
  ~Writer() { close(); }

  void group(const char* name, std::uint64_t rows) {
    number_attribute(H5Gcreate2(file_, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "MATLAB_sparse", rows);
  }

  /// Compressed by deflate, as MATLAB does.
  template <class V>
  void numbers(const char* name, const std::vector<V>& values, hid_t in_file, hid_t in_memory,
               std::vector<hsize_t> sizes = {}, const char* matlab_class = nullptr) {
    sizes = sizes.empty() ? std::vector<hsize_t>{values.size()} : sizes;
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, static_cast<int>(sizes.size()), sizes.data());
    H5Pset_deflate(creation, 3);
    const hid_t dataset = H5Dcreate2(file_, name, in_file, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Dwrite(dataset, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    if (matlab_class != nullptr) {
      const hid_t type = H5Tcopy(H5T_C_S1);
      H5Tset_size(type, std::strlen(matlab_class));
      const hid_t scalar = H5Screate(H5S_SCALAR);
      const hid_t attribute = H5Acreate2(dataset, "MATLAB_class", type, scalar, H5P_DEFAULT, H5P_DEFAULT);
      H5Awrite(attribute, type, matlab_class);
      H5Aclose(attribute);
      H5Sclose(scalar);
      H5Tclose(type);
    }
    H5Dclose(dataset);
    H5Pclose(creation);
    H5Sclose(space);
  }
  void reals(const char* name, const std::vector<double>& values, std::vector<hsize_t> sizes = {},
             bool is_of_matlab = true) {
    numbers(name, values, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, std::move(sizes), is_of_matlab ? "double" : nullptr);
  }
  void text(const char* name) {
    numbers(name, std::vector<std::uint16_t>{'a', 'b'}, H5T_STD_U16LE, H5T_NATIVE_UINT16, {2, 1}, "char");
  }
  void empty(const char* name) {
    numbers(name, std::vector<std::uint64_t>{0, 0}, H5T_STD_U64LE, H5T_NATIVE_UINT64, {2}, "double");
    number_attribute(H5Dopen2(file_, name, H5P_DEFAULT), "MATLAB_empty", 1);
  }
  void references(const char* name) {
    hobj_ref_t reference;
    H5Rcreate(&reference, file_, "/", H5R_OBJECT, -1);
    numbers(name, std::vector<hobj_ref_t>{reference}, H5T_STD_REF_OBJ, H5T_STD_REF_OBJ, {1, 1}, "cell");
  }
  void indices(const char* name, const std::vector<std::uint64_t>& values) {
    numbers(name, values, H5T_STD_U64LE, H5T_NATIVE_UINT64);
  }

  /// 2 × 3: [4 0 -1; 0 2.5 0].
  void matrix(const std::string& name) {
    group(name.c_str(), 2);
    indices((name + "/jc").c_str(), {0, 1, 2, 3});
    indices((name + "/ir").c_str(), {0, 1, 0});
    reals((name + "/data").c_str(), {4.0, 2.5, -1.0});
  }

  hid_t file() const { return file_; }

  std::filesystem::path close() {
    if (file_ >= 0) {
      H5Fclose(file_);
      file_ = -1;
      if (header_ > 0) {
        std::FILE* const stream = std::fopen(path_.c_str(), "r+b");
        std::fputs("MATLAB 7.3 MAT-file", stream);
        std::fclose(stream);
      }
    }
    return path_;
  }

 private:
  /// Closes the object.
  static void number_attribute(hid_t object, const char* name, std::uint64_t value) {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_UINT64, &value);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Oclose(object);
  }

  std::filesystem::path path_;
  hsize_t header_;
  hid_t file_ = -1;
};

class Matlab : public testing::Test {
 protected:
  Writer writer(const std::string& name = "A.mat", hsize_t header = 512) { return Writer(path(name), header); }
  std::filesystem::path path(const std::string& name) const { return directory_.path() / name; }

  CsrMatrix<double, Host> matrix(const std::string& name = "A.mat") { return read_matrix(ctx_, path(name), warnings_); }
  MultiVector<double, Host> vectors(std::optional<Index> rows = {}) {
    return read_vectors<double>(ctx_, path("A.mat"), &warnings_, rows);
  }
  std::string matrix_error() {
    return error_of([&] { matrix(); });
  }
  std::string vector_error(std::optional<Index> rows = {}) {
    return error_of([&] { vectors(rows); });
  }
  CsrMatrix<double, Host> expected() {
    return reference::matrix_from_entries<double>(ctx_, 2, 3, {{0, 0, 4.0}, {0, 2, -1.0}, {1, 1, 2.5}});
  }

  reference::TemporaryDirectory directory_;
  Context<Host> ctx_;
  std::vector<std::string> warnings_;
};

TEST_F(Matlab, SparseMatricesAreRead) {
  for (const hsize_t header : {hsize_t{512}, hsize_t{0}}) {
    writer("A.mat", header).matrix("K");
    EXPECT_TRUE(reference::identical(matrix(), expected())) << header;
    const MatrixSize size = MatrixFile(ctx_, path("A.mat")).size();
    EXPECT_EQ(size.rows, 2);
    EXPECT_EQ(size.nnz, 3);
  }
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(Matlab, TheMatrixCalledAIsReadOfSeveral) {
  {
    Writer file = writer();
    file.group("P", 1);
    file.matrix("A");
    file.reals("b", {1, 2}, {1, 2});
  }
  EXPECT_TRUE(reference::identical(matrix(), expected()));
  EXPECT_EQ(vectors(2).rows(), 2);
  EXPECT_FALSE(holds_vectors(TextFile(ctx_, path("A.mat"))));
}

TEST_F(Matlab, LogicalMatricesAndUnsortedOnesAreRead) {
  {
    Writer file = writer();
    file.group("A", 2);
    file.indices("A/jc", {0, 2, 3});
    file.indices("A/ir", {1, 0, 1});
    file.numbers("A/data", std::vector<std::uint8_t>{1, 1, 1}, H5T_STD_U8LE, H5T_NATIVE_UINT8);
  }
  EXPECT_TRUE(reference::identical(
      matrix(), reference::matrix_from_entries<double>(ctx_, 2, 2, {{0, 0, 1.0}, {1, 0, 1.0}, {1, 1, 1.0}})));
}

TEST_F(Matlab, DenseArraysAreVectorsAColumn) {
  writer().reals("x", {1, 2, 3, 4, 5, 6}, {2, 3});  // 3 × 2, column by column
  MultiVector<double, Host> x = vectors(3);
  EXPECT_EQ(x.columns(), 2);
  EXPECT_THAT(std::vector<double>(x.data(), x.data() + 6), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_TRUE(holds_vectors(TextFile(ctx_, path("A.mat"))));

  writer("A.mat", 0).reals("x", {1, 2, 3, 4, 5, 6}, {2, 3}, false);  // of another program: 2 × 3
  x = vectors();
  EXPECT_EQ(x.columns(), 3);
  EXPECT_THAT(std::vector<double>(x.data(), x.data() + 6), ElementsAre(1, 2, 3, 4, 5, 6));

  writer().numbers("x", std::vector<std::int32_t>{7, -8}, H5T_STD_I32BE, H5T_NATIVE_INT32);
  x = vectors();
  EXPECT_THAT(std::vector<double>(x.data(), x.data() + 2), ElementsAre(7, -8));
}

TEST_F(Matlab, WhatIsNoNumbersIsPassedOver) {
  {
    Writer file = writer();
    file.text("a");
    file.references("cell");
    file.empty("empty");
    file.reals("x", {1, 2}, {1, 2});
    file.text("z");
  }
  const MultiVector<double, Host> x = vectors();
  EXPECT_THAT(std::vector<double>(x.data(), x.data() + 2), ElementsAre(1, 2));
  {
    Writer file = writer();
    file.text("a");
    file.empty("b");
    file.references("c");
  }
  EXPECT_EQ(vector_error(), "A.mat: the file holds no dense array");
}

TEST_F(Matlab, MistakesInMatricesAreNamed) {
  writer().reals("b", {1, 2});
  EXPECT_EQ(matrix_error(), "A.mat: the file holds no sparse matrix of MATLAB's");
  {
    Writer file = writer();
    file.matrix("K");
    file.matrix("M");
  }
  EXPECT_EQ(matrix_error(), "A.mat: the file holds several: K, M; save one alone, or call one 'A'");

  struct Case {
    std::uint64_t rows;
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint64_t> indices;
    std::vector<double> values;
    const char* message;
  };
  const std::vector<Case> cases{
      {2,
       {0, 1, 2, 3},
       {0, 1, 2},
       {4, 2.5, -1},
       "A.mat: A (by columns, transposed): row 3, counted from 1, has an entry"},
      {2, {0, 1, 2, 3}, {0, 1, std::uint64_t{1} << 40}, {4, 2.5, -1}, "has an entry in a column outside"},
      {2, {0, 2, 1, 3}, {0, 1, 0}, {4, 2.5, -1}, "the row offset of row 2, counted from 1, is past that of the next"},
      {2, {1, 2, 3}, {0, 1, 0}, {4, 2.5, -1}, "the row offsets go from 1 to 3"},
      {2, {0, 1, 2, 3}, {0, 1}, {4, 2.5, -1}, "A.mat: A: 'jc' has 4 numbers, 'ir' 2 and 'data' 3"},
      {2000000, {0, 1, 2, 3}, {0, 1, 0}, {4, 2.5, -1}, "A.mat: A: 2000000 rows, but only 3 nonzeros: of more than"},
      {std::uint64_t{1} << 33, {0, 1}, {0}, {4}, "8589934592"},
  };
  for (const auto& [rows, offsets, indices, values, message] : cases) {
    {
      Writer file = writer();
      file.group("A", rows);
      file.indices("A/jc", offsets);
      file.indices("A/ir", indices);
      file.reals("A/data", values);
    }
    EXPECT_THAT(message_of([&] { matrix(); }), HasSubstr(message));
  }
  {
    Writer file = writer();
    file.group("A", 1);
    file.reals("A/data", {1});
  }
  EXPECT_EQ(matrix_error(), "jc: HDF5 cannot open the data set");
}

TEST_F(Matlab, MistakesInVectorsAreNamed) {
  writer().matrix("A");
  EXPECT_EQ(vector_error(), "A.mat: the file holds no dense array");
  writer().reals("x", {1, 2, 3}, {1, 3});
  EXPECT_EQ(vector_error(2), "A.mat: x: vectors of 3 rows for a matrix of 2 rows");
  writer().reals("x", {1, std::numeric_limits<double>::quiet_NaN()}, {1, 2});
  EXPECT_EQ(vector_error(), "A.mat: x: row 2, counted from 1, has a value that is NaN, infinite or too large");
  writer().reals("x", std::vector<double>(8), {2, 2, 2});
  EXPECT_EQ(vector_error(), "A.mat: x: an array of 3 dimensions; vectors have 1 or 2");
  {
    Writer file = writer();
    const hid_t complex = H5Tcreate(H5T_COMPOUND, 16);
    H5Tinsert(complex, "real", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(complex, "imag", 8, H5T_NATIVE_DOUBLE);
    file.numbers("x", std::vector<double>{1, 2}, complex, complex, {1});
    H5Tclose(complex);
  }
  EXPECT_EQ(vector_error(), "A.mat: x: the numbers are complex, or of several parts; they must be real");
}

TEST_F(Matlab, SizesThatLieAreRefusedBeforeThereIsMemoryForThem) {
  {
    Writer file = writer();
    const hsize_t size = hsize_t{1} << 40;
    const hsize_t chunk = 1024;
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &chunk);
    H5Dclose(H5Dcreate2(file.file(), "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Pclose(creation);
    H5Sclose(space);
  }
  EXPECT_EQ(vector_error(), "A.mat: x: the data set has 1.09951e+12 numbers by its sizes, which are not all stored");
}

TEST_F(Matlab, OtherFilesAreNotRead) {
  writer("B.h5", 0).reals("x", {1, 2});
  {
    Writer file = writer();
    H5Lcreate_external(path("B.h5").c_str(), "/x", file.file(), "b", H5P_DEFAULT, H5P_DEFAULT);
  }
  EXPECT_EQ(vector_error(), "A.mat: the file holds no dense array");
  {
    Writer file = writer();
    const hsize_t size = 2;
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(creation, path("B.h5").c_str(), 0, 16);
    H5Dclose(H5Dcreate2(file.file(), "b", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Pclose(creation);
    H5Sclose(space);
  }
  EXPECT_EQ(vector_error(), "A.mat: b: the data lie in another file, which is not read");
}

TEST_F(Matlab, DamagedFilesAreRefused) {
  writer().matrix("A");
  const std::string bytes = reference::bytes_of_file(path("A.mat"));
  for (const std::size_t size : {std::size_t{600}, bytes.size() / 2, bytes.size() - 1}) {
    directory_.write("A.mat", bytes.substr(0, size));
    EXPECT_NE(matrix_error(), "no error") << size;
  }
  // Any byte may be wrong.
  int refused = 0;
  for (std::size_t at = 512; at < bytes.size(); at += 43) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (at % 2 == 0 ? 0xFF : 0x04));
    directory_.write("A.mat", damaged);
    try {
      matrix();
    } catch (const InputError&) {
      ++refused;
    } catch (const OutOfMemoryError&) {
      ++refused;
    }
  }
  EXPECT_GE(refused, 5);
}

#endif

}  // namespace
}  // namespace amgsolve
