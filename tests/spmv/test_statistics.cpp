#include "spmv/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/copy.hpp"
#include "core/errors.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/tolerance.hpp"

namespace amgsolve {
namespace {

using reference::matrix_from_entries;

template <class Instance>
class Statistics : public reference::SpaceTest<typename Instance::Space> {};
TYPED_TEST_SUITE(Statistics, reference::Instances, reference::InstanceNames);

/// The matrix in the memory space of the context, array by array, since their sizes may be wrong.
template <class T, class Space>
CsrMatrix<T, Space> upload_arrays(Context<Space>& ctx, const CsrMatrix<T, Host>& A) {
  CsrMatrix<T, Space> B;
  B.rows = A.rows;
  B.cols = A.cols;
  B.row_offsets = upload(ctx, A.row_offsets.span());
  B.col_indices = upload(ctx, A.col_indices.span());
  B.values = upload(ctx, A.values.span());
  return B;
}

template <class Space, class T>
std::string structure_error(const CsrMatrix<T, Host>& A) {
  Context<Space> ctx;
  try {
    check_structure(ctx, upload_arrays(ctx, A));
  } catch (const InputError& error) {
    return error.what();
  }
  return "valid";
}

TYPED_TEST(Statistics, RowLengths) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(
      ctx, matrix_from_entries<T>(host, 4, 5, {{0, 0, 1}, {0, 1, 1}, {0, 4, 1}, {2, 3, 1}, {3, 0, 1}, {3, 1, 1}}));
  const RowStatistics statistics = row_statistics(ctx, A);
  EXPECT_EQ(statistics.shortest, 0);
  EXPECT_EQ(statistics.longest, 3);
  EXPECT_EQ(statistics.mean, 1.5);
  EXPECT_DOUBLE_EQ(statistics.deviation, std::sqrt(5.0) / 2.0);
  EXPECT_EQ(statistics.empty, 1);
  EXPECT_EQ(row_statistics(ctx, reference::upload(ctx, matrix_from_entries<T>(host, 0, 5, {}))).longest, 0);
}

TYPED_TEST(Statistics, RowLengthsOfManyRows) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  const auto A_host = reference::random_matrix<T>(host, 30000, 500, 100, 1);
  double squares = 0.0;
  Offset empty = 0;
  for (std::size_t i = 0; i < 30000; ++i) {
    const Offset length = A_host.row_offsets[i + 1] - A_host.row_offsets[i];
    squares += std::pow(static_cast<double>(length) - static_cast<double>(A_host.nnz()) / 30000.0, 2.0);
    empty += length == 0;
  }
  std::optional<double> deviation;
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
    const RowStatistics statistics = row_statistics(ctx, reference::upload(ctx, borrow(A_host)));
    EXPECT_EQ(statistics.shortest, 0);
    EXPECT_EQ(statistics.longest, 100);
    EXPECT_EQ(statistics.empty, empty);
    const double expected = std::sqrt(squares / 30000.0);
    EXPECT_NEAR(statistics.deviation, expected, reference::summation_bound<double>(30000.0, expected));
    EXPECT_EQ(statistics.deviation, deviation.value_or(statistics.deviation)) << "bits depend on the threads";
    deviation = statistics.deviation;
  });
}

