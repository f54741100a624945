#include "spmv/conversions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "spmv/statistics.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::Entry;

template <class Instance>
class Conversions : public ::testing::Test {};
TYPED_TEST_SUITE(Conversions, reference::HostInstances, reference::InstanceNames);

struct Shape {
  Index rows;
  Index cols;
};

// Empty in each way, tiny, wide, tall, and large enough for several threads.
constexpr Shape shapes[] = {{0, 0}, {0, 4}, {4, 0}, {1, 1}, {50, 3000}, {3000, 50}, {8000, 8000}};

template <class T>
CsrMatrix<T, Host> random_matrix(Context<Host>& ctx, const Shape& shape) {
  return reference::random_matrix<T>(ctx, shape.rows, shape.cols, 100, 3);
}

template <class T>
std::vector<Entry> entries_of(const CsrMatrix<T, Host>& A) {
  std::vector<Entry> entries;
  for (Index i = 0; i < A.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (auto k = static_cast<std::size_t>(A.row_offsets[row]); k < static_cast<std::size_t>(A.row_offsets[row + 1]);
         ++k) {
      entries.push_back({i, A.col_indices[k], static_cast<double>(A.values[k])});
    }
  }
  return entries;
}

template <class T>
CooMatrix<T, Host> coo_from_entries(Context<Host>& ctx, Index rows, Index cols, const std::vector<Entry>& entries) {
  CooMatrix<T, Host> A(ctx, rows, cols, static_cast<Offset>(entries.size()));
  for (std::size_t k = 0; k < entries.size(); ++k) {
    A.row_indices[k] = entries[k].row;
    A.col_indices[k] = entries[k].col;
    A.values[k] = static_cast<T>(entries[k].value);
  }
  return A;
}

TYPED_TEST(Conversions, CooInAnyOrderBecomesSortedCsr) {
  using T = typename TypeParam::Value;
  for (const int threads : {1, 2, 7}) {
    Context<Host> ctx(threads);
    for (const Shape& shape : shapes) {
      const auto A = random_matrix<T>(ctx, shape);
      std::vector<Entry> entries = entries_of(A);
      std::shuffle(entries.begin(), entries.end(), std::mt19937(1));
      Offset duplicates = -1;
      const auto B = coo_to_csr(ctx, coo_from_entries<T>(ctx, shape.rows, shape.cols, entries), &duplicates);
      EXPECT_TRUE(reference::identical(B, A)) << shape.rows << " x " << shape.cols << ", " << threads << " threads";
      EXPECT_EQ(duplicates, 0);
    }
  }
}

TYPED_TEST(Conversions, DuplicatesAreSummedInOrderOfOccurrence) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  // 1 vanishes beside 1e20 in either type: only the order given, (1e20 − 1e20) + 1, leaves it.
  const auto A =
      coo_from_entries<T>(ctx, 2, 3, {{1, 2, 1e20}, {0, 1, 5.0}, {1, 2, -1e20}, {1, 0, 7.0}, {1, 2, 1.0}, {0, 1, 0.5}});
  Offset duplicates = -1;
  const auto B = coo_to_csr(ctx, A, &duplicates);
  EXPECT_TRUE(
      reference::identical(B, reference::matrix_from_entries<T>(ctx, 2, 3, {{0, 1, 5.5}, {1, 0, 7.0}, {1, 2, 1.0}})));
  EXPECT_EQ(duplicates, 3);
}

TYPED_TEST(Conversions, ManyDuplicatesHaveTheSameBitsForAnyThreads) {
  using T = typename TypeParam::Value;
  std::mt19937 random(5);
  const auto values = reference::random_values<double>(200000, 6);
  std::vector<Entry> entries;
  for (const double value : values) {
    entries.push_back({static_cast<Index>(random() % 300), static_cast<Index>(random() % 200), value});
  }
  Context<Host> one(1);
  const auto expected = coo_to_csr(one, coo_from_entries<T>(one, 300, 200, entries));
  check_structure(one, expected);
  for (const int threads : {2, 5}) {
    Context<Host> ctx(threads);
    EXPECT_TRUE(reference::identical(coo_to_csr(ctx, coo_from_entries<T>(ctx, 300, 200, entries)), expected));
  }
}

TYPED_TEST(Conversions, IndicesOutsideTheMatrixAreNamed) {
  using T = typename TypeParam::Value;
  Context<Host> ctx(3);
  std::vector<Entry> entries(50000, Entry{1, 1, 1.0});
  entries[40000] = {0, 9, 1.0};
  entries[20000] = {-1, 0, 1.0};
  try {
    coo_to_csr(ctx, coo_from_entries<T>(ctx, 3, 4, entries));
    FAIL() << "accepted an entry outside the matrix";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "entry 20000 is at (-1, 0), outside a 3 x 4 matrix");
  }
}

