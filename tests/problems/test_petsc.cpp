#include "problems/petsc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "problems/vector_file.hpp"
#include "spmv/statistics.hpp"
#include "tests/problems/reading.hpp"
#include "tests/reference/petsc_file.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

template <class I>
using File = reference::PetscFile<I>;
using Plain = File<std::int32_t>;

class Petsc : public testing::Test {
 protected:
  CsrMatrix<double, Host> matrix(const std::string& bytes) {
    return read_matrix(ctx_, directory_.write("A.petsc", bytes), warnings_);
  }
  MultiVector<double, Host> vector(const std::string& bytes) {
    return read_vectors<double>(ctx_, directory_.write("b.petsc", bytes), nullptr, rows_);
  }
  std::string matrix_error(const std::string& bytes) {
    return error_of([&] { matrix(bytes); });
  }
  std::string vector_error(const std::string& bytes) {
    return error_of([&] { vector(bytes); });
  }

  static std::vector<double> values_of(const CsrMatrix<double, Host>& A) {
    return {A.values.data(), A.values.data() + A.nnz()};
  }
  static std::vector<Index> columns_of(const CsrMatrix<double, Host>& A) {
    return {A.col_indices.data(), A.col_indices.data() + A.nnz()};
  }
  static std::vector<Offset> offsets_of(const CsrMatrix<double, Host>& A) {
    return {A.row_offsets.data(), A.row_offsets.data() + A.rows + 1};
  }

  reference::TemporaryDirectory directory_;
  Context<Host> ctx_;
  std::vector<std::string> warnings_;
  std::optional<Index> rows_;
};

template <class Kind>
class PetscKinds : public Petsc {};

using Kinds = testing::Types<File<std::int32_t>, File<std::int64_t>>;
TYPED_TEST_SUITE(PetscKinds, Kinds);

TYPED_TEST(PetscKinds, MatricesAndVectorsAreReadOneAfterTheOther) {
  for (const std::string& bytes : {TypeParam().matrix().bytes(), TypeParam().matrix().vector().bytes(),
                                   TypeParam().vector().vector().matrix().bytes()}) {
    const CsrMatrix<double, Host> A = this->matrix(bytes);
    EXPECT_EQ(A.rows, 2);
    EXPECT_EQ(A.cols, 3);
    EXPECT_THAT(this->offsets_of(A), ElementsAre(0, 2, 3));
    EXPECT_THAT(this->columns_of(A), ElementsAre(0, 2, 1));
    EXPECT_THAT(this->values_of(A), ElementsAre(4.0, -1.0, 2.5));
    EXPECT_THAT(this->warnings_, IsEmpty());
  }
  for (const std::string& bytes : {TypeParam().vector().bytes(), TypeParam().matrix().vector().bytes()}) {
    const MultiVector<double, Host> b = this->vector(bytes);
    ASSERT_EQ(b.rows(), 2);
    EXPECT_EQ(b.columns(), 1);
    EXPECT_EQ(b.data()[0], 7.0);
    EXPECT_EQ(b.data()[1], -8.0);
  }
}

/// What says that there is no more to read than there is.
TYPED_TEST(PetscKinds, FilesThatEndEarlyAreRefused) {
  const std::string bytes = TypeParam().matrix().bytes();
  for (std::size_t size = 8; size < bytes.size(); ++size) {
    EXPECT_THAT(this->matrix_error(bytes.substr(0, size)), HasSubstr("the file ends in")) << size;
  }
}

/// Complex values are as many pairs; what goes on with another object goes on.
TYPED_TEST(PetscKinds, BytesThatNoObjectHasAreRefused) {
  const std::string why = " are no object of PETSc's; files of a PETSc with complex numbers are not read";
  EXPECT_EQ(this->matrix_error(TypeParam().matrix().values({0, 0, 0}).vector().bytes()),
            "A.petsc: " + std::to_string(24 + TypeParam().vector().bytes().size()) +
                " bytes behind the values of the matrix" + why);
  EXPECT_EQ(this->vector_error(TypeParam().vector().values({7, 0}).bytes()),
            "b.petsc: 16 bytes behind the values of the vector" + why);
  EXPECT_EQ(this->vector_error(TypeParam().matrix().vector().bytes() + "x"),
            "b.petsc: 1 byte behind the values of the vector" + why);
  EXPECT_EQ(this->matrix_error(TypeParam().matrix().integers({1211218, 0}).bytes()), "no error") << "an index set";
}

