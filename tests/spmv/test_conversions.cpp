#include "spmv/conversions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "spmv/statistics.hpp"
#include "spmv/stored_matrix.hpp"
#include "tests/reference/dense_matrix.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::Entry;

template <class Instance>
class Conversions : public reference::SpaceTest<typename Instance::Space> {};
TYPED_TEST_SUITE(Conversions, reference::Instances, reference::InstanceNames);

template <class T>
CsrMatrix<T, Host> random_matrix(Context<Host>& ctx, const reference::Shape& shape) {
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

template <class T, class Space>
CooMatrix<T, Space> coo_from_entries(Context<Space>& ctx, Index rows, Index cols, const std::vector<Entry>& entries) {
  std::vector<Index> row_indices;
  std::vector<Index> col_indices;
  std::vector<T> values;
  for (const Entry& entry : entries) {
    row_indices.push_back(entry.row);
    col_indices.push_back(entry.col);
    values.push_back(static_cast<T>(entry.value));
  }
  CooMatrix<T, Space> A;
  A.rows = rows;
  A.cols = cols;
  A.row_indices = reference::upload_buffer(ctx, row_indices);
  A.col_indices = reference::upload_buffer(ctx, col_indices);
  A.values = reference::upload_buffer(ctx, values);
  return A;
}

TYPED_TEST(Conversions, CooInAnyOrderBecomesSortedCsr) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
    for (const reference::Shape& shape : reference::shapes) {
      const auto A = random_matrix<T>(host, shape);
      std::vector<Entry> entries = entries_of(A);
      std::shuffle(entries.begin(), entries.end(), std::mt19937(1));
      Offset duplicates = -1;
      const auto B = coo_to_csr(ctx, coo_from_entries<T>(ctx, shape.rows, shape.cols, entries), &duplicates);
      EXPECT_TRUE(reference::identical(reference::download(ctx, borrow(B)), A)) << shape.rows << " x " << shape.cols;
      EXPECT_EQ(duplicates, 0);
    }
  });
}

TYPED_TEST(Conversions, DuplicatesAreSummedInOrderOfOccurrence) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  // 1 vanishes beside 1e20 in either type: only the order given, (1e20 − 1e20) + 1, leaves it.
  const auto A =
      coo_from_entries<T>(ctx, 2, 3, {{1, 2, 1e20}, {0, 1, 5.0}, {1, 2, -1e20}, {1, 0, 7.0}, {1, 2, 1.0}, {0, 1, 0.5}});
  Offset duplicates = -1;
  const auto B = coo_to_csr(ctx, A, &duplicates);
  EXPECT_TRUE(
      reference::identical(reference::download(ctx, borrow(B)),
                           reference::matrix_from_entries<T>(host, 2, 3, {{0, 1, 5.5}, {1, 0, 7.0}, {1, 2, 1.0}})));
  EXPECT_EQ(duplicates, 3);
}

TYPED_TEST(Conversions, ManyDuplicatesHaveTheSameBitsEverywhere) {
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
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
    const auto B = coo_to_csr(ctx, coo_from_entries<T>(ctx, 300, 200, entries));
    EXPECT_TRUE(reference::identical(reference::download(ctx, borrow(B)), expected));
  });
}

TYPED_TEST(Conversions, IndicesOutsideTheMatrixAreNamed) {
  using T = typename TypeParam::Value;
  std::vector<Entry> entries(50000, Entry{1, 1, 1.0});
  entries[40000] = {0, 9, 1.0};
  entries[20000] = {-1, 0, 1.0};
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
    try {
      coo_to_csr(ctx, coo_from_entries<T>(ctx, 3, 4, entries));
      FAIL() << "accepted an entry outside the matrix";
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()), "entry 20000 is at (-1, 0), outside a 3 x 4 matrix");
    }
  });
}

