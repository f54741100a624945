#include "spgemm/spgemm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "core/copy.hpp"
#include "core/timer.hpp"
#include "problems/generate.hpp"
#include "spmv/conversions.hpp"
#include "spmv/counted_rows.hpp"
#include "tests/reference/eigen_spgemm.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/naive_spgemm.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/spgemm_algorithms.hpp"

namespace amgsolve {
namespace {

using reference::close;
using reference::identical;
using reference::matrix_from_entries;
using reference::ordered_algorithms;
using reference::power_law_matrix;
using reference::random_matrix;

template <class I>
class Spgemm : public reference::SpaceTest<typename I::Space> {
 protected:
  const std::vector<const SpgemmAlgorithm*> ordered_ = ordered_algorithms<typename I::Space>();
  const std::vector<const SpgemmAlgorithm*> all_ = reference::all_algorithms<typename I::Space>();
};
TYPED_TEST_SUITE(Spgemm, reference::Instances, reference::InstanceNames);

template <class T, class S>
CsrMatrix<T, Host> product(Context<S>& ctx, const CsrMatrix<T, S>& A, const CsrMatrix<T, S>& B,
                           const SpgemmAlgorithm* algorithm = spgemm_algorithm("auto")) {
  return reference::download(ctx, multiply(ctx, A, B, {.algorithm = algorithm}));
}

template <class T>
CsrMatrix<T, Host> empty_matrix(Context<Host>& ctx, Index rows, Index cols) {
  return matrix_from_entries<T>(ctx, rows, cols, {});
}

TYPED_TEST(Spgemm, MatchesTheNaiveProduct) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  struct Shape {
    Index rows, inner, cols, longest_row;
  };
  for (const auto& [rows, inner, cols, longest_row] :
       {Shape{1, 1, 1, 1}, Shape{1, 40, 1, 40}, Shape{40, 1, 40, 40}, Shape{300, 200, 250, 60},
        Shape{2000, 50, 3000, 900}, Shape{500, 4000, 20, 3000}, Shape{60, 400, 100000, 300},
        Shape{3000, 3000, 3000, 200}}) {
    const auto A = random_matrix<T>(host, rows, inner, longest_row, 1);
    const auto B = random_matrix<T>(host, inner, cols, longest_row, 2);
    const auto expected = reference::naive_spgemm(host, A, B);
    const double bound = reference::product_error_bound(host, A, B);
    const auto A_there = reference::upload(ctx, borrow(A));
    const auto B_there = reference::upload(ctx, borrow(B));
    for (const SpgemmAlgorithm* algorithm : this->all_) {
      EXPECT_TRUE(close(product(ctx, A_there, B_there, algorithm), expected, bound))
          << rows << " x " << inner << " x " << cols << ", algorithm " << algorithm->name;
    }
  }
}

TYPED_TEST(Spgemm, SortsRowsOfEveryLength) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // Row i of A has the columns 0 … i − 1 and B permutes the columns, so row i of A B has i entries, met in disorder.
  // The last of them find no room in the device's largest table.
  constexpr Index n = 1100;
  std::vector<Index> permutation(n);
  std::iota(permutation.begin(), permutation.end(), 0);
  std::shuffle(permutation.begin(), permutation.end(), std::mt19937(3));
  std::vector<reference::Entry> lower;
  std::vector<reference::Entry> permuted;
  for (Index i = 0; i < n; ++i) {
    permuted.push_back({i, permutation[static_cast<std::size_t>(i)], 1.0});
    for (Index j = 0; j < i; ++j) {
      lower.push_back({i, j, static_cast<double>(i + 1000 * j)});
    }
  }
  const auto A = matrix_from_entries<T>(host, n, n, lower);
  const auto B = matrix_from_entries<T>(host, n, n, permuted);
  const auto expected = reference::naive_spgemm(host, A, B);
  for (const SpgemmAlgorithm* algorithm : this->all_) {
    EXPECT_TRUE(identical(product(ctx, reference::upload(ctx, borrow(A)), reference::upload(ctx, borrow(B)), algorithm),
                          expected));
  }
}

