#include "spmv/operator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/communicator_forwarding.hpp"
#include "core/timer.hpp"
#include "spmv/conversions.hpp"
#include "spmv/spmv.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/naive_spmv.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/tolerance.hpp"
#include "tests/spmv/stored_products.hpp"

namespace amgsolve {
namespace {

template <class Instance>
class Products : public reference::SpaceTest<typename Instance::Space> {};
TYPED_TEST_SUITE(Products, reference::Instances, reference::InstanceNames);

TYPED_TEST(Products, MatchNaiveReference) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const Shape& shape : shapes) {
    const auto A_host = reference::random_matrix<T>(host, shape.rows, shape.cols, shape.longest_row, 7);
    const auto A = reference::upload(ctx, borrow(A_host));
    for (const StorageEntry& entry : storages) {
      const auto stored_A = stored<T>(ctx, A_host, entry.storage);
      // Of the others only the smallest share patterns.
      EXPECT_EQ(std::min(stored_A.storage(), Storage::sell), std::min(entry.storage, Storage::sell));
      EXPECT_EQ(stored_A.rows(), A_host.rows);
      EXPECT_EQ(stored_A.cols(), A_host.cols);
      EXPECT_EQ(stored_A.nnz(), A_host.nnz());
      for (const Index k : column_counts) {
        SCOPED_TRACE(::testing::Message()
                     << shape.rows << " x " << shape.cols << ", " << k << " columns, storage " << entry.name);
        for (const T beta : {T{0}, T(-0.5)}) {
          expect_product<T>(ctx, A_host, k, T(1.5), beta,
                            [&](auto X, auto Y) { stored_A.apply(ctx, T(1.5), X, beta, Y); });
          if (entry.storage == Storage::csr) {
            expect_product<T>(ctx, A_host, k, T(1.5), beta, [&](auto X, auto Y) { spmv(ctx, T(1.5), A, X, beta, Y); });
          }
        }
      }
    }
  }
}

/// Ranks that are at work on something else.
class BusyRanks final : public ForwardingCommunicator {
 public:
  BusyRanks() : ForwardingCommunicator(Communicator::serial()) {}

  void sum_ranks(Span<std::int64_t, Host>) const override { throw std::logic_error("the others sum nothing"); }
  std::int64_t max(std::int64_t) const override { throw std::logic_error("the others look for nothing"); }
};

TYPED_TEST(Products, AreThoseOfARankByItself) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Host> host;
  Context<Space> ctx;
  const BusyRanks ranks;
  const typename Context<Space>::Together together(ctx, ranks);
  const auto A_host = reference::random_matrix<T>(host, 300, 200, 90, 7);
  const auto A = reference::upload(ctx, borrow(A_host));
  expect_product<T>(ctx, A_host, 2, T(1.5), T(-0.5), [&](auto X, auto Y) { spmv(ctx, T(1.5), A, X, T(-0.5), Y); });
}

/// Several columns are read at once where X begins as it has to for that.
TYPED_TEST(Products, HaveTheSameBitsWhereverXBegins) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Host> host;
  Context<Space> ctx;
  const auto A_host = reference::random_matrix<T>(host, 900, 700, 90, 3);
  for (const StorageEntry& entry : storages) {
    const auto A = stored<T>(ctx, A_host, entry.storage);
    for (const Index k : {1, 4, 8}) {
      const auto X = reference::random_values<T>(count(A.cols(), k), 4);
      std::vector<T> later(1, std::numeric_limits<T>::quiet_NaN());
      later.insert(later.end(), X.begin(), X.end());
      const auto X_there = reference::upload(ctx, X, k);
      const auto later_there = reference::upload(ctx, later, 1);
      auto Y = reference::upload(ctx, unset<T>(count(A.rows(), k)), k);
      auto Y_later = reference::upload(ctx, unset<T>(count(A.rows(), k)), k);
      A.apply(ctx, T{1}, X_there, T{0}, Y);
      A.apply(ctx, T{1}, {later_there.view().data + 1, A.cols(), k}, T{0}, Y_later);
      EXPECT_EQ(reference::download(ctx, Y), reference::download(ctx, Y_later)) << k << " columns, " << entry.name;
    }
  }
}

