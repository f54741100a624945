#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/naive_spgemm.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/spgemm_algorithms.hpp"

/// What a product does about operands whose rows are not sorted, and about zeros in its result.
namespace amgsolve {
namespace {

using reference::identical;
using reference::matrix_from_entries;
using reference::ordered_algorithms;
using reference::random_matrix;

template <class I>
class SpgemmInputs : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(SpgemmInputs, reference::Instances, reference::InstanceNames);

/// A with the entries of every row in reverse order.
template <class T>
CsrMatrix<T, Host> reversed(CsrMatrix<T, Host> A) {
  for (std::size_t row = 0; row < static_cast<std::size_t>(A.rows); ++row) {
    const Offset begin = A.row_offsets[row];
    const Offset end = A.row_offsets[row + 1];
    std::reverse(A.col_indices.data() + begin, A.col_indices.data() + end);
    std::reverse(A.values.data() + begin, A.values.data() + end);
  }
  return A;
}

/// A with every entry a_ij stored as a_ij/4 and 3 a_ij/4 side by side: the same matrix, since both are exact.
template <class T>
CsrMatrix<T, Host> split(Context<Host>& ctx, const CsrMatrix<T, Host>& A) {
  CsrMatrix<T, Host> B(ctx, A.rows, A.cols, 2 * A.nnz());
  for (std::size_t row = 0; row < A.row_offsets.size(); ++row) {
    B.row_offsets[row] = 2 * A.row_offsets[row];
  }
  for (std::size_t k = 0; k < B.values.size(); ++k) {
    B.col_indices[k] = A.col_indices[k / 2];
    B.values[k] = A.values[k / 2] * (k % 2 == 0 ? T{0.25} : T{0.75});
  }
  return B;
}

/// A with whole values, whose products and sums are exact in any order.
template <class T>
CsrMatrix<T, Host> whole_values(CsrMatrix<T, Host> A) {
  for (std::size_t k = 0; k < A.values.size(); ++k) {
    A.values[k] = static_cast<T>(1 + k % 7);
  }
  return A;
}

template <class T, MemorySpace S>
std::string multiply_error(Context<S>& ctx, const CsrMatrix<T, Host>& A, const CsrMatrix<T, Host>& B,
                           SpgemmInput input) {
  try {
    multiply(ctx, reference::upload(ctx, borrow(A)), reference::upload(ctx, borrow(B)), {.input = input});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TYPED_TEST(SpgemmInputs, RejectsNamingMatrixAndRow) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto make = [&](std::vector<Index> columns) {
    auto A = matrix_from_entries<T>(host, 3, 3, {{0, 1, 1}, {2, 0, 1}, {2, 1, 1}, {2, 2, 1}});
    std::copy(columns.begin(), columns.end(), A.col_indices.data());
    return A;
  };
  const auto good = make({1, 0, 1, 2});
  const auto unsorted = make({1, 0, 2, 1});
  const auto repeated = make({1, 0, 0, 2});
  const auto outside = make({3, 0, 1, 2});
  EXPECT_EQ(multiply_error(ctx, good, good, SpgemmInput::reject), "none");
  EXPECT_EQ(multiply_error(ctx, unsorted, repeated, SpgemmInput::reject),
            "sparse product A B: A, row 3: column 2 is repeated or out of order");
  EXPECT_EQ(multiply_error(ctx, good, repeated, SpgemmInput::reject),
            "sparse product A B: B, row 3: column 1 is repeated or out of order");
  EXPECT_EQ(multiply_error(ctx, good, outside, SpgemmInput::reject),
            "sparse product A B: B, row 1: column 4 is outside 1 to 3, counted from 1");
}

TYPED_TEST(SpgemmInputs, RejectsOneBadRowAmongMany) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  auto A = random_matrix<T>(host, 20000, 20000, 300, 1);
  std::size_t row = 15000;
  while (A.row_offsets[row + 1] - A.row_offsets[row] < 2) {
    ++row;
  }
  const auto last = static_cast<std::size_t>(A.row_offsets[row + 1]) - 1;
  std::swap(A.col_indices[last - 1], A.col_indices[last]);
  EXPECT_EQ(multiply_error(ctx, A, A, SpgemmInput::reject), "sparse product A B: A, row " + std::to_string(row + 1) +
                                                                ": column " + std::to_string(A.col_indices[last] + 1) +
                                                                " is repeated or out of order");
}

TYPED_TEST(SpgemmInputs, SortsWhatIsUnsortedOrRepeated) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = whole_values(random_matrix<T>(host, 900, 700, 200, 2));
  const auto B = whole_values(random_matrix<T>(host, 700, 1100, 120, 3));
  const auto expected = reference::naive_spgemm(host, A, B);
  const auto forms = [&](const CsrMatrix<T, Host>& M) {
    std::vector<CsrMatrix<T, Host>> made;
    made.push_back(borrow(M));
    made.push_back(reversed(sum_duplicates(host, M)));
    made.push_back(split(host, M));
    made.push_back(reversed(split(host, M)));
    return made;
  };
  for (const auto& A_form : forms(A)) {
    for (const auto& B_form : forms(B)) {
      const auto A_there = reference::upload(ctx, borrow(A_form));
      const auto B_there = reference::upload(ctx, borrow(B_form));
      for (const SpgemmAlgorithm* algorithm : ordered_algorithms<typename TypeParam::Space>()) {
        EXPECT_TRUE(identical(reference::download(ctx, multiply(ctx, A_there, B_there,
                                                                {.algorithm = algorithm, .input = SpgemmInput::sort})),
                              expected))
            << "algorithm " << algorithm->name;
      }
      EXPECT_TRUE(identical(reference::download(ctx, borrow(A_there)), A_form)) << "the operand was changed";
    }
  }
}

TYPED_TEST(SpgemmInputs, SortsNoColumnOutsideTheMatrix) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  auto A = matrix_from_entries<T>(host, 2, 2, {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}});
  A.col_indices[1] = 5;
  const auto A_there = reference::upload(ctx, borrow(A));
  try {
    multiply(ctx, A_there, A_there, {.input = SpgemmInput::sort});
    FAIL() << "expected InputError";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "entry 1 is at (1, 5), outside a 2 x 2 matrix");
  }
}