TYPED_TEST(Spgemm, TakesMatricesWithoutEntriesOrRows) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto full = random_matrix<T>(host, 30, 20, 20, 4);
  for (const SpgemmAlgorithm* algorithm : this->all_) {
    for (const auto& [rows, inner, cols] :
         {std::tuple{0, 0, 0}, std::tuple{0, 5, 3}, std::tuple{5, 0, 3}, std::tuple{5, 3, 0}, std::tuple{5, 3, 4}}) {
      const auto C = product(ctx, reference::upload(ctx, empty_matrix<T>(host, rows, inner)),
                             reference::upload(ctx, empty_matrix<T>(host, inner, cols)), algorithm);
      EXPECT_TRUE(identical(C, empty_matrix<T>(host, rows, cols)));
    }
    EXPECT_TRUE(identical(product(ctx, reference::upload(ctx, borrow(full)),
                                  reference::upload(ctx, empty_matrix<T>(host, 20, 7)), algorithm),
                          empty_matrix<T>(host, 30, 7)));
    EXPECT_TRUE(identical(product(ctx, reference::upload(ctx, empty_matrix<T>(host, 7, 30)),
                                  reference::upload(ctx, borrow(full)), algorithm),
                          empty_matrix<T>(host, 7, 20)));
  }
}

TYPED_TEST(Spgemm, KeepsEntriesThatCancel) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = matrix_from_entries<T>(host, 1, 2, {{0, 0, 1.0}, {0, 1, 1.0}});
  const auto B = matrix_from_entries<T>(host, 2, 3, {{0, 1, 3.0}, {0, 2, 2.0}, {1, 1, -3.0}});
  const auto expected = matrix_from_entries<T>(host, 1, 3, {{0, 1, 0.0}, {0, 2, 2.0}});
  for (const SpgemmAlgorithm* algorithm : this->ordered_) {
    EXPECT_TRUE(identical(product(ctx, reference::upload(ctx, borrow(A)), reference::upload(ctx, borrow(B)), algorithm),
                          expected));
  }
}

TYPED_TEST(Spgemm, SumsInTheOrderOfTheRow) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // (large + 1) − large is 0 where 1 is lost in large; every other order that ends with 1 gives 1.
  const double large = 4.0 / static_cast<double>(std::numeric_limits<T>::epsilon());
  const auto A = matrix_from_entries<T>(host, 1, 3, {{0, 0, large}, {0, 1, 1.0}, {0, 2, -large}});
  const auto B = matrix_from_entries<T>(host, 3, 2, {{0, 0, 1.0}, {1, 0, 1.0}, {2, 0, 1.0}, {2, 1, 1.0}});
  const auto expected = matrix_from_entries<T>(host, 1, 2, {{0, 0, 0.0}, {0, 1, -large}});
  for (const SpgemmAlgorithm* algorithm : this->ordered_) {
    EXPECT_TRUE(identical(product(ctx, reference::upload(ctx, borrow(A)), reference::upload(ctx, borrow(B)), algorithm),
                          expected));
  }
}

TYPED_TEST(Spgemm, GivesTheSameBitsForEveryAlgorithm) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(ctx, random_matrix<T>(host, 6000, 5000, 300, 5));
  const auto B = reference::upload(ctx, random_matrix<T>(host, 5000, 8000, 100, 6));
  const auto expected = product(ctx, A, B);
  for (const SpgemmAlgorithm* algorithm : this->ordered_) {
    EXPECT_TRUE(identical(product(ctx, A, B, algorithm), expected)) << algorithm->name;
  }
}

TYPED_TEST(Spgemm, TakesRowsOfAnyLengthFromTheSecondMatrix) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  constexpr Index n = 700;
  const auto A = random_matrix<T>(host, n, n, 90, 11);
  for (const Index length : {1, 2, 3, 7, 15, 31, 33, 100}) {
    std::vector<reference::Entry> entries;
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < length; ++k) {
        entries.push_back({i, (13 * i + 6 * k) % n, 1.0 / (1 + i + k)});
      }
    }
    const auto B = matrix_from_entries<T>(host, n, n, entries);
    const auto expected = reference::naive_spgemm(host, A, B);
    for (const SpgemmAlgorithm* algorithm : this->ordered_) {
      EXPECT_TRUE(identical(
          product(ctx, reference::upload(ctx, borrow(A)), reference::upload(ctx, borrow(B)), algorithm), expected))
          << "rows of " << length << ", algorithm " << algorithm->name;
    }
  }
}