TYPED_TEST(Statistics, DiagonalIsZeroWhereNotStored) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(
      ctx, matrix_from_entries<T>(host, 4, 4, {{0, 0, 2}, {1, 0, 9}, {1, 2, 9}, {3, 0, 9}, {3, 3, -4}}));
  const auto wide = reference::upload(ctx, matrix_from_entries<T>(host, 4, 3, {}));
  Buffer<T, typename TypeParam::Space> diagonal(ctx, 4);
  extract_diagonal(ctx, A, diagonal.span());
  EXPECT_EQ(reference::download(ctx, diagonal.span()), (std::vector<T>{2, 0, 0, -4}));
  EXPECT_THROW(extract_diagonal(ctx, A, diagonal.span().subspan(0, 3)), std::invalid_argument);
  EXPECT_THROW(extract_diagonal(ctx, wide, diagonal.span()), std::invalid_argument);
  const auto rows = reference::upload(ctx, matrix_from_entries<T>(host, 2, 4, {{0, 0, 9}, {0, 1, 2}, {1, 1, 9}}));
  const auto two = diagonal.span().subspan(0, 2);
  extract_diagonal(ctx, rows, 1, two);
  EXPECT_EQ(reference::download(ctx, two), (std::vector<T>{2, 0}));
  EXPECT_THROW(extract_diagonal(ctx, rows, 3, two), std::invalid_argument);
  EXPECT_THROW(extract_diagonal(ctx, rows, -1, two), std::invalid_argument);
}

TYPED_TEST(Statistics, StructureOfValidMatrices) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Host> host;
  EXPECT_EQ(structure_error<Space>(reference::random_matrix<T>(host, 3000, 400, 100, 1)), "valid");
  EXPECT_EQ(structure_error<Space>(matrix_from_entries<T>(host, 0, 0, {})), "valid");
  EXPECT_EQ(structure_error<Space>(matrix_from_entries<T>(host, 3, 0, {})), "valid");
}

TYPED_TEST(Statistics, StructureErrorsNameTheRow) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  const auto broken = [&](const std::function<void(CsrMatrix<T, Host>&)>& damage) {
    auto A = matrix_from_entries<T>(host, 3, 4, {{0, 0, 1}, {0, 2, 1}, {1, 1, 1}, {1, 3, 1}, {2, 0, 1}});
    damage(A);
    return structure_error<typename TypeParam::Space>(A);
  };
  EXPECT_EQ(broken([](auto&) {}), "valid");
  EXPECT_EQ(broken([](auto& A) { A.row_offsets[0] = 1; }), "row 1: begins at entry 1 and not at 0");
  EXPECT_EQ(broken([](auto& A) { A.row_offsets[2] = 1; }), "row 2: ends at entry 1, before its first entry 2");
  EXPECT_EQ(broken([](auto& A) { A.row_offsets[3] = 6; }), "row 3: ends at entry 6, but the matrix has 5 entries");
  EXPECT_EQ(broken([](auto& A) { A.col_indices[3] = 4; }), "row 2: column 5 is outside 1 to 4, counted from 1");
  EXPECT_EQ(broken([](auto& A) { A.col_indices[2] = 4; }), "row 2: column 5 is outside 1 to 4, counted from 1");
  EXPECT_EQ(broken([](auto& A) { A.col_indices[0] = -1; }), "row 1: column 0 is outside 1 to 4, counted from 1");
  EXPECT_EQ(broken([](auto& A) { A.col_indices[4] = -1; }), "row 3: column 0 is outside 1 to 4, counted from 1");
  EXPECT_EQ(broken([](auto& A) { A.col_indices[1] = 0; }), "row 1: column 1 is repeated or out of order");
  EXPECT_EQ(broken([](auto& A) { A.col_indices[2] = 3; }), "row 2: column 4 is repeated or out of order");
  EXPECT_EQ(broken([](auto& A) { A.rows = 2; }), "4 row offsets for a matrix of 2 x 4");
  EXPECT_EQ(broken([&](auto& A) { A.values = Buffer<T, Host>(host, 4); }), "5 column indices but 4 values");
}