TYPED_TEST(Conversions, CooRoundTrip) {
  using T = typename TypeParam::Value;
  Context<Host> ctx(3);
  for (const Shape& shape : shapes) {
    const auto A = random_matrix<T>(ctx, shape);
    const auto coo = csr_to_coo(ctx, A);
    EXPECT_TRUE(std::is_sorted(coo.row_indices.data(), coo.row_indices.data() + coo.nnz()));
    EXPECT_TRUE(reference::identical(coo_to_csr(ctx, coo), A));
  }
}

TYPED_TEST(Conversions, EllRoundTrip) {
  using T = typename TypeParam::Value;
  Context<Host> ctx(3);
  for (const Shape& shape : shapes) {
    const auto A = random_matrix<T>(ctx, shape);
    const auto ell = csr_to_ell(ctx, A);
    EXPECT_EQ(ell.width, row_statistics(ctx, A).longest);
    EXPECT_EQ(ell.nnz, A.nnz());
    EXPECT_TRUE(reference::identical(ell_to_csr(ctx, ell), A));
  }
}

TYPED_TEST(Conversions, EllKeepsStoredZeros) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  const auto A = reference::matrix_from_entries<T>(ctx, 2, 2, {{0, 0, 0.0}, {0, 1, 1.0}, {1, 0, 2.0}});
  const auto ell = csr_to_ell(ctx, A);
  EXPECT_EQ(ell.col_indices[1 * 2 + 1], (EllMatrix<T, Host>::padding));
  EXPECT_EQ(ell.values[1 * 2 + 1], T{0});
  EXPECT_TRUE(reference::identical(ell_to_csr(ctx, ell), A));
}

TYPED_TEST(Conversions, TransposeMatchesNaiveReference) {
  using T = typename TypeParam::Value;
  for (const int threads : {1, 2, 7}) {
    Context<Host> ctx(threads);
    for (const Shape& shape : shapes) {
      const auto A = random_matrix<T>(ctx, shape);
      std::vector<Entry> mirrored = entries_of(A);
      for (Entry& entry : mirrored) {
        std::swap(entry.row, entry.col);
      }
      const auto expected = reference::matrix_from_entries<T>(ctx, shape.cols, shape.rows, mirrored);
      EXPECT_TRUE(reference::identical(transpose(ctx, A), expected))
          << shape.rows << " x " << shape.cols << ", " << threads << " threads";
    }
  }
}

TYPED_TEST(Conversions, TransposeSortsAndIsStable) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  auto A = reference::matrix_from_entries<T>(ctx, 2, 3, {{0, 0, 1.0}, {0, 1, 2.0}, {0, 2, 3.0}, {1, 0, 4.0}});
  A.col_indices[0] = 2;
  A.col_indices[1] = 0;
  A.col_indices[2] = 2;
  const auto expected =
      reference::matrix_from_entries<T>(ctx, 3, 2, {{0, 0, 2.0}, {0, 1, 4.0}, {2, 0, 1.0}, {2, 0, 3.0}});
  EXPECT_TRUE(reference::identical(transpose(ctx, A), expected));
}

TYPED_TEST(Conversions, SortsShortAndLongRowsStably) {
  using T = typename TypeParam::Value;
  for (const int threads : {1, 3}) {
    Context<Host> ctx(threads);
    for (const Index row_length : {5, 64, 65, 1000}) {
      std::mt19937 random(9);
      std::vector<Entry> entries;
      for (Index i = 0; i < 60; ++i) {
        for (Index k = 0; k < row_length; ++k) {
          entries.push_back({i, static_cast<Index>(random() % 400), static_cast<double>(k)});
        }
      }
      const auto expected = reference::matrix_from_entries<T>(ctx, 60, 400, entries);
      auto A = reference::matrix_from_entries<T>(ctx, 60, 400, entries);
      for (std::size_t k = 0; k < entries.size(); ++k) {
        A.col_indices[k] = entries[k].col;
        A.values[k] = static_cast<T>(entries[k].value);
      }
      sort_rows(ctx, A);
      EXPECT_TRUE(reference::identical(A, expected)) << "rows of " << row_length;
    }
  }
}

TYPED_TEST(Conversions, ConvertsValues) {
  using T = typename TypeParam::Value;
  Context<Host> ctx(3);
  const auto A = random_matrix<T>(ctx, {8000, 700});
  const auto single = convert_values<float>(ctx, A);
  const auto wide = convert_values<double>(ctx, A);
  std::vector<Entry> entries = entries_of(A);
  EXPECT_TRUE(reference::identical(single, reference::matrix_from_entries<float>(ctx, 8000, 700, entries)));
  EXPECT_TRUE(reference::identical(wide, reference::matrix_from_entries<double>(ctx, 8000, 700, entries)));
}

TYPED_TEST(Conversions, BorrowSharesTheArrays) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  const auto A = random_matrix<T>(ctx, {50, 30});
  const std::size_t before = ctx.memory().bytes_in_use();
  {
    const auto view = borrow(A);
    EXPECT_EQ(view.values.data(), A.values.data());
    EXPECT_TRUE(reference::identical(view, A));
    EXPECT_EQ(ctx.memory().bytes_in_use(), before);
  }
  EXPECT_EQ(ctx.memory().bytes_in_use(), before);
}

}  // namespace
}  // namespace amgsolve