TYPED_TEST(Spgemm, SumsEveryFewProducts) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // Row i of A B sums up to i / 13 products, neighbours about as many: the host forms rows of up to 32 together.
  // Columns repeat in most rows, and in the second B in none.
  constexpr Index n = 13 * 40 + 3;
  std::vector<reference::Entry> left;
  std::vector<reference::Entry> repeated;
  std::vector<reference::Entry> distinct;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < i / 13 - i % 3; ++k) {
      left.push_back({i, (17 * i + 29 * k) % n, 1.0 / (1 + i + 3 * k)});
    }
    repeated.push_back({i, (7 * i) % 5, 1.0 / (2 + i)});
    distinct.push_back({i, (11 * i) % n, 1.0 / (2 + i)});
  }
  const auto A = matrix_from_entries<T>(host, n, n, left);
  for (const auto& [cols, entries] : {std::pair{Index{5}, repeated}, std::pair{n, distinct}}) {
    const auto B = matrix_from_entries<T>(host, n, cols, entries);
    const auto expected = reference::naive_spgemm(host, A, B);
    for (const SpgemmAlgorithm* algorithm : this->ordered_) {
      EXPECT_TRUE(identical(
          product(ctx, reference::upload(ctx, borrow(A)), reference::upload(ctx, borrow(B)), algorithm), expected))
          << cols << " columns, algorithm " << algorithm->name;
    }
  }
}

/// The last column of each row is the first one of the next.
TYPED_TEST(Spgemm, KeepsRowsApartThatMeetInAColumn) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  constexpr Index rows = 40;
  for (Index length = 1; length <= 33; ++length) {
    const Index n = rows * length + 1;
    std::vector<reference::Entry> left;
    std::vector<reference::Entry> diagonal;
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; i < rows && k < length; ++k) {
        left.push_back({i, i * (length - 1) + k, 1.0 / (1 + i + 3 * k)});
      }
      diagonal.push_back({i, i, 1.0 / (2 + i)});
    }
    const auto A = matrix_from_entries<T>(host, rows, n, left);
    const auto B = matrix_from_entries<T>(host, n, n, diagonal);
    const auto expected = reference::naive_spgemm(host, A, B);
    for (const SpgemmAlgorithm* algorithm : this->ordered_) {
      EXPECT_TRUE(identical(
          product(ctx, reference::upload(ctx, borrow(A)), reference::upload(ctx, borrow(B)), algorithm), expected))
          << "rows of " << length << ", algorithm " << algorithm->name;
    }
  }
}

template <class T>
void expect_any_number_of_columns() {
  // Few products are sorted by keys that have 26 bits for a column, eight rows at a time.
  Context<Host> ctx;
  for (const Index cols : {(1 << 26) - 2, (1 << 26) - 1, 1 << 26, std::numeric_limits<Index>::max()}) {
    std::vector<reference::Entry> left;
    std::vector<reference::Entry> expected;
    for (Index i = 0; i < 18; i += 2) {
      left.insert(left.end(), {{i, 0, 2.0}, {i, 1, 3.0}, {i + 1, 1, 5.0}});
      expected.insert(expected.end(),
                      {{i, 0, 2.0}, {i, 7, 3.0}, {i, cols - 1, 5.0}, {i + 1, 7, 5.0}, {i + 1, cols - 1, 5.0}});
    }
    const auto A = matrix_from_entries<T>(ctx, 18, 2, left);
    const auto B =
        matrix_from_entries<T>(ctx, 2, cols, {{0, 0, 1.0}, {0, cols - 1, 1.0}, {1, 7, 1.0}, {1, cols - 1, 1.0}});
    EXPECT_TRUE(identical(multiply(ctx, A, B), matrix_from_entries<T>(ctx, 18, cols, expected))) << cols;
  }
}

TEST(SpgemmHost, TakesAnyNumberOfColumns) {
  expect_any_number_of_columns<float>();
  expect_any_number_of_columns<double>();
}