TYPED_TEST(Conversions, CooRoundTrip) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const reference::Shape& shape : reference::shapes) {
    const auto A = random_matrix<T>(host, shape);
    const auto coo = csr_to_coo(ctx, reference::upload(ctx, borrow(A)));
    const auto row_indices = reference::download(ctx, coo.row_indices.span());
    EXPECT_TRUE(std::is_sorted(row_indices.begin(), row_indices.end()));
    EXPECT_TRUE(reference::identical(reference::download(ctx, coo_to_csr(ctx, coo)), A));
  }
}

TYPED_TEST(Conversions, PaddedStoragesHaveTheWidthOfTheirRows) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Host> host;
  Context<Space> ctx;
  for (const reference::Shape& shape : reference::shapes) {
    const auto A = random_matrix<T>(host, shape);
    const auto ell = store<EllMatrix<T, Space>>(ctx, reference::upload(ctx, borrow(A)));
    EXPECT_EQ(ell.width, row_statistics(host, A).longest);
    EXPECT_EQ(ell.nnz(), A.nnz());
    const auto sell = store<SellMatrix<T, Space>>(ctx, reference::upload(ctx, borrow(A)));
    const auto slice_offsets = reference::download(ctx, sell.slice_offsets.span());
    EXPECT_EQ(slice_offsets.front(), 0);
    const auto places = reference::download(ctx, sell.places.span());
    std::vector<Offset> longest(slice_offsets.size() - 1);
    for (std::size_t i = 0; i + 1 < A.row_offsets.size(); ++i) {
      const std::size_t place = places.empty() ? i : i / sorted_rows * sorted_rows + places[i];
      Offset& of_slice = longest[place / slice_rows];
      of_slice = std::max(of_slice, A.row_offsets[i + 1] - A.row_offsets[i]);
    }
    for (std::size_t s = 0; s < longest.size(); ++s) {
      EXPECT_EQ(slice_offsets[s + 1] - slice_offsets[s], longest[s]);
    }
    EXPECT_EQ(sell.col_indices.size(), static_cast<std::size_t>(slice_offsets.back() * slice_rows));
  }
}

TYPED_TEST(Conversions, EllKeepsStoredZeros) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Host> host;
  Context<Space> ctx;
  const auto A = reference::matrix_from_entries<T>(host, 2, 2, {{0, 0, 0.0}, {0, 1, 1.0}, {1, 0, 2.0}});
  const auto ell = store<EllMatrix<T, Space>>(ctx, reference::upload(ctx, borrow(A)));
  EXPECT_EQ(reference::download(ctx, ell.col_indices.span()), (std::vector<Index>{0, 0, 1, padding}));
  EXPECT_EQ(reference::download(ctx, ell.values.span()), (std::vector<T>{0, 2, 1, 0}));
}

TYPED_TEST(Conversions, TransposeMatchesNaiveReference) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
    for (const reference::Shape& shape : reference::shapes) {
      const auto A = random_matrix<T>(host, shape);
      std::vector<Entry> mirrored = entries_of(A);
      for (Entry& entry : mirrored) {
        std::swap(entry.row, entry.col);
      }
      const auto expected = reference::matrix_from_entries<T>(host, shape.cols, shape.rows, mirrored);
      const auto At = transpose(ctx, reference::upload(ctx, borrow(A)));
      EXPECT_TRUE(reference::identical(reference::download(ctx, borrow(At)), expected))
          << shape.rows << " x " << shape.cols;
    }
  });
}

TYPED_TEST(Conversions, TransposeSortsAndIsStable) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  auto A = reference::matrix_from_entries<T>(host, 2, 3, {{0, 0, 1.0}, {0, 1, 2.0}, {0, 2, 3.0}, {1, 0, 4.0}});
  A.col_indices[0] = 2;
  A.col_indices[1] = 0;
  A.col_indices[2] = 2;
  const auto expected =
      reference::matrix_from_entries<T>(host, 3, 2, {{0, 0, 2.0}, {0, 1, 4.0}, {2, 0, 1.0}, {2, 0, 3.0}});
  const auto At = transpose(ctx, reference::upload(ctx, borrow(A)));
  EXPECT_TRUE(reference::identical(reference::download(ctx, borrow(At)), expected));
}

