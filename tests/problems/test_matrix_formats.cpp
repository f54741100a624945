#include "problems/matrix_formats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "tests/reference/diagonal_format.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using testing::ElementsAre;

const std::string market_text = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 2\n2 2 3\n";

std::vector<double> values_of(const CsrMatrix<double, Host>& A) { return {A.values.data(), A.values.data() + A.nnz()}; }

class MatrixFormats : public testing::Test {
 protected:
  CsrMatrix<double, Host> read(const std::string& text) {
    return read_matrix(ctx_, directory_.write("matrix", text), warnings_, formats_);
  }

  reference::TemporaryDirectory directory_;
  Context<Host> ctx_;
  std::vector<std::string> warnings_;
  std::vector<MatrixFormat> formats_{matrix_formats().begin(), matrix_formats().end()};
};

TEST_F(MatrixFormats, AreChosenByWhatTheFileHolds) {
  formats_.push_back(reference::diagonal_format());
  EXPECT_THAT(values_of(read("diagonal 2\n4 5\n")), ElementsAre(4.0, 5.0));
  EXPECT_TRUE(warnings_.empty());
  EXPECT_THAT(values_of(read(market_text)), ElementsAre(1.0, 5.0));
  EXPECT_EQ(warnings_.size(), 1U) << "of the entry that occurs twice";
  EXPECT_THROW(read("diagonal 2\n4\n"), InputError);
}

TEST_F(MatrixFormats, OnesThatNobodyKnowsAreTheFirstOnesErrors) {
  try {
    read("diagonal 2\n4 5\n");
    FAIL() << "read a format that is not there";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("matrix:1: expected '%%MatrixMarket'"));
  }
}

/// The row offsets alone of such a matrix may be more than there is memory for.
TEST_F(MatrixFormats, ManyMoreRowsThanEntriesAreRefusedWithoutTakingMemoryForThem) {
  const auto message = [&](const std::string& text) -> std::string {
    try {
      read(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  for (const std::string kind : {"general", "symmetric"}) {
    const std::string banner = "%%MatrixMarket matrix coordinate real " + kind + "\n%\n";
    EXPECT_THAT(message(banner + "2147483647 2147483647 2\n1 1 1\n2 2 2\n"),
                testing::EndsWith("matrix:3: 2147483647 rows, but only 2 nonzeros: of more than 1000000 rows, not so "
                                  "many may be empty"));
  }
  EXPECT_LT(ctx_.memory().peak_bytes(), std::size_t{1} << 20);
  EXPECT_EQ(message("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1\n"), "no error");
  EXPECT_EQ(message("%%MatrixMarket matrix coordinate real general\n1000000 2 1\n1 1 1\n"), "no error");
}

TEST_F(MatrixFormats, TellTheSizeBeforeTheMatrixIsThere) {
  formats_.push_back(reference::diagonal_format());
  const auto size = [&](const std::string& text) {
    const MatrixSize found = MatrixFile(ctx_, directory_.write("matrix", text), formats_).size();
    return std::pair<Index, Offset>(found.rows, found.nnz);
  };
  EXPECT_EQ(size(market_text), std::pair(Index{2}, Offset{3}));
  EXPECT_EQ(size("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 2 2\n3 3 3\n3 1 1\n"),
            std::pair(Index{3}, Offset{5}));
  EXPECT_EQ(size("diagonal 2\n4 5\n"), std::pair(Index{2}, Offset{2}));
  // No size line makes the forecast larger than the file can be.
  EXPECT_LT(size("%%MatrixMarket matrix coordinate real general\n2 2 2147483647\n1 1 1\n").second, 100);
  formats_.back().size = nullptr;
  EXPECT_EQ(size("diagonal 2\n4 5\n"), std::pair(Index{0}, Offset{0}));
  EXPECT_THROW(size("%%MatrixMarket matrix coordinate real general\ntwo 2 3\n"), InputError);
}

TEST_F(MatrixFormats, HaveNamesOfTheirOwn) {
  for (const MatrixFormat& format : formats_) {
    EXPECT_EQ(std::ranges::count(formats_, format.name, &MatrixFormat::name), 1) << format.name;
  }
}

}  // namespace
}  // namespace amgsolve