TYPED_TEST(Spgemm, TakesPowerLawRows) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = power_law_matrix<T>(host, 20000);
  const auto expected = reference::naive_spgemm(host, A, A);
  const auto A_there = reference::upload(ctx, borrow(A));
  for (const SpgemmAlgorithm* algorithm : this->ordered_) {
    EXPECT_TRUE(identical(product(ctx, A_there, A_there, algorithm), expected)) << algorithm->name;
  }
}

TYPED_TEST(Spgemm, GivesTheSameBitsInEveryRun) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  struct Input {
    const char* name;
    CsrMatrix<T, Host> A;
  };
  std::vector<Input> inputs;
  inputs.push_back({"random", random_matrix<T>(host, 1500, 1500, 200, 12)});
  inputs.push_back(
      {"stencil", generate_matrix<T>(host, reference::poisson(reference::grid({20, 20, 20}), Discretization::fd))});
  inputs.push_back({"power law", power_law_matrix<T>(host, 3000)});
  inputs.push_back(
      {"empty rows", matrix_from_entries<T>(host, 2000, 2000, {{7, 9, 0.1}, {7, 1999, 0.2}, {9, 7, 0.3}})});
  for (const auto& [name, A] : inputs) {
    const auto A_there = reference::upload(ctx, borrow(A));
    for (const SpgemmAlgorithm* algorithm : this->ordered_) {
      const auto expected = product(ctx, A_there, A_there, algorithm);
      for (int run = 0; run < 100; ++run) {
        ASSERT_TRUE(identical(product(ctx, A_there, A_there, algorithm), expected))
            << name << ", algorithm " << algorithm->name << ", run " << run;
      }
    }
  }
}

/// A matrix of the given rows and columns without zeros: a_ij = (1 + i mod 3) · (1 + j mod 5).
template <class T>
CsrMatrix<T, Host> full_matrix(Context<Host>& ctx, Index rows, Index cols) {
  CsrMatrix<T, Host> A(ctx, rows, cols, static_cast<Offset>(rows) * cols);
  std::size_t k = 0;
  for (Index i = 0; i < rows; ++i) {
    A.row_offsets[static_cast<std::size_t>(i)] = static_cast<Offset>(k);
    for (Index j = 0; j < cols; ++j, ++k) {
      A.col_indices[k] = j;
      A.values[k] = static_cast<T>((1 + i % 3) * (1 + j % 5));
    }
  }
  A.row_offsets[static_cast<std::size_t>(rows)] = static_cast<Offset>(k);
  return A;
}

TYPED_TEST(Spgemm, FullSizeSumsMoreThan32BitsOfProducts) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  constexpr Index n = 1630;  // n³ > 2³²
  const auto A = reference::upload(ctx, full_matrix<T>(host, n, n));
  CsrMatrix<T, Host> C;
  {
    ScopedTimer timer(ctx, "product");
    C = product(ctx, A, A);
  }
  EXPECT_EQ(ctx.profile().nodes().front().work.flops, 2 * std::int64_t{n} * n * n);
  ASSERT_EQ(C.nnz(), std::int64_t{n} * n);
  // Σ_k (1 + k mod 5)(1 + k mod 3), a whole number that both types hold exactly with its multiples.
  std::int64_t sum = 0;
  for (Index k = 0; k < n; ++k) {
    sum += (1 + k % 5) * (1 + k % 3);
  }
  for (const Index i : {0, 1, n / 2, n - 1}) {
    for (const Index j : {0, 3, n / 2, n - 1}) {
      const auto k = static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j);
      EXPECT_EQ(C.col_indices[k], j);
      EXPECT_EQ(C.values[k], static_cast<T>((1 + i % 3) * (1 + j % 5) * sum)) << i << ", " << j;
    }
  }
}

TYPED_TEST(Spgemm, NamesTheAlgorithmsThereAre) {
  using T = typename TypeParam::Value;
  constexpr bool on_host = std::same_as<typename TypeParam::Space, Host>;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(ctx, empty_matrix<T>(host, 3, 3));
  try {
    multiply(ctx, A, A, {.algorithm = spgemm_algorithm(on_host ? "esc_global" : "dense")});
    FAIL() << "expected std::invalid_argument";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(
        error.what(),
        on_host
            ? "sparse product by 'esc_global': on the host the algorithm must be auto, dense or hash"
            : "sparse product by 'dense': on a GPU the algorithm must be auto, hash, esc, esc_global, esc_fused, thin, "
              "row_merge or cusparse");
  }
}