/// Rows with columns in any order, some of them several times.
template <class T>
struct UnsortedRows {
  CsrMatrix<T, Host> A;
  CsrMatrix<T, Host> sorted;

  UnsortedRows(Context<Host>& host, Index row_length) {
    std::mt19937 random(9);
    std::vector<Entry> entries;
    for (Index i = 0; i < 60; ++i) {
      for (Index k = 0; k < row_length; ++k) {
        entries.push_back({i, static_cast<Index>(random() % 400), static_cast<double>(k)});
      }
    }
    sorted = reference::matrix_from_entries<T>(host, 60, 400, entries);
    A = reference::matrix_from_entries<T>(host, 60, 400, entries);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      A.col_indices[k] = entries[k].col;
      A.values[k] = static_cast<T>(entries[k].value);
    }
  }
};

TYPED_TEST(Conversions, SortsShortAndLongRowsStably) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
    for (const Index row_length : {5, 64, 65, 1000}) {
      const UnsortedRows<T> rows(host, row_length);
      auto A = upload(ctx, rows.A);
      sort_rows(ctx, A);
      EXPECT_TRUE(reference::identical(reference::download(ctx, borrow(A)), rows.sorted)) << "rows of " << row_length;
    }
  });
}

/// A over its arrays, which are to be written.
template <class T, class Space>
CsrMatrix<T, Space> borrow_to_write(CsrMatrix<T, Space>& A) {
  CsrMatrix<T, Space> view = borrow(A);
  view.row_offsets = Buffer<Offset, Space>::borrow(A.row_offsets.span());
  view.col_indices = Buffer<Index, Space>::borrow(A.col_indices.span());
  view.values = Buffer<T, Space>::borrow(A.values.span());
  return view;
}

TYPED_TEST(Conversions, SortsRowsOfBorrowedArraysWhereTheyAre) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Host> host;
  Context<Space> ctx;
  for (const Index row_length : {5, 1000}) {
    const UnsortedRows<T> rows(host, row_length);
    auto lender = upload(ctx, rows.A);
    auto A = borrow_to_write(lender);
    sort_rows(ctx, A);
    EXPECT_TRUE(reference::identical(reference::download(ctx, borrow(lender)), rows.sorted))
        << "rows of " << row_length;
  }
}

TEST(SortRows, KeepsAllEntriesWhereMemoryRunsOut) {
  Context<Host> ctx(1);
  UnsortedRows<double> rows(ctx, 1000);
  const auto unsorted = convert_values<double>(ctx, rows.A);
  auto A = borrow_to_write(rows.A);
  bool is_sorted = false;
  int failures = 0;
  for (std::size_t room = 0; !is_sorted; room += 4096) {
    ctx.memory().set_limit(ctx.memory().bytes_in_use() + room);
    try {
      sort_rows(ctx, A);
      is_sorted = true;
    } catch (const OutOfMemoryError&) {
      ++failures;
      ASSERT_TRUE(reference::identical(A, unsorted)) << room << " bytes";
    }
  }
  EXPECT_GT(failures, 0);
  EXPECT_TRUE(reference::identical(A, rows.sorted));
}

TYPED_TEST(Conversions, SumsDuplicatesOfUnsortedRows) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  // 1 is lost in `large`, so that in the order of occurrence 1 + large − large is 0, and 1 in any that ends with 1.
  const T large = T{4} / std::numeric_limits<T>::epsilon();
  auto A = reference::matrix_from_entries<T>(host, 3, 5, {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {2, 4, 5}});
  const std::vector<Index> columns{3, 1, 3, 3, 4};
  const std::vector<T> values{T{1}, T{2}, large, -large, T{5}};
  std::copy(columns.begin(), columns.end(), A.col_indices.data());
  std::copy(values.begin(), values.end(), A.values.data());
  const auto expected = reference::matrix_from_entries<T>(host, 3, 5, {{0, 1, 2.0}, {0, 3, 0.0}, {2, 4, 5.0}});
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
    EXPECT_TRUE(reference::identical(reference::download(ctx, sum_duplicates(ctx, reference::upload(ctx, borrow(A)))),
                                     expected));
    for (const reference::Shape& shape : reference::shapes) {
      const auto B = random_matrix<T>(host, shape);
      EXPECT_TRUE(
          reference::identical(reference::download(ctx, sum_duplicates(ctx, reference::upload(ctx, borrow(B)))), B));
    }
  });
}