/// As rounding in double of the last sum cannot be told from a product in T, both bounds count it.
TYPED_TEST(Products, OfACallerTakeThePlaceOfStoredOnes) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Host> host;
  Context<Space> ctx;
  const auto A_host = reference::random_matrix<T>(host, 900, 900, 40, 3);
  const auto other_host = reference::random_matrix<T>(host, 900, 900, 40, 4);
  const auto A = stored<T>(ctx, A_host, Storage::csr);
  const auto resembling = stored<T>(ctx, other_host, Storage::sell);
  const Operator<T, Space> free(resembling,
                                [&](Context<Space>& there, auto X, auto Y) { A.apply(there, T{1}, X, T{0}, Y); });
  EXPECT_EQ(free.rows(), 900);
  EXPECT_EQ(free.cols(), 900);
  EXPECT_EQ(free.nnz(), resembling.nnz());
  EXPECT_EQ(free.bytes(), 0u);
  EXPECT_TRUE(reference::identical(other_host, free.to_csr(ctx, host)));
  const auto lowest_connected = [&](const Operator<T, Space>& of) {
    Buffer<Index, Space> lowest(ctx, 300);
    of.find_lowest_connected(ctx, 3, lowest);
    return reference::download(ctx, lowest.span());
  };
  EXPECT_EQ(lowest_connected(free), lowest_connected(resembling));
  EXPECT_THROW(free.find_lowest_connected(ctx, 7, Buffer<Index, Space>(ctx, 128)), std::invalid_argument);
  for (const Index k : {1, 3}) {
    for (const auto& [alpha, beta] : {std::pair(T{1}, T{0}), std::pair(T(1.5), T(-0.5)), std::pair(T(1.5), T{0})}) {
      expect_product<T>(ctx, A_host, k, alpha, beta,
                        [&, a = alpha, b = beta](auto X, auto Y) { free.apply(ctx, a, X, b, Y); });
    }
    const auto X = reference::random_values<T>(count(900, k), 4);
    const auto B = reference::random_values<T>(count(900, k), 5);
    auto product = reference::naive_spmv(A_host, X, k);
    auto magnitudes = reference::naive_spmv(other_host, X, k).magnitudes;
    for (std::size_t i = 0; i < B.size(); ++i) {
      product.values[i] = static_cast<double>(B[i]) - product.values[i];
      product.magnitudes[i] += std::abs(static_cast<double>(B[i]));
      magnitudes[i] += std::abs(static_cast<double>(B[i]));
    }
    const auto B_there = reference::upload(ctx, B, k);
    const auto X_there = reference::upload(ctx, X, k);
    auto R = reference::upload(ctx, unset<T>(B.size()), k);
    free.residual(ctx, B_there, X_there, R);
    expect_close(reference::download(ctx, R), product.values, product.terms, 1.0, product.magnitudes);
    auto R_double = reference::upload(ctx, unset<double>(B.size()), k);
    auto magnitudes_there = reference::upload(ctx, unset<T>(B.size()), k);
    free.judged_residual(ctx, B_there, X_there, R_double, magnitudes_there);
    const std::vector<double> judged = reference::download(ctx, R_double);
    expect_close(std::vector<T>(judged.begin(), judged.end()), product.values, product.terms, 2.0, product.magnitudes);
    expect_close(reference::download(ctx, magnitudes_there), magnitudes, product.terms, 41.0, magnitudes);
  }
}