TYPED_TEST(Statistics, HashesTellPatternsApart) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  const auto hash_of = [&](const CsrMatrix<T, Host>& A) {
    const std::uint64_t hash = pattern_hash(host, A);
    reference::for_contexts<typename TypeParam::Space>(
        [&](auto& ctx) { EXPECT_EQ(pattern_hash(ctx, reference::upload(ctx, borrow(A))), hash); });
    return hash;
  };
  using reference::Entry;
  const std::vector<std::vector<Entry>> patterns = {
      {{0, 0, 1}, {0, 2, 1}, {1, 1, 1}}, {{0, 0, 1}, {0, 1, 1}, {1, 2, 1}}, {{0, 0, 1}, {1, 1, 1}, {1, 2, 1}},
      {{0, 1, 1}, {0, 2, 1}, {1, 0, 1}}, {{0, 0, 1}, {0, 2, 1}, {2, 1, 1}}, {{0, 0, 1}, {0, 2, 1}}};
  std::set<std::uint64_t> hashes;
  for (const auto& pattern : patterns) {
    hashes.insert(hash_of(matrix_from_entries<T>(host, 3, 3, pattern)));
  }
  EXPECT_EQ(hashes.size(), patterns.size());
  EXPECT_EQ(hash_of(matrix_from_entries<T>(host, 3, 3, {{0, 0, 7}, {0, 2, -1}, {1, 1, 0.5}})),
            hash_of(matrix_from_entries<T>(host, 3, 3, patterns.front())))
      << "values have no part in it";
}

/// Expects find(ctx, A) to give the position in the memory space under test.
template <class Space, class T, class Find>
void expect_first_found(const CsrMatrix<T, Host>& A, const Find& find, Index row, Index col) {
  reference::for_contexts<Space>([&](auto& ctx) {
    const EntryPosition position = find(ctx, reference::upload(ctx, borrow(A)));
    EXPECT_EQ(position.row, row);
    EXPECT_EQ(position.col, col);
  });
}

template <class T>
std::size_t first_entry(const CsrMatrix<T, Host>& A, std::size_t row) {
  return static_cast<std::size_t>(A.row_offsets[row]);
}

TYPED_TEST(Statistics, FindsFirstNonFinite) {
  using T = typename TypeParam::Value;
  const auto expect_found = [](const CsrMatrix<T, Host>& A, Index row, Index col) {
    expect_first_found<typename TypeParam::Space>(
        A, [](auto& ctx, const auto& B) { return find_non_finite(ctx, B); }, row, col);
  };
  Context<Host> host;
  auto A = reference::random_spd_matrix<T>(host, 20000, 6, 1);
  expect_found(A, -1, -1);
  A.values[first_entry(A, 15001) - 1] = std::numeric_limits<T>::quiet_NaN();
  expect_found(A, 15000, A.col_indices[first_entry(A, 15001) - 1]);
  A.values[first_entry(A, 7000)] = -std::numeric_limits<T>::infinity();
  expect_found(A, 7000, A.col_indices[first_entry(A, 7000)]);
}

TYPED_TEST(Statistics, FindsFirstZeroRow) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  auto A = reference::random_spd_matrix<T>(host, 20000, 6, 2);
  const auto empty_row = matrix_from_entries<T>(host, 3, 3, {{0, 0, 1}, {2, 2, 1}});
  const auto find = [](auto& ctx, const CsrMatrix<T, Host>& B) {
    return find_zero_row(ctx, reference::upload(ctx, borrow(B)));
  };
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) { EXPECT_EQ(find(ctx, A), -1); });
  for (const std::size_t row : {std::size_t{16000}, std::size_t{9000}}) {
    for (std::size_t k = first_entry(A, row); k < first_entry(A, row + 1); ++k) {
      A.values[k] = T{0};
    }
  }
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
    EXPECT_EQ(find(ctx, A), 9000);
    EXPECT_EQ(find(ctx, empty_row), 1);
  });
}

