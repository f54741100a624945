#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "problems/matrix_market.hpp"
#include "problems/solution_writer.hpp"
#include "problems/vector_file.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/temporary_directory.hpp"

namespace amgsolve {
namespace {

using reference::Entry;
using reference::identical;
using reference::matrix_from_entries;

template <class T>
class MatrixMarket : public ::testing::Test {
 protected:
  CsrMatrix<T, Host> parse(const std::string& text) { return parse_matrix_market<T>(ctx_, text, "a.mtx", &notes_); }
  CsrMatrix<T, Host> expected(Index rows, Index cols, std::vector<Entry> entries) {
    return matrix_from_entries<T>(ctx_, rows, cols, std::move(entries));
  }

  Context<Host> ctx_;
  MatrixMarketNotes notes_;
};
using Values = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixMarket, Values);

TYPED_TEST(MatrixMarket, ReadsGeneralMatrices) {
  const auto A = this->parse(
      "%%MatrixMarket matrix coordinate real general\n"
      "% a comment\n"
      "\n"
      "3 4 4\n"
      "3 1 -1.5e1\n"
      "1 4 +.25\n"
      "% another\n"
      "\t1   2\t7 \n"
      "  \n"
      "2 2 0\n");
  EXPECT_TRUE(identical(A, this->expected(3, 4, {{0, 1, 7}, {0, 3, 0.25}, {1, 1, 0}, {2, 0, -15}})));
  EXPECT_TRUE(describe(this->notes_, "a.mtx").empty());
}

TYPED_TEST(MatrixMarket, ReadsIntegerAndPatternMatrices) {
  EXPECT_TRUE(identical(this->parse("%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 -3\n1 2 +4\n"),
                        this->expected(1, 2, {{0, 0, -3}, {0, 1, 4}})));
  EXPECT_TRUE(identical(this->parse("%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 3\n"),
                        this->expected(1, 1, {{0, 0, 3}})));
  EXPECT_TRUE(identical(this->parse("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n"),
                        this->expected(2, 2, {{0, 1, 1}, {1, 0, 1}})));
}

TYPED_TEST(MatrixMarket, MirrorsSymmetricMatrices) {
  EXPECT_TRUE(identical(this->parse("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 4\n3 1 2\n3 2 5\n"),
                        this->expected(3, 3, {{0, 0, 4}, {0, 2, 2}, {1, 2, 5}, {2, 0, 2}, {2, 1, 5}})));
  EXPECT_TRUE(identical(this->parse("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"),
                        this->expected(2, 2, {{0, 1, 1}, {1, 0, 1}})));
  EXPECT_TRUE(identical(this->parse("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n"),
                        this->expected(2, 2, {{0, 1, -3}, {1, 0, 3}})));
  EXPECT_EQ(this->notes_.upper_entries, 0);
}

TYPED_TEST(MatrixMarket, NotesEntriesAboveTheDiagonal) {
  EXPECT_TRUE(identical(this->parse("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 4\n\n1 3 2\n2 3 5\n"),
                        this->expected(3, 3, {{0, 0, 4}, {0, 2, 2}, {1, 2, 5}, {2, 0, 2}, {2, 1, 5}})));
  EXPECT_EQ(this->notes_.upper_entries, 2);
  EXPECT_EQ(this->notes_.first_upper_line, 5);
  EXPECT_TRUE(identical(this->parse("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n1 2 3\n1 1 0\n"),
                        this->expected(2, 2, {{0, 0, 0}, {0, 1, 3}, {1, 0, -3}})));
}

TYPED_TEST(MatrixMarket, SumsAndNotesDuplicates) {
  EXPECT_TRUE(identical(
      this->parse(
          "%%MatrixMarket matrix coordinate real general\n2 2 5\n1 1 1\n2 1 1\n% twice\n2 1 2\n1 1 0.5\n2 1 4\n"),
      this->expected(2, 2, {{0, 0, 1.5}, {1, 0, 7}})));
  EXPECT_EQ(this->notes_.duplicates, 3);
  EXPECT_EQ(this->notes_.first_duplicate_line, 6);
  EXPECT_EQ(describe(this->notes_, "a.mtx"),
            std::vector<std::string>{"a.mtx:6: the indices of this entry occurred before; 3 in all were summed"});
}

TYPED_TEST(MatrixMarket, SumsDuplicatesOfBothTrianglesAlike) {
  using T = TypeParam;
  // The sums differ in the last bit with the order of their terms.
  const auto A =
      this->parse("%%MatrixMarket matrix coordinate real symmetric\n2 2 4\n1 1 1\n2 1 0.1\n1 2 1e8\n2 1 -1e8\n");
  const T sum = static_cast<T>(static_cast<T>(T(0.1) + T(1e8)) - T(1e8));
  EXPECT_TRUE(identical(A, this->expected(2, 2, {{0, 0, 1}, {0, 1, sum}, {1, 0, sum}})));
  EXPECT_EQ(this->notes_.duplicates, 2);
}

TYPED_TEST(MatrixMarket, AcceptsWhatOthersWrite) {
  const auto A = this->expected(1, 1, {{0, 0, 2}});
  EXPECT_TRUE(identical(this->parse("%%MatrixMarket matrix coordinate real general\r\n%\r\n1 1 1\r\n1 1 2\r\n"), A));
  EXPECT_TRUE(identical(this->parse("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2"), A));
  EXPECT_TRUE(identical(this->parse("%%MATRIXMARKET Matrix COORDINATE Double General\n1 1 1\n1 1 2\n\n \n"), A));
  EXPECT_TRUE(identical(this->parse("\xef\xbb\xbf%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n"), A));
  EXPECT_TRUE(
      identical(this->parse("%%MatrixMarket matrix coordinate real general\n0 0 0\n"), this->expected(0, 0, {})));
}

TYPED_TEST(MatrixMarket, RoundsValuesLikeTheStandardLibrary) {
  for (const char* token :
       {"0.1", "1e-40", "4.9e-324", "1e-400", "-1e-400", "1e-5000", "-1e-99999999999999999999", "3.4028234e38",
        "9007199254740993", "0.30000000000000004", "1.17549435e-38", "2.2250738585072014E-308"}) {
    const auto A = this->parse("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 " + std::string(token));
    TypeParam value = 0;
    if constexpr (std::is_same_v<TypeParam, float>) {
      value = std::strtof(token, nullptr);
    } else {
      value = std::strtod(token, nullptr);
    }
    EXPECT_EQ(A.values[0], value) << token;
  }
  const std::string thousands = std::string(5000, '0') + "1";
  const auto A = this->parse("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 -0." + thousands + "\n");
  EXPECT_EQ(A.values[0], TypeParam{0});
  EXPECT_THROW(this->parse("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1" + thousands + ".0\n"),
               InputError);
  EXPECT_THROW(this->parse("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e+5000\n"), InputError);
}

TYPED_TEST(MatrixMarket, TakesFortransExponents) {
  const std::string digits(1000, '0');
  for (const auto& [token, value] : {std::pair<std::string, double>("2.0D0", 2.0),
                                     {"1d-3", 1e-3},
                                     {"-.5D+01", -5.0},
                                     {"+1D2", 100.0},
                                     {"0.1000-030", 1e-31},
                                     {"-0.25+003", -250.0},
                                     {"+1.5+010", 1.5e10},
                                     {"1." + digits + "D+02", 100.0}}) {
    const auto A = this->parse("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 " + token);
    EXPECT_EQ(A.values[0], static_cast<TypeParam>(value)) << token;
  }
  const auto tiny = this->parse("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1D-400\n");
  EXPECT_EQ(tiny.values[0], TypeParam{0});
  for (const char* token :
       {"1-2", "1-100", "1.0-1000", "1.0e5-100", "1.0d5+100", "1-", "1-10a", "1-+10", "inf-100", "-100-"}) {
    EXPECT_THROW(this->parse("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 " + std::string(token)),
                 InputError)
        << token;
  }
}

TYPED_TEST(MatrixMarket, ReadsVectorsByColumns) {
  const auto x = parse_vectors<TypeParam>(this->ctx_,
                                          "%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n6\n", "x.mtx");
  ASSERT_EQ(x.rows(), 3);
  ASSERT_EQ(x.columns(), 2);
  EXPECT_EQ(std::vector<TypeParam>(x.data(), x.data() + 6), (std::vector<TypeParam>{1, 4, 2, 5, 3, 6}));
}

TYPED_TEST(MatrixMarket, ReadsSparseVectors) {
  MatrixMarketNotes notes;
  const auto x = parse_vectors<TypeParam>(
      this->ctx_, "%%MatrixMarket matrix coordinate real general\n3 2 3\n3 1 5\n1 2 6\n3 1 1\n", "x.mtx", &notes);
  ASSERT_EQ(x.rows(), 3);
  ASSERT_EQ(x.columns(), 2);
  EXPECT_EQ(std::vector<TypeParam>(x.data(), x.data() + 6), (std::vector<TypeParam>{0, 6, 0, 0, 6, 0}));
  EXPECT_EQ(notes.duplicates, 1);
}

TYPED_TEST(MatrixMarket, BringsEveryBitBack) {
  using T = TypeParam;
  const reference::TemporaryDirectory directory;
  const auto path = directory.path() / "a.mtx";
  auto A = reference::random_matrix<T>(this->ctx_, 40'000, 3000, 60, 7);  // several blocks
  A.values[0] = std::numeric_limits<T>::max();
  A.values[1] = -std::numeric_limits<T>::denorm_min();
  A.values[2] = -std::numeric_limits<T>::min();
  write_matrix_market(this->ctx_, path, A);
  EXPECT_TRUE(identical(read_matrix_market<T>(this->ctx_, path, &this->notes_), A));
  EXPECT_TRUE(describe(this->notes_, path).empty());

  const std::vector<T> values = reference::random_values<T>(300'000, 3);
  write_solution<T>(this->ctx_, path, MultiVectorView<const T, Host>(values.data(), 100'000, 3));
  const auto x = read_vectors<T>(this->ctx_, path);
  ASSERT_EQ(x.rows(), 100'000);
  ASSERT_EQ(x.columns(), 3);
  EXPECT_TRUE(std::equal(values.begin(), values.end(), x.data()));
}

TYPED_TEST(MatrixMarket, WritesWhatIsEmpty) {
  using T = TypeParam;
  const reference::TemporaryDirectory directory;
  const auto path = directory.path() / "a.mtx";
  const auto A = this->expected(5, 3, {});
  write_matrix_market(this->ctx_, path, A);
  EXPECT_TRUE(identical(read_matrix_market<T>(this->ctx_, path), A));
  write_solution<T>(this->ctx_, path, MultiVectorView<const T, Host>(nullptr, 0, 2));
  EXPECT_EQ(read_vectors<T>(this->ctx_, path).columns(), 2);
}

/// A file of several megabytes, which is parsed in several blocks.
template <class T>
std::string long_text(const char* symmetry, std::vector<Entry>& entries) {
  constexpr Index rows = 5000;
  const std::vector<T> values = reference::random_values<T>(200'000, 11);
  std::ostringstream text;
  text.precision(std::numeric_limits<T>::max_digits10);
  text << "%%MatrixMarket matrix coordinate real " << symmetry << '\n'
       << rows << ' ' << rows << ' ' << values.size() << '\n';
  std::uint32_t state = 1;
  const auto next_index = [&] { return static_cast<Index>((state = state * 1664525u + 1013904223u) >> 8) % rows; };
  for (const T value : values) {
    const Index i = next_index();
    const Index j = next_index();
    entries.push_back({i, j, static_cast<double>(value)});
    text << i + 1 << ' ' << j + 1 << ' ' << value << (i % 7 == 0 ? "\n% between\n\n" : "\n");
  }
  return text.str();
}

TYPED_TEST(MatrixMarket, GivesTheSameForAnyNumberOfThreads) {
  using T = TypeParam;
  for (const char* symmetry : {"general", "symmetric"}) {
    std::vector<Entry> ignored;
    const std::string text = long_text<T>(symmetry, ignored);
    Context<Host> sequential(1);
    MatrixMarketNotes notes;
    const auto A = parse_matrix_market<T>(sequential, text, "a.mtx", &notes);
    EXPECT_GT(notes.duplicates, 0);
    for (const int threads : {2, 3, 8}) {
      Context<Host> ctx(threads);
      EXPECT_TRUE(identical(parse_matrix_market<T>(ctx, text, "a.mtx", &this->notes_), A));
      EXPECT_EQ(describe(this->notes_, "a.mtx"), describe(notes, "a.mtx"));
    }
  }
}

TYPED_TEST(MatrixMarket, AgreesWithANaiveReaderOnLongFiles) {
  using T = TypeParam;
  std::vector<Entry> entries;
  const auto A = this->parse(long_text<T>("general", entries));
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return std::pair(a.row, a.col) < std::pair(b.row, b.col); });
  std::vector<Entry> summed;
  for (const Entry& entry : entries) {
    if (!summed.empty() && summed.back().row == entry.row && summed.back().col == entry.col) {
      summed.back().value = static_cast<double>(static_cast<T>(summed.back().value) + static_cast<T>(entry.value));
    } else {
      summed.push_back(entry);
    }
  }
  EXPECT_EQ(this->notes_.duplicates, static_cast<Offset>(entries.size() - summed.size()));
  EXPECT_TRUE(identical(A, this->expected(5000, 5000, summed)));
}

TYPED_TEST(MatrixMarket, ReportsTheFirstErrorWhateverTheThreads) {
  std::vector<Entry> ignored;
  const std::string good = long_text<TypeParam>("general", ignored);
  const auto spoil = [&](std::string& text, std::size_t where) {
    const std::size_t line = text.find("\n1", where) + 1;
    text[line] = 'x';
    return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(line), '\n') + 1;
  };
  std::string text = good;
  spoil(text, text.size() * 3 / 4);
  const auto first = spoil(text, text.size() * 1 / 4);
  spoil(text, text.size() / 2);
  for (const int threads : {1, 2, 8}) {
    Context<Host> ctx(threads);
    try {
      parse_matrix_market<TypeParam>(ctx, text, "a.mtx");
      FAIL() << "the errors were not seen";
    } catch (const InputError& error) {
      const std::string start = "a.mtx:" + std::to_string(first) + ": expected a row index from 1 to 5000, found 'x";
      EXPECT_EQ(std::string(error.what()).substr(0, start.size()), start);
    }
  }
}

}  // namespace
}  // namespace amgsolve
