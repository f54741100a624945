#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "problems/matrix_market.hpp"

namespace amgsolve {
namespace {

struct Case {
  std::string text;
  std::string error;
};

const std::string real = "%%MatrixMarket matrix coordinate real general\n";

template <class T>
std::string error_of_matrix(const std::string& text) {
  Context<Host> ctx;
  try {
    parse_matrix_market<T>(ctx, text, "a.mtx");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

template <class T>
std::string error_of_vectors(const std::string& text) {
  Context<Host> ctx;
  try {
    parse_vectors<T>(ctx, text, "a.mtx");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

void expect_matrix_errors(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    EXPECT_EQ(error_of_matrix<double>(c.text), "a.mtx:" + c.error) << c.text;
  }
}

TEST(MatrixMarketErrors, Banner) {
  const std::string others = "; amgsolve reads Matrix Market, .npy, .npz, .amg and the files of MATLAB 7.3 and PETSc";
  expect_matrix_errors({
      {"", "1: expected '%%MatrixMarket matrix ...', found an empty file"},
      {"\n", "1: expected '%%MatrixMarket', found the end of the line" + others},
      {"3 3 1\n1 1 1\n", "1: expected '%%MatrixMarket', found '3'" + others},
      {"%MatrixMarket matrix coordinate real general\n",
       "1: expected '%%MatrixMarket', found '%MatrixMarket'" + others},
      {"%%MatrixMarketX matrix\n", "1: expected '%%MatrixMarket', found '%%MatrixMarketX'"},
      {"%%MatrixMarket vector coordinate real general\n", "1: expected 'matrix', found 'vector'"},
      {"%%MatrixMarket\n", "1: expected 'matrix', found the end of the line"},
      {"%%MatrixMarket matrix sparse real general\n", "1: expected 'coordinate' or 'array', found 'sparse'"},
      {"%%MatrixMarket matrix coordinate float general\n", "1: expected 'real', 'integer' or 'pattern', found 'float'"},
      {"%%MatrixMarket matrix array pattern general\n", "1: expected 'real' or 'integer', found 'pattern'"},
      {"%%MatrixMarket matrix coordinate complex hermitian\n", "1: complex matrices are not supported yet"},
      {"%%MatrixMarket matrix coordinate real hermitian\n",
       "1: expected 'general', 'symmetric' or 'skew-symmetric', found 'hermitian'"},
      {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n",
       "1: expected 'general' or 'symmetric', found 'skew-symmetric'"},
      {"%%MatrixMarket matrix coordinate real\n",
       "1: expected 'general', 'symmetric' or 'skew-symmetric', found the end of the line"},
      {"%%MatrixMarket matrix coordinate real general lower\n", "1: expected the end of the line, found 'lower'"},
      {"%%MatrixMarket matrix array real general\n1 1\n1\n",
       "1: expected 'coordinate', found 'array', which is for vectors and dense matrices"},
      {std::string("\x7f\x45\x4c\x46\x00\x01", 6) + std::string(100, 'z'),
       "1: expected '%%MatrixMarket', found '?ELF??" + std::string(34, 'z') + "...'" + others},
  });
}

TEST(MatrixMarketErrors, SayWhatToDoAboutOtherFiles) {
  EXPECT_EQ(error_of_matrix<double>("MATLAB 5.0 MAT-file, Platform: GLNXA64\n"),
            "a.mtx: a file of MATLAB's before version 7.3; save it with '-v7.3', or a matrix by SciPy's save_npz");
  EXPECT_EQ(error_of_vectors<double>("PK\x03\x04 arr_0.npy"),
            "a.mtx: an archive, as numpy.savez writes it; write vectors by numpy.save");
}

TEST(MatrixMarketErrors, Sizes) {
  expect_matrix_errors({
      {real, "1: expected the size line, found the end of the file"},
      {real + "% only\n% comments\n", "3: expected the size line, found the end of the file"},
      {real + "3 x 3\n", "2: expected the number of columns from 0 to 2147483647, found 'x'"},
      {real + "\n%\n3\n", "4: expected the number of columns from 0 to 2147483647, found the end of the line"},
      {real + "3 3\n", "2: expected the number of entries from 0 to 9223372036854775807, found the end of the line"},
      {real + "-3 3 1\n", "2: expected the number of rows from 0 to 2147483647, found '-3'"},
      {real + "3.5 3 1\n", "2: expected the number of rows from 0 to 2147483647, found '3.5'"},
      {real + "2147483648 3 1\n", "2: expected the number of rows from 0 to 2147483647, found '2147483648'"},
      {real + "3 3 99999999999999999999\n",
       "2: expected the number of entries from 0 to 9223372036854775807, found '99999999999999999999'"},
      {real + "3 3 -1\n", "2: expected the number of entries from 0 to 9223372036854775807, found '-1'"},
      {real + "3 3 1 1\n1 1 1\n", "2: expected the end of the line, found '1'"},
      {"%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n1 1 1\n",
       "2: expected 3 columns, as many as rows, for symmetry, found '4'"},
  });
}

TEST(MatrixMarketErrors, Entries) {
  expect_matrix_errors({
      {real + "3 4 1\nx 1 1\n", "3: expected a row index from 1 to 3, found 'x'"},
      {real + "3 4 1\n0 1 1\n", "3: expected a row index from 1 to 3, found '0'"},
      {real + "3 4 1\n4 1 1\n", "3: expected a row index from 1 to 3, found '4'"},
      {real + "3 4 1\n-1 1 1\n", "3: expected a row index from 1 to 3, found '-1'"},
      {real + "3 4 1\n9999999999 1 1\n", "3: expected a row index from 1 to 3, found '9999999999'"},
      {real + "3 4 1\n1.0 1 1\n", "3: expected a row index from 1 to 3, found '1.0'"},
      {real + "3 4 1\n1 5 1\n", "3: expected a column index from 1 to 4, found '5'"},
      {real + "3 4 1\n1\n", "3: expected a column index from 1 to 4, found the end of the line"},
      {real + "3 4 1\n1 1\n", "3: expected a number, found the end of the line"},
      {real + "3 4 2\n1 1 1\n%\n\n1 1 1.0abc\n", "6: expected a number, found '1.0abc'"},
      {real + "3 4 1\n1 1 1d\n", "3: expected a number, found '1d'"},
      {real + "3 4 1\n1 1 1d5d5\n", "3: expected a number, found '1d5d5'"},
      {real + "3 4 1\n1 1 1D400\n", "3: expected a number of magnitude up to 1.798e+308, found '1D400'"},
      {real + "3 4 1\n1 1 0x10\n", "3: expected a number, found '0x10'"},
      {real + "3 4 1\n1 1 1,5\n", "3: expected a number, found '1,5'"},
      {real + "3 4 1\n1 1 +-1\n", "3: expected a number, found '+-1'"},
      {real + "3 4 1\n1 1 +\n", "3: expected a number, found '+'"},
      {real + "3 4 1\n1 1 nan\n", "3: expected a finite number, found 'nan'"},
      {real + "3 4 1\n1 1 -inf\n", "3: expected a finite number, found '-inf'"},
      {real + "3 4 1\n1 1 1e400\n", "3: expected a number of magnitude up to 1.798e+308, found '1e400'"},
      {real + "3 4 1\n1 1 1 2\n", "3: expected the end of the line, found '2'"},
      {real + "3 4 1\n1 1 1 % one\n", "3: expected the end of the line, found '%'"},
      {"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 1 1\n",
       "3: expected the end of the line, found '1'"},
      {"%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 1.5\n", "3: expected an integer, found '1.5'"},
      {"%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 9223372036854775808\n",
       "3: expected an integer of 64 bits, found '9223372036854775808'"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 1\n",
       "3: expected no entry on the diagonal of a skew-symmetric matrix, found '2'"},
  });
  EXPECT_EQ(error_of_matrix<float>(real + "1 1 1\n1 1 1e39\n"),
            "a.mtx:3: expected a number of magnitude up to 3.403e+38, found '1e39'");
}

TEST(MatrixMarketErrors, Counts) {
  expect_matrix_errors({
      {real + "3 4 3\n1 1 1\n2 2 2\n",
       "4: expected 3 entries, as the size line says, found the end of the file after 2"},
      {real + "3 4 3", "2: expected 3 entries, as the size line says, found the end of the file after 0"},
      {real + "3 4 1000000000000\n1 1 1\n%\n",
       "4: expected 1000000000000 entries, as the size line says, found the end of the file after 1"},
      {real + "3 4 1\n1 1 1\n\n%\n2 2 2\n3 3 3\n",
       "6: expected the end of the file after 1 entry, as the size line says, found 2 more"},
      {real + "0 0 0\n1 1 1\n", "3: expected the end of the file after 0 entries, as the size line says, found 1 more"},
      // What comes first in the file is reported.
      {real + "3 4 3\n1 9 1\n2 2 2\n", "3: expected a column index from 1 to 4, found '9'"},
      {real + "3 4 1\n1 1 1\n2 9 2\n",
       "4: expected the end of the file after 1 entry, as the size line says, found 1 more"},
  });
}

TEST(MatrixMarketErrors, UpToTenAtOnce) {
  EXPECT_EQ(error_of_matrix<double>(real + "3 4 4\n1 1 x\n1 2 1\n9 1 1\n1 1 1 1\n"),
            "a.mtx:3: expected a number, found 'x'\n"
            "a.mtx:5: expected a row index from 1 to 3, found '9'\n"
            "a.mtx:6: expected the end of the line, found '1'");
  // In more than one block of lines.
  std::string text = real + "3 4 200000\n";
  for (int i = 0; i < 100'000; ++i) {
    text += i % 20'000 == 7 ? "1 1 one\n1 2 2\n" : "1 1 1111111\n1 2 2\n";
  }
  text += "1 1 1\n";
  const std::string five = error_of_matrix<double>(text);
  EXPECT_EQ(std::ranges::count(five, '\n'), 4) << five;
  EXPECT_EQ(five.substr(five.rfind('\n') + 1), "a.mtx:160017: expected a number, found 'one'");
  const std::string many = error_of_matrix<double>(real + "3 4 200000\n" + std::string(400'000, 'x') + [] {
    std::string lines;
    for (int i = 0; i < 100'000; ++i) {
      lines += "\n0 0 0 with some more to fill a block";
    }
    return lines;
  }());
  EXPECT_EQ(std::ranges::count(many, '\n'), 10);
  EXPECT_EQ(many.substr(many.rfind('\n') + 1), "a.mtx: and 99991 more");
}

TEST(MatrixMarketErrors, Vectors) {
  const std::string array = "%%MatrixMarket matrix array real general\n";
  const std::vector<Case> cases{
      {array + "3\n", "2: expected the number of columns from 0 to 2147483647, found the end of the line"},
      {array + "3 1 3\n", "2: expected the end of the line, found '3'"},
      {array + "2 1\n1\n", "3: expected 2 entries, as the size line says, found the end of the file after 1"},
      {array + "2147483647 2147483647\n1\n",
       "3: expected 4611686014132420609 entries, as the size line says, found the end of the file after 1"},
      {array + "1 2\n1\n2\n3\n",
       "5: expected the end of the file after 2 entries, as the size line says, found 1 more"},
      {array + "2 1\n1 2\n", "3: expected the end of the line, found '2'"},
      {array + "1 1\none\n", "3: expected a number, found 'one'"},
      {array + "1 1\ninf\n", "3: expected a finite number, found 'inf'"},
      {"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n",
       "1: expected 'general', found a symmetric array: vectors have no symmetry"},
      {"%%MatrixMarket matrix coordinate real general\n2 1 1\n3 1 1\n",
       "3: expected a row index from 1 to 2, found '3'"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(error_of_vectors<double>(c.text), "a.mtx:" + c.error) << c.text;
  }
}

TEST(MatrixMarketErrors, HugeSizesOfSmallFilesRunOutOfMemoryOnly) {
  Context<Host> ctx;
  ctx.memory().set_limit(std::size_t{64} << 20);
  EXPECT_THROW(parse_matrix_market<double>(ctx, real + "2147483647 2147483647 1\n1 1 1\n", "a.mtx"), OutOfMemoryError);
  EXPECT_THROW(parse_vectors<double>(ctx, real + "2147483647 1 1\n1 1 1\n", "a.mtx"), OutOfMemoryError);
}

/// What a size line says of vectors takes no memory of its own.
TEST(MatrixMarketErrors, MoreSparseVectorsThanEntries) {
  EXPECT_EQ(error_of_vectors<double>(real + "144 500000 1\n1 1 1\n"),
            "a.mtx:2: 500000 columns, but only 1 nonzero: write vectors of zeros as an array");
  EXPECT_EQ(error_of_vectors<double>(real + "144 2 1\n1 1 1\n"), "no error");
  EXPECT_EQ(error_of_vectors<double>(real + "144 500000 500000\n1 1 1\n"),
            "a.mtx:3: expected 500000 entries, as the size line says, found the end of the file after 1");
  EXPECT_EQ(error_of_vectors<double>(real + "144 1 0\n"), "no error");
}

}  // namespace
}  // namespace amgsolve