/// The first asymmetry, and the estimate of all of it, relative to the rows' own sizes.
template <class T, MemorySpace S>
EntryPosition asymmetry(Context<S>& ctx, const CsrMatrix<T, S>& A, T tolerance) {
  Buffer<T, S> scales(ctx, static_cast<std::size_t>(A.rows));
  scale_by_rows<T>(ctx, A, scales);
  return find_asymmetry(ctx, A, scales, tolerance);
}
template <class T, MemorySpace S>
double defect_of(Context<S>& ctx, CsrMatrix<T, Host> A_host) {
  const auto A = reference::upload(ctx, std::move(A_host));
  Buffer<T, S> scales(ctx, static_cast<std::size_t>(A.rows));
  scale_by_rows<T>(ctx, A, scales);
  return symmetry_defect(ctx, A, scales);
}

TYPED_TEST(Statistics, FindsFirstAsymmetry) {
  using T = typename TypeParam::Value;
  const auto expect_found = [](const CsrMatrix<T, Host>& A, Index row, Index col) {
    expect_first_found<typename TypeParam::Space>(
        A, [](auto& ctx, const auto& B) { return asymmetry(ctx, B, T(1e-3)); }, row, col);
  };
  Context<Host> host;
  auto A = reference::random_spd_matrix<T>(host, 20000, 6, 3);
  expect_found(A, -1, -1);
  // Of a damaged pair, the entry in the upper triangle comes first.
  const std::size_t k = first_entry(A, 12000);
  ASSERT_LT(A.col_indices[k], 12000);
  A.values[k] *= T(1.0005);
  expect_found(A, -1, -1);
  A.values[k] *= T(1.01);
  expect_found(A, A.col_indices[k], 12000);
}

TYPED_TEST(Statistics, AsymmetryOfThePattern) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto lower =
      reference::upload(ctx, matrix_from_entries<T>(host, 3, 3, {{0, 0, 1}, {1, 1, 1}, {2, 0, 5}, {2, 2, 1}}));
  EXPECT_EQ(asymmetry(ctx, lower, T(1e-3)).row, 2);
  EXPECT_EQ(asymmetry(ctx, lower, T(1e-3)).col, 0);
  const auto stored_zero =
      reference::upload(ctx, matrix_from_entries<T>(host, 3, 3, {{0, 0, 1}, {1, 1, 1}, {2, 0, 0}, {2, 2, 1}}));
  EXPECT_EQ(asymmetry(ctx, stored_zero, T(1e-3)).row, -1);
  const auto wide = reference::upload(ctx, matrix_from_entries<T>(host, 3, 4, {}));
  EXPECT_THROW(asymmetry(ctx, wide, T(1e-3)), std::invalid_argument);
}

TYPED_TEST(Statistics, SymmetryDefectSeparatesSymmetricFromNot) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  auto A = reference::random_spd_matrix<T>(host, 5000, 6, 4);
  const double longest = row_statistics(host, A).longest;
  const double rounding = 16.0 * std::pow(longest, 1.5) * static_cast<double>(std::numeric_limits<T>::epsilon());
  EXPECT_LT(defect_of(ctx, borrow(A)), rounding);

  // One entry that lost its mirror: ‖A − Aᵀ‖ is √2 of its size, or a hundredth of that in the estimate at the very
  // least. A is scaled to a largest entry of 1 in each row.
  const std::size_t k = first_entry(A, 2500);
  ASSERT_NE(A.col_indices[k], 2500);
  A.values[k] += T{10};
  Buffer<T, Host> scales(host, 5000);
  scale_by_rows<T>(host, A, scales);
  double squares = 0.0;
  for (std::size_t row = 0; row < 5000; ++row) {
    for (std::size_t entry = first_entry(A, row); entry < first_entry(A, row + 1); ++entry) {
      const double a = static_cast<double>(A.values[entry]) * static_cast<double>(scales[row]) *
                       static_cast<double>(scales[static_cast<std::size_t>(A.col_indices[entry])]);
      squares += a * a;
    }
  }
  const double entry = 10.0 * static_cast<double>(scales[2500]) *
                       static_cast<double>(scales[static_cast<std::size_t>(A.col_indices[k])]);
  const double norm = std::sqrt(2.0) * entry / std::sqrt(squares);
  const double defect = defect_of(ctx, borrow(A));
  EXPECT_GT(defect, 0.01 * norm);
  EXPECT_LT(defect, 5.0 * norm);

  EXPECT_EQ(defect_of(ctx, matrix_from_entries<T>(host, 3, 3, {})), 0.0);
  const auto wide = reference::upload(ctx, matrix_from_entries<T>(host, 3, 4, {}));
  EXPECT_THROW(symmetry_defect(ctx, wide, Buffer<T, typename TypeParam::Space>(ctx, 3)), std::invalid_argument);
}