TYPED_TEST(Spgemm, NamesBothSizesWhereTheyDoNotMatch) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(ctx, empty_matrix<T>(host, 3, 4));
  const auto B = reference::upload(ctx, empty_matrix<T>(host, 5, 6));
  try {
    multiply(ctx, A, B);
    FAIL() << "expected std::invalid_argument";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "sparse product A B: A is 3 x 4 and B is 5 x 6");
  }
}

TYPED_TEST(Spgemm, BooksItsWork) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // Row 0 takes 1 + 2 products, row 1 takes 2; C has 3 entries.
  const auto A = reference::upload(ctx, matrix_from_entries<T>(host, 2, 2, {{0, 0, 1.0}, {0, 1, 1.0}, {1, 1, 1.0}}));
  const auto B = reference::upload(ctx, matrix_from_entries<T>(host, 2, 2, {{0, 0, 1.0}, {1, 0, 1.0}, {1, 1, 1.0}}));
  CsrMatrix<T, typename TypeParam::Space> C;
  {
    ScopedTimer timer(ctx, "product");
    C = multiply(ctx, A, B);
  }
  const Work& work = ctx.profile().nodes().front().work;
  EXPECT_EQ(work.flops, 10);
  EXPECT_EQ(work.bytes, static_cast<std::int64_t>(A.bytes() + B.bytes() + C.bytes()));
}

template <class I>
class SpgemmLarge : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(SpgemmLarge, reference::FloatInstances, reference::InstanceNames);

TYPED_TEST(SpgemmLarge, FullSizeFormsMoreThan32BitsOfEntries) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  constexpr Index n = 46341;  // n² > 2³¹
  constexpr Offset nnz = Offset{n} * n;
  constexpr std::size_t wanted = 3 * nnz * (sizeof(Index) + sizeof(T));
  if (ctx.memory().available().bytes < wanted) {
    GTEST_SKIP() << "needs " << (wanted >> 30) << " GiB of memory";
  }
  const auto C = multiply(ctx, reference::upload(ctx, full_matrix<T>(host, n, 1)),
                          reference::upload(ctx, full_matrix<T>(host, 1, n)));
  ASSERT_EQ(C.nnz(), nnz);
  EXPECT_EQ(element(ctx, C.row_offsets.span(), n), nnz);
  for (const Index i : {0, 1, n / 2, n - 1}) {
    const Offset begin = Offset{i} * n;
    EXPECT_EQ(element(ctx, C.row_offsets.span(), static_cast<std::size_t>(i)), begin);
    for (const Index j : {0, 3, n / 2, n - 1}) {
      const auto k = static_cast<std::size_t>(begin + j);
      EXPECT_EQ(element(ctx, C.col_indices.span(), k), j);
      EXPECT_EQ(element(ctx, C.values.span(), k), static_cast<T>((1 + i % 3) * (1 + j % 5))) << i << ", " << j;
    }
  }
}

template <class I>
class SpgemmHost : public ::testing::Test {};
TYPED_TEST_SUITE(SpgemmHost, reference::HostInstances, reference::InstanceNames);

TYPED_TEST(SpgemmHost, GivesTheSameBitsForEveryNumberOfThreads) {
  using T = typename TypeParam::Value;
  Context<Host> sequential(1);
  const auto A = random_matrix<T>(sequential, 6000, 5000, 300, 7);
  const auto B = random_matrix<T>(sequential, 5000, 8000, 100, 8);
  const auto expected = product(sequential, A, B);
  for (const int threads : {2, 3, 5}) {
    Context<Host> ctx(threads);
    for (const SpgemmAlgorithm* algorithm : ordered_algorithms<Host>()) {
      EXPECT_TRUE(identical(product(ctx, A, B, algorithm), expected)) << threads << " threads";
    }
  }
}