TYPED_TEST(Products, ResidualMatchesNaiveReference) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  Context<Host> host;
  Context<Space> ctx;
  const auto A_host = reference::random_matrix<T>(host, 9000, 700, 100, 3);
  for (const StorageEntry& entry : storages) {
    const auto A = stored<T>(ctx, A_host, entry.storage);
    for (const Index k : column_counts) {
      const auto X = reference::random_values<T>(count(A.cols(), k), 4);
      const auto B = reference::random_values<T>(count(A.rows(), k), 5);
      auto product = reference::naive_spmv(A_host, X, k);
      for (std::size_t i = 0; i < B.size(); ++i) {
        product.values[i] = static_cast<double>(B[i]) - product.values[i];
        product.magnitudes[i] += std::abs(static_cast<double>(B[i]));
      }
      const auto B_there = reference::upload(ctx, B, k);
      const auto X_there = reference::upload(ctx, X, k);
      auto R = reference::upload(ctx, unset<T>(B.size()), k);
      A.residual(ctx, B_there, X_there, R);
      expect_close(reference::download(ctx, R), product.values, product.terms, 1.0, product.magnitudes);
      auto R_double = reference::upload(ctx, unset<double>(B.size()), k);
      auto magnitudes = reference::upload(ctx, unset<T>(B.size()), k);
      A.judged_residual(ctx, B_there, X_there, R_double, magnitudes);
      expect_close(reference::download(ctx, R_double), product.values, product.terms, 1.0, product.magnitudes);
      expect_close(reference::download(ctx, magnitudes), product.magnitudes, product.terms, 1.0, product.magnitudes);
    }
  }
}

// 1 between 2⁶⁰ and −2⁶⁰ in every row but the first and the last.
TYPED_TEST(Products, JudgedResidualKeepsWhatLargeTermsLeave) {
  using T = typename TypeParam::Value;
  constexpr Index n = 200;
  constexpr double large = 0x1p60;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  std::vector<reference::Entry> entries{{0, 0, 1.0}, {0, 1, -large}};
  for (Index i = 1; i + 1 < n; ++i) {
    entries.insert(entries.end(), {{i, i - 1, large}, {i, i, 1.0}, {i, i + 1, -large}});
  }
  entries.insert(entries.end(), {{n - 1, n - 2, large}, {n - 1, n - 1, 1.0}});
  const auto A_host = reference::matrix_from_entries<T>(host, n, n, entries);
  for (const StorageEntry& entry : storages) {
    const auto A = stored<T>(ctx, A_host, entry.storage);
    for (const Index k : {1, 3, 8}) {
      SCOPED_TRACE(::testing::Message() << k << " columns, storage " << entry.name);
      const auto ones = reference::upload(ctx, std::vector<T>(count(n, k), T{1}), k);
      auto R = reference::upload(ctx, unset<double>(count(n, k)), k);
      auto magnitudes = reference::upload(ctx, unset<T>(count(n, k)), k);
      A.judged_residual(ctx, ones, ones, R, magnitudes);
      std::vector<double> residual(count(n, k), 0.0);
      std::vector<T> scale(count(n, k), static_cast<T>(2.0 * large));
      for (std::size_t j = 0; j < count(1, k); ++j) {
        residual[j] = large;
        residual[count(n - 1, k) + j] = -large;
        scale[j] = scale[count(n - 1, k) + j] = static_cast<T>(large);
      }
      EXPECT_EQ(reference::download(ctx, R), residual);
      EXPECT_EQ(reference::download(ctx, magnitudes), scale);
    }
  }
}

