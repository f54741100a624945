#include "spmv/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/errors.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::matrix_from_entries;

template <class Instance>
class Statistics : public ::testing::Test {};
TYPED_TEST_SUITE(Statistics, reference::HostInstances, reference::InstanceNames);

constexpr int thread_counts[] = {1, 2, 7};

template <class T>
std::string structure_error(CsrMatrix<T, Host> A) {
  Context<Host> ctx(3);
  try {
    check_structure(ctx, A);
  } catch (const InputError& error) {
    return error.what();
  }
  return "valid";
}

TYPED_TEST(Statistics, RowLengths) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  const auto A = matrix_from_entries<T>(ctx, 4, 5, {{0, 0, 1}, {0, 1, 1}, {0, 4, 1}, {2, 3, 1}, {3, 0, 1}, {3, 1, 1}});
  const RowStatistics statistics = row_statistics(ctx, A);
  EXPECT_EQ(statistics.shortest, 0);
  EXPECT_EQ(statistics.longest, 3);
  EXPECT_EQ(statistics.mean, 1.5);
  EXPECT_DOUBLE_EQ(statistics.deviation, std::sqrt(5.0) / 2.0);
  EXPECT_EQ(statistics.empty, 1);
  EXPECT_EQ(row_statistics(ctx, matrix_from_entries<T>(ctx, 0, 5, {})).longest, 0);
}

TYPED_TEST(Statistics, RowLengthsHaveTheSameBitsForAnyThreads) {
  using T = typename TypeParam::Value;
  Context<Host> one(1);
  const auto A = reference::random_matrix<T>(one, 30000, 500, 100, 1);
  const RowStatistics expected = row_statistics(one, A);
  for (const int threads : thread_counts) {
    Context<Host> ctx(threads);
    const RowStatistics statistics = row_statistics(ctx, A);
    EXPECT_EQ(statistics.longest, 100);
    EXPECT_EQ(statistics.empty, expected.empty);
    EXPECT_EQ(statistics.deviation, expected.deviation);
  }
}

TYPED_TEST(Statistics, DiagonalIsZeroWhereNotStored) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  const auto A = matrix_from_entries<T>(ctx, 4, 4, {{0, 0, 2}, {1, 0, 9}, {1, 2, 9}, {3, 0, 9}, {3, 3, -4}});
  Buffer<T, Host> diagonal(ctx, 4);
  extract_diagonal(ctx, A, diagonal.span());
  EXPECT_EQ(reference::download(ctx, diagonal.span()), (std::vector<T>{2, 0, 0, -4}));
  Buffer<T, Host> wrong(ctx, 3);
  EXPECT_THROW(extract_diagonal(ctx, A, wrong.span()), std::invalid_argument);
  EXPECT_THROW(extract_diagonal(ctx, matrix_from_entries<T>(ctx, 4, 3, {}), diagonal.span()), std::invalid_argument);
}

TYPED_TEST(Statistics, StructureOfValidMatrices) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  EXPECT_EQ(structure_error(reference::random_matrix<T>(ctx, 3000, 400, 100, 1)), "valid");
  EXPECT_EQ(structure_error(matrix_from_entries<T>(ctx, 0, 0, {})), "valid");
  EXPECT_EQ(structure_error(matrix_from_entries<T>(ctx, 3, 0, {})), "valid");
}

TYPED_TEST(Statistics, StructureErrorsNameTheRow) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  const auto broken = [&](const std::function<void(CsrMatrix<T, Host>&)>& damage) {
    auto A = matrix_from_entries<T>(ctx, 3, 4, {{0, 0, 1}, {0, 2, 1}, {1, 1, 1}, {1, 3, 1}, {2, 0, 1}});
    damage(A);
    return structure_error(std::move(A));
  };
  EXPECT_EQ(broken([](auto&) {}), "valid");
  EXPECT_EQ(broken([](auto& A) { A.row_offsets[0] = 1; }), "row 0: begins at entry 1 and not at 0");
  EXPECT_EQ(broken([](auto& A) { A.row_offsets[2] = 1; }), "row 1: ends at entry 1, before its first entry 2");
  EXPECT_EQ(broken([](auto& A) { A.row_offsets[3] = 6; }), "row 2: ends at entry 6, but the matrix has 5 entries");
  EXPECT_EQ(broken([](auto& A) { A.col_indices[3] = 4; }), "row 1: column 4 is outside 0 to 3");
  EXPECT_EQ(broken([](auto& A) { A.col_indices[4] = -1; }), "row 2: column -1 is outside 0 to 3");
  EXPECT_EQ(broken([](auto& A) { A.col_indices[1] = 0; }), "row 0: column 0 is repeated or out of order");
  EXPECT_EQ(broken([](auto& A) { A.col_indices[2] = 3; }), "row 1: column 3 is repeated or out of order");
  EXPECT_EQ(broken([](auto& A) { A.rows = 2; }), "4 row offsets for a matrix of 2 x 4");
  EXPECT_EQ(broken([&](auto& A) { A.values = Buffer<T, Host>(ctx, 4); }), "5 column indices but 4 values");
}

/// Damages two rows of a matrix that several threads share and expects the first to be found.
template <class T, class Find>
void expect_first_found(const CsrMatrix<T, Host>& A, const Find& find, Index row, Index col) {
  for (const int threads : thread_counts) {
    Context<Host> ctx(threads);
    const EntryPosition position = find(ctx, A);
    EXPECT_EQ(position.row, row) << threads << " threads";
    EXPECT_EQ(position.col, col) << threads << " threads";
  }
}

template <class T>
std::size_t first_entry(const CsrMatrix<T, Host>& A, std::size_t row) {
  return static_cast<std::size_t>(A.row_offsets[row]);
}