TYPED_TEST(Conversions, DropsZeros) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
    for (const reference::Shape& shape : reference::shapes) {
      auto A = random_matrix<T>(host, shape);
      std::vector<Entry> kept;
      for (Entry entry : entries_of(A)) {
        if ((entry.row + entry.col) % 3 != 0) {
          kept.push_back(entry);
        }
      }
      for (std::size_t row = 0; row < static_cast<std::size_t>(A.rows); ++row) {
        for (auto k = static_cast<std::size_t>(A.row_offsets[row]);
             k < static_cast<std::size_t>(A.row_offsets[row + 1]); ++k) {
          if ((static_cast<Index>(row) + A.col_indices[k]) % 3 == 0) {
            A.values[k] = k % 2 == 0 ? T{0} : -T{0};
          }
        }
      }
      const auto expected = reference::matrix_from_entries<T>(host, shape.rows, shape.cols, kept);
      EXPECT_TRUE(
          reference::identical(reference::download(ctx, drop_zeros(ctx, reference::upload(ctx, borrow(A)))), expected))
          << shape.rows << " x " << shape.cols;
    }
  });
}

TYPED_TEST(Conversions, DropsNothingWhereThereAreNoZeros) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  auto A = reference::upload(ctx, reference::matrix_from_entries<T>(host, 2, 2, {{0, 0, nan}, {1, 0, 1e-30}}));
  const T* values = A.values.data();
  const auto kept = drop_zeros(ctx, std::move(A));
  EXPECT_EQ(kept.values.data(), values) << "the matrix was copied";
  EXPECT_EQ(kept.nnz(), 2);
}

TYPED_TEST(Conversions, ConvertsValues) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A_host = random_matrix<T>(host, {8000, 700});
  const auto A = reference::upload(ctx, borrow(A_host));
  const std::vector<Entry> entries = entries_of(A_host);
  EXPECT_TRUE(reference::identical(reference::download(ctx, convert_values<float>(ctx, A)),
                                   reference::matrix_from_entries<float>(host, 8000, 700, entries)));
  EXPECT_TRUE(reference::identical(reference::download(ctx, convert_values<double>(ctx, A)),
                                   reference::matrix_from_entries<double>(host, 8000, 700, entries)));
}

TYPED_TEST(Conversions, ConvertsValuesInTheOtherArraysOfAMatrix) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  auto A = reference::upload(ctx, random_matrix<T>(host, {800, 700}));
  const auto expected = reference::download(ctx, convert_values<float>(ctx, A, -0.5));
  const auto* const offsets = std::as_const(A).row_offsets.data();
  const auto* const columns = std::as_const(A).col_indices.data();
  const auto B = convert_values<float>(ctx, std::move(A), -0.5);
  EXPECT_EQ(B.row_offsets.data(), offsets);
  EXPECT_EQ(B.col_indices.data(), columns);
  EXPECT_TRUE(reference::identical(reference::download(ctx, borrow(B)), expected));
}

TYPED_TEST(Conversions, BorrowSharesTheArrays) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A_host = random_matrix<T>(host, {50, 30});
  const auto A = reference::upload(ctx, borrow(A_host));
  const std::size_t before = ctx.memory().bytes_in_use();
  {
    const auto view = borrow(A);
    EXPECT_EQ(view.values.data(), A.values.data());
    EXPECT_TRUE(reference::identical(reference::download(ctx, borrow(view)), A_host));
    EXPECT_EQ(ctx.memory().bytes_in_use(), before);
  }
  EXPECT_EQ(ctx.memory().bytes_in_use(), before);
}

}  // namespace
}  // namespace amgsolve