/// Terms of 42 bits, whose sum takes more than double's 53, and long double's 64 hold: that of doubles alone is wrong
/// by some hundreds of u.
TYPED_TEST(Products, JudgedResidualOfALongRowIsThatOfAShortOne) {
  using T = typename TypeParam::Value;
  using Space = typename TypeParam::Space;
  constexpr Index n = 50000;
  Context<Host> host;
  Context<Space> ctx;
  const auto rounded = [](std::vector<T> values) {
    for (T& value : values) {
      value = std::ldexp(std::round(std::ldexp(T{2} + value, 22)), -22);
    }
    return values;
  };
  CsrMatrix<T, Host> A_host(host, 3, n, n + 2);
  A_host.row_offsets[0] = 0;
  A_host.row_offsets[1] = 1;
  A_host.row_offsets[2] = n + 1;
  A_host.row_offsets[3] = n + 2;
  const std::vector<T> values = rounded(reference::random_values<T>(A_host.values.size(), 1));
  std::ranges::copy(values, A_host.values.data());
  A_host.col_indices[0] = 0;
  std::iota(A_host.col_indices.data() + 1, A_host.col_indices.data() + n + 1, 0);
  A_host.col_indices[static_cast<std::size_t>(n) + 1] = n - 1;
  for (const StorageEntry& entry : storages) {
    const auto A = stored<T>(ctx, A_host, entry.storage);
    for (const Index k : {1, 3, 8}) {
      SCOPED_TRACE(::testing::Message() << k << " columns, storage " << entry.name);
      const std::vector<T> X = rounded(reference::random_values<T>(count(n, k), 2));
      std::vector<T> B(count(3, k));
      std::vector<long double> expected(B.size());
      std::vector<long double> magnitudes(B.size());
      for (std::size_t i = 0; i < B.size(); ++i) {
        const std::size_t row = i / static_cast<std::size_t>(k);
        for (Offset e = A_host.row_offsets[row]; e < A_host.row_offsets[row + 1]; ++e) {
          const auto place = static_cast<std::size_t>(e);
          const auto column = static_cast<std::size_t>(A_host.col_indices[place]);
          magnitudes[i] += static_cast<long double>(A_host.values[place]) *
                           static_cast<long double>(X[count(static_cast<Index>(column), k) + i % count(1, k)]);
        }
        B[i] = static_cast<T>(magnitudes[i]);
        expected[i] = static_cast<long double>(B[i]) - magnitudes[i];
        magnitudes[i] += static_cast<long double>(B[i]);
      }
      auto R = reference::upload(ctx, unset<double>(B.size()), k);
      auto magnitudes_there = reference::upload(ctx, unset<T>(B.size()), k);
      A.judged_residual(ctx, reference::upload(ctx, B, k), reference::upload(ctx, X, k), R, magnitudes_there);
      const std::vector<double> residual = reference::download(ctx, R);
      for (std::size_t i = 0; i < B.size(); ++i) {
        // Products are exact here; of the residual the last rounding remains, and of the errors n² u².
        const auto error = static_cast<double>(std::abs(static_cast<long double>(residual[i]) - expected[i]));
        const auto magnitude = static_cast<double>(magnitudes[i]);
        constexpr double u = std::numeric_limits<double>::epsilon() / 2.0;
        EXPECT_LE(error, u * std::abs(residual[i]) + n * u * n * u * magnitude) << "value " << i;
      }
    }
  }
}

/// A smoothing step with rows [first, first + rows) of a square matrix, given as they are or as a strip.
template <class T, class Space>
std::vector<T> smoothed(Context<Space>& ctx, const Operator<T, Space>& A, Index first, const std::vector<T>& d, T c,
                        const std::vector<T>& B, const std::vector<T>& X, const std::vector<T>& previous, Index k) {
  const auto own = [&](const std::vector<T>& x, Index columns) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(count(first, columns));
    return std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(count(A.rows(), columns)));
  };
  auto X_out = reference::upload(ctx, own(previous, k), k);
  A.smoothing_step(ctx, reference::upload_buffer(ctx, own(d, 1)), T(0.7), T(1.4), c,
                   reference::upload(ctx, own(B, k), k), reference::upload(ctx, X, k), X_out, first);
  return reference::download(ctx, X_out);
}

/// Rows [begin, end) of A as a matrix.
template <class T>
CsrMatrix<T, Host> strip(Context<Host>& host, const CsrMatrix<T, Host>& A, Index begin, Index end) {
  const Offset first = A.row_offsets[static_cast<std::size_t>(begin)];
  CsrMatrix<T, Host> rows(host, end - begin, A.cols, A.row_offsets[static_cast<std::size_t>(end)] - first);
  for (Index i = 0; i <= rows.rows; ++i) {
    rows.row_offsets[static_cast<std::size_t>(i)] = A.row_offsets[static_cast<std::size_t>(begin + i)] - first;
  }
  std::copy_n(A.col_indices.data() + first, rows.nnz(), rows.col_indices.data());
  std::copy_n(A.values.data() + first, rows.nnz(), rows.values.data());
  return rows;
}