TYPED_TEST(Statistics, FindsFirstNonFinite) {
  using T = typename TypeParam::Value;
  const auto find = [](Context<Host>& ctx, const CsrMatrix<T, Host>& A) { return find_non_finite(ctx, A); };
  Context<Host> ctx;
  auto A = reference::random_spd_matrix<T>(ctx, 20000, 6, 1);
  expect_first_found(A, find, -1, -1);
  A.values[first_entry(A, 15001) - 1] = std::numeric_limits<T>::quiet_NaN();
  expect_first_found(A, find, 15000, A.col_indices[first_entry(A, 15001) - 1]);
  A.values[first_entry(A, 7000)] = -std::numeric_limits<T>::infinity();
  expect_first_found(A, find, 7000, A.col_indices[first_entry(A, 7000)]);
}

TYPED_TEST(Statistics, FindsFirstZeroRow) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  auto A = reference::random_spd_matrix<T>(ctx, 20000, 6, 2);
  EXPECT_EQ(find_zero_row(ctx, A), -1);
  for (const std::size_t row : {std::size_t{16000}, std::size_t{9000}}) {
    for (std::size_t k = first_entry(A, row); k < first_entry(A, row + 1); ++k) {
      A.values[k] = T{0};
    }
  }
  for (const int threads : thread_counts) {
    Context<Host> some(threads);
    EXPECT_EQ(find_zero_row(some, A), 9000);
  }
  EXPECT_EQ(find_zero_row(ctx, matrix_from_entries<T>(ctx, 3, 3, {{0, 0, 1}, {2, 2, 1}})), 1);
}

TYPED_TEST(Statistics, FindsFirstAsymmetry) {
  using T = typename TypeParam::Value;
  const auto find = [](Context<Host>& ctx, const CsrMatrix<T, Host>& A) { return find_asymmetry(ctx, A, T(1e-3)); };
  Context<Host> ctx;
  auto A = reference::random_spd_matrix<T>(ctx, 20000, 6, 3);
  expect_first_found(A, find, -1, -1);
  // Of a damaged pair, the entry in the upper triangle comes first.
  const std::size_t k = first_entry(A, 12000);
  ASSERT_LT(A.col_indices[k], 12000);
  A.values[k] *= T(1.0005);
  expect_first_found(A, find, -1, -1);
  A.values[k] *= T(1.01);
  expect_first_found(A, find, A.col_indices[k], 12000);
}

TYPED_TEST(Statistics, AsymmetryOfThePattern) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  const auto lower = matrix_from_entries<T>(ctx, 3, 3, {{0, 0, 1}, {1, 1, 1}, {2, 0, 5}, {2, 2, 1}});
  EXPECT_EQ(find_asymmetry(ctx, lower, T(1e-3)).row, 2);
  EXPECT_EQ(find_asymmetry(ctx, lower, T(1e-3)).col, 0);
  const auto stored_zero = matrix_from_entries<T>(ctx, 3, 3, {{0, 0, 1}, {1, 1, 1}, {2, 0, 0}, {2, 2, 1}});
  EXPECT_EQ(find_asymmetry(ctx, stored_zero, T(1e-3)).row, -1);
  EXPECT_THROW(find_asymmetry(ctx, matrix_from_entries<T>(ctx, 3, 4, {}), T(1e-3)), std::invalid_argument);
}

TYPED_TEST(Statistics, SymmetryDefectSeparatesSymmetricFromNot) {
  using T = typename TypeParam::Value;
  Context<Host> ctx;
  auto A = reference::random_spd_matrix<T>(ctx, 5000, 6, 4);
  const double longest = row_statistics(ctx, A).longest;
  const double rounding = 16.0 * std::pow(longest, 1.5) * static_cast<double>(std::numeric_limits<T>::epsilon());
  EXPECT_LT(symmetry_defect(ctx, A), rounding);

  // One entry that lost its mirror: ‖A − Aᵀ‖ is √2 of its size, or a tenth of that in the estimate at the very least.
  const std::size_t k = first_entry(A, 2500);
  ASSERT_NE(A.col_indices[k], 2500);
  double squares = 0.0;
  for (std::size_t entry = 0; entry < A.values.size(); ++entry) {
    squares += static_cast<double>(A.values[entry]) * static_cast<double>(A.values[entry]);
  }
  A.values[k] += T{10};
  const double norm = std::sqrt(2.0) * 10.0 / std::sqrt(squares);
  EXPECT_GT(symmetry_defect(ctx, A), 0.01 * norm);
  EXPECT_LT(symmetry_defect(ctx, A), 5.0 * norm);

  EXPECT_EQ(symmetry_defect(ctx, matrix_from_entries<T>(ctx, 3, 3, {})), 0.0);
  EXPECT_THROW(symmetry_defect(ctx, matrix_from_entries<T>(ctx, 3, 4, {})), std::invalid_argument);
}

TYPED_TEST(Statistics, SymmetryDefectEstimatesTheNorm) {
  using T = typename TypeParam::Value;
  Context<Host> one(1);
  const auto A = reference::random_matrix<T>(one, 20000, 20000, 20, 5);
  // A and Aᵀ have hardly an entry in common, so ‖A − Aᵀ‖ = √2 ‖A‖, which the estimate meets within a few deviations.
  const double defect = symmetry_defect(one, A);
  EXPECT_GT(defect, 0.01);
  EXPECT_LT(defect, 4.0 * std::sqrt(2.0));
  for (const int threads : thread_counts) {
    Context<Host> ctx(threads);
    EXPECT_EQ(symmetry_defect(ctx, A), defect);
  }
}

}  // namespace
}  // namespace amgsolve