TEST_F(Petsc, RowsAreSortedAndDuplicatesSummed) {
  const CsrMatrix<double, Host> A = matrix(
      Plain().integers({1211216, 2, 2, 5}).integers({3, 2}).integers({1, 0, 1, 0, 1}).values({1, 2, 3, 4, 5}).bytes());
  EXPECT_THAT(offsets_of(A), ElementsAre(0, 2, 4));
  EXPECT_THAT(columns_of(A), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(values_of(A), ElementsAre(2.0, 4.0, 4.0, 5.0));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("A.petsc: 1 duplicate of entries before them, which were summed")));
}

TEST_F(Petsc, MistakesAreNamed) {
  EXPECT_EQ(matrix_error(Plain().vector().bytes()), "A.petsc: there is a vector of PETSc, and no matrix behind it");
  EXPECT_EQ(matrix_error(Plain().integers({1211216, 2, 2, -1}).values({1, 2, 3, 4}).bytes()),
            "A.petsc: the matrix is stored densely; write it as a sparse one (MATAIJ)");
  EXPECT_EQ(matrix_error(Plain().integers({1211216, -2, 2, 1}).bytes()), "A.petsc: -2 rows");
  EXPECT_EQ(
      matrix_error(Plain().integers({1211216, 2, 2, 2}).integers({3, -1}).integers({0, 1}).values({1, 2}).bytes()),
      "A.petsc: row 1, counted from 1, has 3 entries of the 2 there are");
  EXPECT_EQ(
      matrix_error(Plain().integers({1211216, 2, 2, 2}).integers({1, -1}).integers({0, 1}).values({1, 2}).bytes()),
      "A.petsc: row 2, counted from 1, has -1 entries of the 2 there are");
  EXPECT_EQ(matrix_error(Plain().integers({1211216, 2, 2, 2}).integers({1, 0}).integers({0, 1}).values({1, 2}).bytes()),
            "A.petsc: the rows have 1 of the 2 entries there are");
  EXPECT_EQ(matrix_error(Plain().integers({1211216, 2, 2, 2}).integers({1, 1}).integers({0, 2}).values({1, 2}).bytes()),
            "A.petsc: row 2, counted from 1, has an entry in a column outside the 2 there are");
  EXPECT_EQ(matrix_error(File<std::int64_t>()
                             .integers({1211216, 1, 1, 1})
                             .integers({1})
                             .integers({std::int64_t{1} << 32})
                             .values({1})
                             .bytes()),
            "A.petsc: row 1, counted from 1, has an entry in a column outside the 1 there are");
  EXPECT_EQ(vector_error(Plain().matrix().bytes()), "b.petsc: there is a matrix of PETSc, and no vector behind it");
  EXPECT_EQ(vector_error(Plain().matrix().integers({1211213, 1}).bytes()),
            "b.petsc: expected a matrix (1211216) or a vector (1211214) of PETSc, found an object of class 1211213");
  EXPECT_EQ(vector_error(Plain().integers({1211214, 2}).values({1, std::numeric_limits<double>::infinity()}).bytes()),
            "b.petsc: row 2, counted from 1, has a value that is NaN, infinite or too large");
  rows_ = 3;
  EXPECT_EQ(vector_error(Plain().vector().bytes()), "b.petsc: vectors of 2 rows for a matrix of 3 rows");
}

/// Sizes that lie want no memory.
TEST_F(Petsc, SizesPastTheFileAreRefused) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  EXPECT_THAT(matrix_error(Plain().integers({1211216, most, most, most}).bytes()), HasSubstr("the file ends in"));
  EXPECT_THAT(vector_error(Plain().integers({1211214, most}).bytes()), HasSubstr("the file ends in"));
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  using Wide = File<std::int64_t>;
  EXPECT_THAT(matrix_error(Wide().integers({1211216, huge, huge, huge}).bytes()), HasSubstr("the file ends in"));
  EXPECT_LT(ctx_.memory().peak_bytes(), std::size_t{1} << 20);
}

TEST_F(Petsc, WhateverAByteTurnsIntoIsRefusedOrAWellFormedMatrix) {
  const std::string bytes = Plain().matrix().vector().bytes();
  int taken = 0;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    for (const int flip : {1, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[k] = static_cast<char>(changed[k] ^ flip);
      vector_error(changed);
      CsrMatrix<double, Host> A;
      if (error_of([&] { A = matrix(changed); }) == "no error") {
        EXPECT_NO_THROW(check_structure(ctx_, A)) << k;
        ++taken;
      }
    }
  }
  EXPECT_GT(taken, 0);
}

}  // namespace
}  // namespace amgsolve