TYPED_TEST(Products, SmoothingStepMatchesNaiveReference) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A_host = reference::random_matrix<T>(host, 3000, 3000, 100, 6);
  const auto d = reference::random_values<T>(3000, 7);
  for (const StorageEntry& entry : storages) {
    const auto A = stored<T>(ctx, A_host, entry.storage);
    const auto A_strip = stored<T>(ctx, strip(host, A_host, 1000, 2500), entry.storage);
    for (const Index k : column_counts) {
      for (const T c : {T{0}, T(-0.4)}) {
        const auto n = count(A.rows(), k);
        const auto X = reference::random_values<T>(n, 8);
        const auto B = reference::random_values<T>(n, 9);
        const auto previous = c == T{0} ? unset<T>(n) : reference::random_values<T>(n, 10);
        auto product = reference::naive_spmv(A_host, X, k);
        for (std::size_t i = 0; i < n; ++i) {
          const double scale = static_cast<double>(T(0.7)) * static_cast<double>(d[i / static_cast<std::size_t>(k)]);
          const double kept = static_cast<double>(T(1.4)) * static_cast<double>(X[i]);
          const double old = c == T{0} ? 0.0 : static_cast<double>(c) * static_cast<double>(previous[i]);
          const auto b = static_cast<double>(B[i]);
          product.values[i] = scale * (b - product.values[i]) + kept + old;
          product.magnitudes[i] =
              std::abs(scale) * (std::abs(b) + product.magnitudes[i]) + std::abs(kept) + std::abs(old);
        }
        const auto X_out = smoothed(ctx, A, 0, d, c, B, X, previous, k);
        expect_close(X_out, product.values, product.terms, 6.0, product.magnitudes);
        if (entry.storage != Storage::csr || std::is_same_v<typename TypeParam::Space, Host>) {
          const auto own = X_out.begin() + static_cast<std::ptrdiff_t>(count(1000, k));
          EXPECT_EQ(smoothed(ctx, A_strip, 1000, d, c, B, X, previous, k),
                    std::vector<T>(own, own + static_cast<std::ptrdiff_t>(count(1500, k))));
        }
      }
    }
  }
}

/// Entries between rows of the same parity left out, but for the diagonal.
template <class T>
std::vector<reference::Entry> red_and_black(Context<Host>& host, Index rows) {
  const auto random = reference::random_matrix<T>(host, rows, rows, 100, 12);
  std::vector<reference::Entry> entries;
  for (Index i = 0; i < rows; ++i) {
    for (Offset k = random.row_offsets[static_cast<std::size_t>(i)];
         k < random.row_offsets[static_cast<std::size_t>(i) + 1]; ++k) {
      const Index j = random.col_indices[static_cast<std::size_t>(k)];
      if (i == j || (i + j) % 2 != 0) {
        entries.push_back({i, j, static_cast<double>(random.values[static_cast<std::size_t>(k)])});
      }
    }
  }
  return entries;
}

TYPED_TEST(Products, TheDiagonalIsWhatIsStoredOfIt) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A_host = reference::random_matrix<T>(host, 3000, 3000, 100, 16);
  std::vector<T> expected(3000, T{0});
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (auto k = static_cast<std::size_t>(A_host.row_offsets[i]);
         k < static_cast<std::size_t>(A_host.row_offsets[i + 1]); ++k) {
      expected[i] += A_host.col_indices[k] == static_cast<Index>(i) ? A_host.values[k] : T{0};
    }
  }
  for (const StorageEntry& entry : storages) {
    auto d = reference::upload_buffer(ctx, unset<T>(expected.size()));
    stored<T>(ctx, A_host, entry.storage).extract_diagonal(ctx, d);
    EXPECT_EQ(reference::download(ctx, d.span()), expected);
  }
}