TYPED_TEST(SpgemmInputs, DropsZerosOfTheResult) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // B has the rows of M twice, the second time negated where M's row is even: those rows of [M M] cancel.
  const auto M = whole_values(random_matrix<T>(host, 500, 400, 60, 4));
  std::vector<reference::Entry> pairs;
  std::vector<reference::Entry> stacked;
  for (Index i = 0; i < M.rows; ++i) {
    pairs.push_back({i, i, 1.0});
    pairs.push_back({i, i + M.rows, 1.0});
    for (auto k = static_cast<std::size_t>(M.row_offsets[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(M.row_offsets[static_cast<std::size_t>(i) + 1]); ++k) {
      const auto value = static_cast<double>(M.values[k]);
      stacked.push_back({i, M.col_indices[k], value});
      stacked.push_back({i + M.rows, M.col_indices[k], i % 2 == 0 ? -value : value});
    }
  }
  const auto A = matrix_from_entries<T>(host, M.rows, 2 * M.rows, pairs);
  const auto B = matrix_from_entries<T>(host, 2 * M.rows, M.cols, stacked);
  const auto kept = reference::naive_spgemm(host, A, B);
  const auto dropped = drop_zeros(host, reference::naive_spgemm(host, A, B));
  ASSERT_EQ(kept.nnz(), M.nnz());
  ASSERT_LT(dropped.nnz(), M.nnz());
  const auto A_there = reference::upload(ctx, borrow(A));
  const auto B_there = reference::upload(ctx, borrow(B));
  for (const SpgemmAlgorithm* algorithm : reference::all_algorithms<typename TypeParam::Space>()) {
    EXPECT_TRUE(identical(
        reference::download(ctx, multiply(ctx, A_there, B_there, {.algorithm = algorithm, .drop_zeros = true})),
        dropped))
        << "algorithm " << algorithm->name;
  }
}

TYPED_TEST(SpgemmInputs, DropsAllOfAResultThatIsZero) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = matrix_from_entries<T>(host, 1, 1, {{0, 0, 0.0}});
  const auto A_there = reference::upload(ctx, borrow(A));
  EXPECT_TRUE(identical(reference::download(ctx, multiply(ctx, A_there, A_there)), A));
  EXPECT_TRUE(identical(reference::download(ctx, multiply(ctx, A_there, A_there, {.drop_zeros = true})),
                        matrix_from_entries<T>(host, 1, 1, {})));
}

}  // namespace
}  // namespace amgsolve