TYPED_TEST(Statistics, ScalesRowsByTheirLargestEntry) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto measured = [&](std::vector<reference::Entry> entries) {
    const auto A = reference::upload(ctx, matrix_from_entries<T>(host, 4, 4, std::move(entries)));
    Buffer<T, typename TypeParam::Space> scales(ctx, 4);
    const RowMagnitudes magnitudes = scale_by_rows<T>(ctx, A, scales);
    return std::pair(magnitudes, reference::download(ctx, scales.span()));
  };
  const auto [range, scales] = measured({{0, 0, 0.25}, {0, 1, -4.0}, {1, 1, 16.0}, {3, 0, 0.0}, {3, 3, -1.0}});
  EXPECT_EQ(scales, (std::vector<T>{T(0.5), T(0.25), T(0), T(1)}));
  EXPECT_EQ(range.smallest, 0.0);
  EXPECT_EQ(range.largest, 16.0);
  for (const double bad : {nan, -std::numeric_limits<double>::infinity()}) {
    for (const Index column : {0, 1, 2}) {
      std::vector<reference::Entry> entries{{0, 0, 1.0}, {0, 1, 1.0}, {0, 2, 1.0}, {1, 1, 1.0}};
      entries[static_cast<std::size_t>(column)].value = bad;
      EXPECT_EQ(measured(entries).first.largest, std::numeric_limits<double>::infinity());
    }
  }
}

TYPED_TEST(Statistics, NoRowHidesAnAsymmetryBehindALargerOne) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const double huge = sizeof(T) == sizeof(double) ? 1e14 : 1e8;
  const double far = sizeof(T) == sizeof(double) ? 1e200 : 1e25;
  const T tolerance = sizeof(T) == sizeof(double) ? T(1e-10) : T(1e-5);
  for (const double factor : {1.0, far, 1.0 / far}) {
    for (const double lower : {5.0, -1.0}) {
      const auto A = matrix_from_entries<T>(host, 4, 4,
                                            {{0, 0, huge * factor},
                                             {1, 1, 4 * factor},
                                             {1, 2, -1 * factor},
                                             {2, 1, lower * factor},
                                             {2, 2, 4 * factor},
                                             {3, 3, factor / huge}});
      const double defect = defect_of(ctx, borrow(A));
      const EntryPosition found = asymmetry(ctx, reference::upload(ctx, borrow(A)), tolerance);
      EXPECT_EQ(found.row, lower < 0 ? -1 : 1);
      EXPECT_EQ(defect > static_cast<double>(tolerance), lower > 0) << defect;
    }
  }
}

TYPED_TEST(Statistics, SymmetryDefectEstimatesTheNorm) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  const auto A = reference::random_matrix<T>(host, 20000, 20000, 20, 5);
  std::optional<double> first;
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
    // A and Aᵀ have hardly an entry in common, so ‖A − Aᵀ‖ = √2 ‖A‖, which the estimate meets within a few deviations.
    const double defect = defect_of(ctx, borrow(A));
    EXPECT_GT(defect, 0.01);
    EXPECT_LT(defect, 4.0 * std::sqrt(2.0));
    EXPECT_EQ(defect, first.value_or(defect)) << "bits depend on the threads";
    first = defect;
  });
}

}  // namespace
}  // namespace amgsolve