TYPED_TEST(Products, RelaxationInTurnMatchesNaiveReference) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  const Index rows = 30001;
  const std::vector<reference::Entry> entries = red_and_black<T>(host, rows);
  const auto A_host = reference::matrix_from_entries<T>(host, rows, rows, entries);
  const auto in_double = reference::matrix_from_entries<double>(host, rows, rows, entries);
  const auto d = reference::random_values<T>(static_cast<std::size_t>(rows), 13);
  std::vector<Index> order;
  for (const Index parity : {0, 1}) {
    for (Index i = parity; i < rows; i += 2) {
      order.push_back(i);
    }
  }
  const std::vector<Offset> starts = {0, (rows + 1) / 2, rows};
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
    const auto d_there = reference::upload_buffer(ctx, d);
    const auto order_there = reference::upload_buffer(ctx, order);
    for (const StorageEntry& entry : storages) {
      const auto A = stored<T>(ctx, A_host, entry.storage);
      for (const Index k : {1, 3}) {
        for (const bool backwards : {false, true}) {
          const auto n = count(rows, k);
          const auto B = reference::random_values<T>(n, 14);
          const auto X = reference::random_values<T>(n, 15);
          std::vector<double> expected(X.begin(), X.end());
          std::vector<double> magnitudes(n, 1.0);
          for (const Index parity : {backwards ? 1 : 0, backwards ? 0 : 1}) {
            const auto product = reference::naive_spmv(in_double, expected, k);
            const auto of_magnitudes = reference::naive_spmv(in_double, magnitudes, k);
            for (std::size_t i = 0; i < n; ++i) {
              const std::size_t row = i / static_cast<std::size_t>(k);
              if (static_cast<Index>(row) % 2 == parity) {
                expected[i] += static_cast<double>(d[row]) * (static_cast<double>(B[i]) - product.values[i]);
                magnitudes[i] += std::abs(static_cast<double>(d[row])) * (1.0 + of_magnitudes.magnitudes[i]);
              }
            }
          }
          auto X_there = reference::upload(ctx, X, k);
          A.relax_in_turn(ctx, d_there, order_there, starts, backwards, reference::upload(ctx, B, k), X_there);
          const std::vector<T> relaxed = reference::download(ctx, X_there);
          for (std::size_t i = 0; i < n; ++i) {
            // Two sums of at most 101 terms each, one on what the other left.
            ASSERT_NEAR(static_cast<double>(relaxed[i]), expected[i],
                        reference::summation_bound<T>(2.0 * 105.0, magnitudes[i]));
          }
        }
      }
    }
  });
}

TYPED_TEST(Products, RelaxationInBlocksMatchesNaiveReference) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  const Index rows = 501;
  const auto A_host = reference::random_matrix<T>(host, rows, rows, 12, 21);
  auto d = reference::random_values<T>(static_cast<std::size_t>(rows), 22);
  std::ranges::for_each(d, [](T& x) { x /= T{8}; });
  reference::for_contexts<typename TypeParam::Space>([&](auto& ctx) {
    const auto d_there = reference::upload_buffer(ctx, d);
    for (const StorageEntry& entry : storages) {
      const auto A = stored<T>(ctx, A_host, entry.storage);
      for (const Index k : {1, 3}) {
        const auto B = reference::random_values<T>(count(rows, k), 23);
        const auto X = reference::random_values<T>(count(rows, k), 24);
        for (const Index block_rows : {1, 7, 32, rows, 2 * rows}) {
          for (const bool backwards : {false, true}) {
            std::vector<double> expected(X.begin(), X.end());
            for (Index step = 0; step < rows; ++step) {
              const Index i = backwards ? rows - 1 - step : step;
              for (Index j = 0; j < k; ++j) {
                double sum = static_cast<double>(B[count(i, k) + static_cast<std::size_t>(j)]);
                for (auto m = A_host.row_offsets[static_cast<std::size_t>(i)];
                     m < A_host.row_offsets[static_cast<std::size_t>(i) + 1]; ++m) {
                  const Index l = A_host.col_indices[static_cast<std::size_t>(m)];
                  const std::size_t place = count(l, k) + static_cast<std::size_t>(j);
                  sum -= static_cast<double>(A_host.values[static_cast<std::size_t>(m)]) *
                         (l / block_rows == i / block_rows ? expected[place] : static_cast<double>(X[place]));
                }
                expected[count(i, k) + static_cast<std::size_t>(j)] +=
                    static_cast<double>(d[static_cast<std::size_t>(i)]) * sum;
              }
            }
            auto X_out = reference::upload(ctx, unset<T>(X.size()), k);
            A.relax_blocks(ctx, d_there, block_rows, backwards, reference::upload(ctx, B, k),
                           reference::upload(ctx, X, k), X_out);
            const std::vector<T> relaxed = reference::download(ctx, X_out);
            const double largest =
                std::abs(*std::ranges::max_element(expected, {}, [](double x) { return std::abs(x); }));
            for (std::size_t i = 0; i < relaxed.size(); ++i) {
              // Sums of 12 products with values of at most `largest`, each of which hands an eighth of its error on.
              ASSERT_NEAR(static_cast<double>(relaxed[i]), expected[i],
                          reference::summation_bound<T>(4.0 * 16.0, 12.0 * (1.0 + largest)))
                  << entry.name << ", blocks of " << block_rows;
            }
          }
        }
      }
    }
  });
}