/// Neighbours of each row, and in every `period`-th one from `first` on all columns.
template <class T>
CsrMatrix<T, Host> band_with_full_rows(Context<Host>& ctx, Index n, Index first, Index period) {
  const auto is_full = [&](Index i) { return i >= first && (i - first) % period == 0; };
  CsrMatrix<T, Host> A = uncounted_matrix<T>(ctx, n, n);
  for (Index i = 0; i < n; ++i) {
    row_counts(A)[static_cast<std::size_t>(i)] = is_full(i) ? n : std::min(i + 2, n) - std::max(i - 1, 0);
  }
  allocate_entries(ctx, A);
  for (Index i = 0; i < n; ++i) {
    const Index first_col = is_full(i) ? 0 : std::max(i - 1, 0);
    const Offset begin = A.row_offsets[static_cast<std::size_t>(i)];
    for (Offset k = begin; k < A.row_offsets[static_cast<std::size_t>(i) + 1]; ++k) {
      A.col_indices[static_cast<std::size_t>(k)] = first_col + static_cast<Index>(k - begin);
      A.values[static_cast<std::size_t>(k)] = static_cast<T>(1.0 / (1.0 + static_cast<double>(k % 1009)));
    }
  }
  return A;
}

TYPED_TEST(SpgemmHost, GivesTheSameBitsWhereFewRowsAreLong) {
  using T = typename TypeParam::Value;
  constexpr Index n = 70'000;
  Context<Host> sequential(1);
  const auto A = band_with_full_rows<T>(sequential, n, n / 9, n / 3);
  const auto B = band_with_full_rows<T>(sequential, n, n, n);
  const auto expected = reference::naive_spgemm(sequential, A, B);
  // The three of them have more than the threads, as many, and fewer.
  for (const int threads : {1, 2, 3, 5}) {
    Context<Host> ctx(threads);
    for (const SpgemmAlgorithm* algorithm : ordered_algorithms<Host>()) {
      EXPECT_TRUE(identical(product(ctx, A, B, algorithm), expected)) << threads << " threads, " << algorithm->name;
    }
  }
}

TYPED_TEST(SpgemmHost, AgreesWithEigen) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  const auto A = random_matrix<T>(ctx, 1500, 900, 200, 9);
  const auto B = random_matrix<T>(ctx, 900, 1100, 80, 10);
  EXPECT_TRUE(
      close(product(ctx, A, B), reference::eigen_spgemm(ctx, A, B), 2.0 * reference::product_error_bound(ctx, A, B)));
}

// The scratch for a single long row is not every thread's.
TEST(SpgemmMemory, ALongRowTakesScratchOnce) {
  constexpr Index n = 300'000;
  const auto peak = [](Index first) {
    Context<Host> ctx(8);
    const auto A = band_with_full_rows<double>(ctx, n, first, n);
    const auto B = band_with_full_rows<double>(ctx, n, n, n);
    const std::size_t before = ctx.memory().bytes_in_use();
    const CsrMatrix<double, Host> C = multiply(ctx, A, B, {.algorithm = spgemm_algorithm("hash")});
    return ctx.memory().peak_bytes() - before - C.bytes();
  };
  // Chunk, list, keys and table: 56 bytes an entry at most, which all threads together would have eight times. Their
  // own are for rows of about 2^16 entries; and each takes a chunk of 2^19 more where one got far ahead of the others.
  const std::size_t of_threads = 8 * ((std::size_t{44} << 16) + (std::size_t{13} << 19));
  EXPECT_LT(peak(n / 2), peak(n) + std::size_t{56} * n + of_threads);
}

// Chunks are as large as rows can get, not as what they are summed of.
TEST(SpgemmMemory, RowsOfFarMoreProductsThanEntriesTakeNoMoreThanTheirs) {
  Context<Host> ctx(2);
  const auto full = [&](Index rows, Index cols) {
    std::vector<reference::Entry> entries;
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) {
        entries.push_back({i, j, 1.0});
      }
    }
    return matrix_from_entries<double>(ctx, rows, cols, std::move(entries));
  };
  const CsrMatrix<double, Host> A = full(40, 2000);
  const CsrMatrix<double, Host> B = full(2000, 1000);
  const std::size_t before = ctx.memory().bytes_in_use();
  const CsrMatrix<double, Host> C = multiply(ctx, A, B);
  EXPECT_EQ(C.nnz(), 40 * 1000);
  EXPECT_EQ(C.values[0], 2000.0);
  EXPECT_LT(ctx.memory().peak_bytes() - before, 20'000'000);  // 2 million products a row would be 24 MB a chunk
}

}  // namespace
}  // namespace amgsolve
