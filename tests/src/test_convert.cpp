#include "src/application/convert.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "problems/amg_file.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Convert : public testing::Test {
 protected:
  std::vector<std::string> convert(const std::string& from, const std::string& to) {
    return convert_file(directory_.path() / from, directory_.path() / to);
  }
  std::string bytes(const std::string& name) const { return reference::bytes_of_file(directory_.path() / name); }

  template <class Error>
  std::string error_of(const std::string& from, const std::string& to) {
    try {
      convert(from, to);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  const std::string matrix_ = "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 4\n1 3 -0.1\n2 2 2.5\n";
  const std::string vectors_ = "%%MatrixMarket matrix array real general\n2 2\n1\n2\n0.3\n4\n";
  reference::TemporaryDirectory directory_;
};

TEST_F(Convert, TakesMatricesThereAndBack) {
  directory_.write("A.mtx", matrix_);
  EXPECT_THAT(convert("A.mtx", "A.amg"), IsEmpty());
  EXPECT_THAT(bytes("A.amg"), HasSubstr("AMG"));
  EXPECT_THAT(convert("A.amg", "B.mtx"), IsEmpty());
  EXPECT_EQ(bytes("B.mtx"), matrix_);
  EXPECT_THAT(convert("A.amg", "C.mtx"), IsEmpty());
  EXPECT_EQ(bytes("C.mtx"), matrix_);
}

/// As a prolongator has where no aggregate takes a node.
TEST_F(Convert, TakesMatricesOfMoreRowsThanEntries) {
  const std::string prolongator = "%%MatrixMarket matrix coordinate real general\n100 2 2\n1 1 1\n50 2 0.5\n";
  directory_.write("P.mtx", prolongator);
  convert("P.mtx", "P.amg");
  convert("P.amg", "Q.mtx");
  EXPECT_EQ(bytes("Q.mtx"), prolongator);
}

TEST_F(Convert, TakesVectorsThroughAllFormats) {
  directory_.write("b.mtx", vectors_);
  convert("b.mtx", "b.npy");
  convert("b.npy", "b.amg");
  convert("b.amg", "c.mtx");
  EXPECT_EQ(bytes("c.mtx"), vectors_);
}

TEST_F(Convert, TakesOneColumnOfCoordinatesAsAVector) {
  directory_.write("b.mtx", "%%MatrixMarket matrix coordinate real general\n4 1 2\n2 1 5\n4 1 -0.5\n");
  convert("b.mtx", "c.mtx");
  EXPECT_EQ(bytes("c.mtx"), "%%MatrixMarket matrix array real general\n4 1\n0\n5\n0\n-0.5\n");
}

TEST_F(Convert, KnowsABannerOfAnyCase) {
  directory_.write("b.mtx", "%%matrixmarket Matrix Array Real General\n2 2\n1\n2\n0.3\n4\n");
  directory_.write("A.mtx", "\xef\xbb\xbf%%MATRIXMARKET matrix coordinate real general\n1 1 1\n1 1 4\n");
  convert("b.mtx", "c.mtx");
  EXPECT_EQ(bytes("c.mtx"), vectors_);
  convert("A.mtx", "B.mtx");
  EXPECT_EQ(bytes("B.mtx"), "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 4\n");
}

TEST_F(Convert, WritesWhereALinkLeads) {
  directory_.write("A.mtx", matrix_);
  std::filesystem::create_directory(directory_.path() / "far");
  std::filesystem::create_symlink("far/next.mtx", directory_.path() / "link.mtx");
  std::filesystem::create_symlink("B.mtx", directory_.path() / "far/next.mtx");
  convert("A.mtx", "link.mtx");
  EXPECT_TRUE(std::filesystem::is_symlink(directory_.path() / "link.mtx"));
  EXPECT_EQ(bytes("far/B.mtx"), matrix_);
  std::filesystem::create_symlink("circle.mtx", directory_.path() / "circle.mtx");
  EXPECT_THAT(error_of<OutputError>("A.mtx", "circle.mtx"), HasSubstr("circle.mtx: cannot write: Too many"));
}

/// No solver takes such a matrix; Matrix Market files have none.
TEST_F(Convert, RefusesEntriesThatAreNotFinite) {
  Context<Host> ctx;
  const auto A = reference::matrix_from_entries<double>(
      ctx, 2, 3, {{0, 0, 1.0}, {1, 2, std::numeric_limits<double>::quiet_NaN()}});
  write_amg_file(ctx, directory_.path() / "A.amg", A);
  EXPECT_THAT(error_of<InputError>("A.amg", "B.mtx"),
              HasSubstr("A.amg: the matrix entry in row 2, column 3 is NaN or infinite"));
  EXPECT_EQ(directory_.entries(), 1U);
}

TEST_F(Convert, IsInterruptedAndLeavesNothing) {
  directory_.write("A.mtx", matrix_);
  int left = 0;
  const auto convert = [&] {
    convert_file(directory_.path() / "A.mtx", directory_.path() / "A.amg", [&left] { return left-- == 0; });
  };
  EXPECT_THROW(convert(), InterruptedError);
  left = 2;
  EXPECT_THROW(convert(), InterruptedError);
  EXPECT_EQ(directory_.entries(), 1U);
}

TEST_F(Convert, PassesWarningsOn) {
  directory_.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 4\n1 1 1\n");
  EXPECT_THAT(convert("A.mtx", "A.amg"), ElementsAre(HasSubstr("A.mtx:4: ")));
}

TEST_F(Convert, WarnsOfOneTriangle) {
  directory_.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 4\n1 2 1\n2 2 4\n");
  EXPECT_THAT(convert("A.mtx", "A.amg"), ElementsAre(HasSubstr("A.mtx: all entries beside the diagonal are above it")));
  directory_.write("P.mtx", "%%MatrixMarket matrix coordinate real general\n3 1 3\n1 1 4\n2 1 1\n3 1 4\n");
  EXPECT_THAT(convert("P.mtx", "P.amg"), IsEmpty());
}

TEST_F(Convert, DoesNotWriteOverWhatItReads) {
  directory_.write("A.mtx", matrix_);
  std::filesystem::create_symlink("A.mtx", directory_.path() / "link.mtx");
  std::filesystem::create_directory(directory_.path() / "far");
  for (const auto& [from, to] : {std::pair("A.mtx", "A.mtx"), {"A.mtx", "link.mtx"}, {"link.mtx", "far/../A.mtx"}}) {
    EXPECT_THAT(error_of<ConfigurationError>(from, to),
                HasSubstr(std::string(to) + "' cannot be written: it is the file that is read"));
  }
  EXPECT_EQ(bytes("A.mtx"), matrix_);
}

TEST_F(Convert, LeavesNothingWhereItCannot) {
  directory_.write("A.mtx", matrix_);
  directory_.write("text", "hello");
  EXPECT_THAT(error_of<ConfigurationError>("none", "A.txt"),
              HasSubstr("A.txt' cannot be written: its name must end in"));
  EXPECT_THAT(error_of<ConfigurationError>("A.mtx", "A.npy"),
              HasSubstr("A.mtx holds a matrix, which .amg and .mtx take"));
  EXPECT_THAT(error_of<InputError>("none", "A.amg"), HasSubstr("none: cannot open"));
  EXPECT_THAT(error_of<InputError>("text", "A.amg"), HasSubstr("text:1: expected '%%MatrixMarket'"));
  EXPECT_THAT(error_of<InputError>("text", "A.npy"), HasSubstr("text:1: expected '%%MatrixMarket'"));
  EXPECT_EQ(directory_.entries(), 2U);
}

}  // namespace
}  // namespace amgsolve