TYPED_TEST(Products, RefuseSizesThatDoNotMatch) {
  using T = typename TypeParam::Value;
  using Vector = MultiVector<T, typename TypeParam::Space>;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  Vector three(ctx, 3);
  Vector four(ctx, 4);
  Vector other(ctx, 4);
  Vector wide(ctx, 4, 2);
  MultiVector<double, typename TypeParam::Space> three_double(ctx, 3);
  MultiVector<double, typename TypeParam::Space> four_double(ctx, 4);
  const Buffer<T, typename TypeParam::Space> d(ctx, 4);
  const Buffer<T, typename TypeParam::Space> short_d(ctx, 3);
  const auto narrow = reference::random_matrix<T>(host, 4, 3, 3, 1);
  EXPECT_THROW(spmv(ctx, T{1}, reference::upload(ctx, borrow(narrow)), four, T{0}, four), std::invalid_argument);
  for (const StorageEntry& entry : storages) {
    const auto A = stored<T>(ctx, narrow, entry.storage);
    const auto square = stored<T>(ctx, reference::random_matrix<T>(host, 4, 4, 3, 1), entry.storage);
    const auto flat = stored<T>(ctx, reference::random_matrix<T>(host, 4, 5, 3, 1), entry.storage);
    Vector five(ctx, 5);
    EXPECT_THROW(A.apply(ctx, T{1}, four, T{0}, four), std::invalid_argument);
    EXPECT_THROW(A.apply(ctx, T{1}, three, T{0}, three), std::invalid_argument);
    EXPECT_THROW(A.apply(ctx, T{1}, three, T{0}, wide), std::invalid_argument);
    EXPECT_THROW(A.residual(ctx, three, three, four), std::invalid_argument);
    EXPECT_THROW(A.residual(ctx, four, three, three), std::invalid_argument);
    EXPECT_THROW(A.judged_residual(ctx, four, three, three_double, three), std::invalid_argument);
    EXPECT_THROW(A.judged_residual(ctx, four, three, four_double, three), std::invalid_argument);
    EXPECT_THROW(A.smoothing_step(ctx, d, T{1}, T{1}, T{0}, four, three, four), std::invalid_argument);
    EXPECT_THROW(flat.smoothing_step(ctx, d, T{1}, T{1}, T{0}, four, five, other, 2), std::invalid_argument);
    EXPECT_THROW(flat.smoothing_step(ctx, d, T{1}, T{1}, T{0}, four, five, other, -1), std::invalid_argument);
    EXPECT_THROW(square.smoothing_step(ctx, short_d, T{1}, T{1}, T{0}, four, four, other), std::invalid_argument);
    EXPECT_THROW(square.smoothing_step(ctx, d, T{1}, T{1}, T{0}, four, four, wide), std::invalid_argument);
    EXPECT_THROW(square.smoothing_step(ctx, d, T{1}, T{1}, T{0}, three, four, other), std::invalid_argument);
    EXPECT_THROW(A.relax_blocks(ctx, d, 2, false, four, four, other), std::invalid_argument);
    EXPECT_THROW(square.relax_blocks(ctx, short_d, 2, false, four, four, other), std::invalid_argument);
    EXPECT_THROW(square.relax_blocks(ctx, d, 2, false, four, four, wide), std::invalid_argument);
    EXPECT_THROW(square.relax_blocks(ctx, d, 2, false, three, four, other), std::invalid_argument);
    EXPECT_THROW(square.relax_blocks(ctx, d, 0, false, four, four, other), std::invalid_argument);
  }
}

TYPED_TEST(Products, BooksMinimumBytesAndFlops) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto A = reference::upload(ctx, reference::matrix_from_entries<T>(host, 2, 2, {{0, 0, 1.0}, {1, 1, 1.0}}));
  const auto X = reference::upload(ctx, std::vector<T>(6, T{1}), 3);
  auto Y = reference::upload(ctx, std::vector<T>(6, T{1}), 3);
  {
    const ScopedTimer timer(ctx, "product");
    spmv(ctx, T{1}, A, X, T{0}, Y);
  }
  const std::int64_t value = sizeof(T);
  EXPECT_EQ(ctx.profile().nodes().at(0).work.bytes, 3 * 8 + 2 * (4 + value) + 2 * 6 * value);
  EXPECT_EQ(ctx.profile().nodes().at(0).work.flops, 2 * 2 * 3 + 6);
}

TYPED_TEST(Products, BookWhatTheyReadAndWriteBesideTheMatrix) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  const auto matrix = reference::random_matrix<T>(host, 40, 40, 20, 1);
  constexpr Index k = 3;
  constexpr std::int64_t values = 40 * k;
  for (const StorageEntry& entry : storages) {
    Context<S> ctx;
    const auto A = stored<T>(ctx, matrix, entry.storage);
    const auto B = reference::upload(ctx, std::vector<T>(values, T{1}), k);
    const auto X = reference::upload(ctx, std::vector<T>(values, T{1}), k);
    auto Y = reference::upload(ctx, std::vector<T>(values, T{1}), k);
    const Buffer<T, S> d = reference::upload_buffer(ctx, std::vector<T>(40, T{1}));
    const auto expect = [&](std::int64_t elements, std::int64_t flops_of_a_value, const auto& operation) {
      ctx.profile().clear();
      {
        const ScopedTimer timer(ctx, "operation");
        operation();
      }
      const Work& work = ctx.profile().nodes().at(0).work;
      EXPECT_EQ(work.bytes, static_cast<std::int64_t>(A.bytes() + sizeof(T) * static_cast<std::size_t>(elements)))
          << entry.name;
      EXPECT_EQ(work.flops, 2 * matrix.nnz() * k + flops_of_a_value * values) << entry.name;
    };
    expect(3 * values, 1, [&] { A.residual(ctx, B, X, Y); });
    expect(3 * values + 40, 5, [&] { A.smoothing_step(ctx, d, T(0.5), T{1}, T{0}, B, X, Y); });
    expect(4 * values + 40, 7, [&] { A.smoothing_step(ctx, d, T(0.5), T(1.5), T(-0.5), B, X, Y); });
  }
}

template <class Instance>
class ProductsThreads : public ::testing::Test {};
TYPED_TEST_SUITE(ProductsThreads, reference::HostInstances, reference::InstanceNames);

TYPED_TEST(ProductsThreads, BitsDoNotDependOnThreads) {
  using T = typename TypeParam::Value;
  Context<Host> one(1);
  const auto A = reference::random_matrix<T>(one, 30000, 30000, 100, 11);
  for (const StorageEntry& entry : storages) {
    const auto stored_A = stored<T>(one, A, entry.storage);
    for (const Index k : {1, 3, 4}) {
      const auto X = reference::upload(one, reference::random_values<T>(count(A.cols, k), 12), k);
      MultiVector<T, Host> expected(one, A.rows, k);
      MultiVector<T, Host> y(one, A.rows, k);
      stored_A.apply(one, T(0.3), X, T{0}, expected);
      for (const int threads : {2, 7}) {
        Context<Host> ctx(threads);
        stored_A.apply(ctx, T(0.3), X, T{0}, y);
        EXPECT_EQ(reference::download(ctx, y), reference::download(one, expected)) << threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace amgsolve
