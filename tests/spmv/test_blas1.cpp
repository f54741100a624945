#include "spmv/blas1.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"
#include "tests/reference/tolerance.hpp"

namespace amgsolve {
namespace {

template <class Instance>
class Blas1 : public reference::SpaceTest<typename Instance::Space> {};
TYPED_TEST_SUITE(Blas1, reference::Instances, reference::InstanceNames);

// Columns that divide the independent sums of a block and columns that do not; rows around the size of a block.
constexpr Index column_counts[] = {1, 2, 3, 5, 8, 16, 17, 256, 300};
constexpr Index row_counts[] = {0, 1, 15, 2048, 2049, 30011};

std::size_t count(Index rows, Index columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

/// Calls body(rows, columns) for shapes that do not take long.
template <class Body>
void for_shapes(const Body& body) {
  for (const Index rows : row_counts) {
    for (const Index columns : column_counts) {
      if (count(rows, columns) <= 1000000) {
        SCOPED_TRACE(::testing::Message() << rows << " x " << columns);
        body(rows, columns);
      }
    }
  }
}

/// Sums of |x y| and of x y for each column, in double.
struct NaiveDot {
  std::vector<double> values;
  std::vector<double> magnitudes;
};

template <class T>
NaiveDot naive_dot(const std::vector<T>& x, const std::vector<T>& y, Index columns) {
  const auto k = static_cast<std::size_t>(columns);
  NaiveDot result{std::vector<double>(k), std::vector<double>(k)};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double term = static_cast<double>(x[i]) * static_cast<double>(y[i]);
    result.values[i % k] += term;
    result.magnitudes[i % k] += std::abs(term);
  }
  return result;
}

TYPED_TEST(Blas1, FillSetsEveryValue) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  for_shapes([&](Index rows, Index columns) {
    MultiVector<T, typename TypeParam::Space> x(ctx, rows, columns);
    fill<T>(ctx, T(2.5), x);
    EXPECT_EQ(reference::download(ctx, x), std::vector<T>(count(rows, columns), T(2.5)));
  });
}

template <class T, class U, class Space>
void expect_copies(Context<Space>& ctx) {
  const auto values = reference::random_values<T>(10007, 1);
  MultiVector<U, Space> y(ctx, 10007);
  copy<T, U>(ctx, reference::upload(ctx, values), y);
  EXPECT_EQ(reference::download(ctx, y), std::vector<U>(values.begin(), values.end()));
}

TYPED_TEST(Blas1, CopyConverts) {
  Context<typename TypeParam::Space> ctx;
  expect_copies<typename TypeParam::Value, double>(ctx);
  expect_copies<typename TypeParam::Value, float>(ctx);
}

TYPED_TEST(Blas1, AxpbyMatchesNaiveReference) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  for_shapes([&](Index rows, Index columns) {
    const auto x = reference::random_values<T>(count(rows, columns), 1);
    for (const T beta : {T{0}, T{1}, T(-0.3)}) {
      const auto y = beta == T{0} ? std::vector<T>(x.size(), std::numeric_limits<T>::quiet_NaN())
                                  : reference::random_values<T>(x.size(), 2);
      auto y_there = reference::upload(ctx, y, columns);
      axpby<T>(ctx, T(0.7), reference::upload(ctx, x, columns), beta, y_there);
      const auto result = reference::download(ctx, y_there);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double old = beta == T{0} ? 0.0 : static_cast<double>(beta) * static_cast<double>(y[i]);
        const double expected = static_cast<double>(T(0.7)) * static_cast<double>(x[i]) + old;
        ASSERT_NEAR(static_cast<double>(result[i]), expected, reference::summation_bound<T>(2.0, 1.0));
      }
    }
  });
}

TYPED_TEST(Blas1, ScaleRowsMultipliesEachRow) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  for_shapes([&](Index rows, Index columns) {
    const auto x = reference::random_values<T>(count(rows, columns), 1);
    const auto d = reference::random_values<T>(static_cast<std::size_t>(rows), 2);
    MultiVector<T, typename TypeParam::Space> y(ctx, rows, columns);
    scale_rows<T>(ctx, reference::upload_buffer(ctx, d), reference::upload(ctx, x, columns), y);
    const auto result = reference::download(ctx, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(result[i], d[i / static_cast<std::size_t>(columns)] * x[i]);
    }
  });
}

TYPED_TEST(Blas1, DotMatchesNaiveReference) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  for_shapes([&](Index rows, Index columns) {
    const auto x = reference::random_values<T>(count(rows, columns), 1);
    const auto y = reference::random_values<T>(count(rows, columns), 2);
    Buffer<double, typename TypeParam::Space> result(ctx, static_cast<std::size_t>(columns));
    dot<T>(ctx, reference::upload(ctx, x, columns), reference::upload(ctx, y, columns), result);
    const auto sums = reference::download(ctx, result.span());
    const NaiveDot expected = naive_dot(x, y, columns);
    for (std::size_t j = 0; j < sums.size(); ++j) {
      // Accumulated in double whatever the type of the vectors.
      ASSERT_NEAR(sums[j], expected.values[j], reference::summation_bound<double>(rows, expected.magnitudes[j]));
    }
  });
}

TYPED_TEST(Blas1, InnerProductsAreThoseOfAllPairsOfColumns) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  for (const Index rows : {0, 1, 5000}) {
    for (const auto& [p, q] : {std::pair<Index, Index>{1, 1}, {1, 3}, {6, 2}}) {
      SCOPED_TRACE(testing::Message() << rows << " rows, " << p << " x " << q);
      const auto x = reference::random_values<double>(count(rows, p), 1);
      const auto y = reference::random_values<T>(count(rows, q), 2);
      Buffer<double, typename TypeParam::Space> result(ctx, count(p, q));
      inner_products<T>(ctx, reference::upload(ctx, x, p), reference::upload(ctx, y, q), result);
      const auto sums = reference::download(ctx, result.span());
      for (std::size_t j = 0; j < sums.size(); ++j) {
        double expected = 0.0;
        double magnitude = 0.0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
          const double term = x[i * static_cast<std::size_t>(p) + j / static_cast<std::size_t>(q)] *
                              static_cast<double>(y[i * static_cast<std::size_t>(q) + j % static_cast<std::size_t>(q)]);
          expected += term;
          magnitude += std::fabs(term);
        }
        EXPECT_NEAR(sums[j], expected, reference::summation_bound<double>(rows, magnitude));
      }
    }
  }
}

TYPED_TEST(Blas1, TellsZeroFromTheSmallestAndTheLargestNumber) {
  using T = typename TypeParam::Value;
  using Limits = std::numeric_limits<T>;
  Context<typename TypeParam::Space> ctx;
  std::vector<T> x(count(5000, 2), T{-0.0});
  EXPECT_TRUE(is_zero<T>(ctx, reference::upload(ctx, x, 2)));
  std::feclearexcept(FE_OVERFLOW);
  for (const T entry : {Limits::denorm_min(), -Limits::max(), Limits::infinity(), Limits::quiet_NaN()}) {
    x[777] = entry;
    EXPECT_FALSE(is_zero<T>(ctx, reference::upload(ctx, x, 2))) << entry;
  }
  EXPECT_EQ(std::fetestexcept(FE_OVERFLOW), 0) << "a program may trap it";
}

TYPED_TEST(Blas1, NormsAreRightWhateverTheScale) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  const Index n = 5000;
  // Columns of zeros and of entries as large and small as they can be, where squares are out of range.
  const double largest = sizeof(T) == sizeof(double) ? 1e300 : 1e37;
  const std::vector<double> scales{0.0, 1.0, 1.0 / largest, largest};
  const auto k = static_cast<Index>(scales.size());
  auto x = reference::random_values<T>(count(n, k), 1);
  std::vector<double> squares(scales.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares[i % scales.size()] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    x[i] *= static_cast<T>(scales[i % scales.size()]);
  }
  std::feclearexcept(FE_OVERFLOW);
  EXPECT_FALSE(is_zero<T>(ctx, reference::upload(ctx, x, k)));
  const std::vector<double> found = norms<T>(ctx, reference::upload(ctx, x, k));
  EXPECT_EQ(std::fetestexcept(FE_OVERFLOW), 0) << "a program may trap it";
  for (std::size_t j = 0; j < scales.size(); ++j) {
    // A sum of squares, and two roundings of each entry.
    const double expected = scales[j] * std::sqrt(squares[j]);
    const double bound = reference::summation_bound<double>(n, 1.0) + reference::summation_bound<T>(3.0, 1.0);
    EXPECT_NEAR(found[j], expected, expected * bound) << scales[j];
  }
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    x[static_cast<std::size_t>(k)] = static_cast<T>(bad);
    const std::vector<double> with_bad = norms<T>(ctx, reference::upload(ctx, x, k));
    EXPECT_FALSE(std::isfinite(with_bad.front()));
    EXPECT_EQ(with_bad.back(), found.back());
  }
}

TYPED_TEST(Blas1, ScaleColumnsMatchesNaiveReference) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  for_shapes([&](Index rows, Index columns) {
    const auto k = static_cast<std::size_t>(columns);
    const auto x = reference::random_values<T>(count(rows, columns), 1);
    const auto factors = reference::random_values<double>(k, 2);
    const auto x_there = reference::upload(ctx, x, columns);
    const auto factors_there = reference::upload_buffer(ctx, factors);
    MultiVector<float, typename TypeParam::Space> narrow(ctx, rows, columns);
    MultiVector<double, typename TypeParam::Space> wide(ctx, rows, columns);
    scale_columns<T, float>(ctx, factors_there, x_there, narrow);
    scale_columns<T, double>(ctx, factors_there, x_there, wide);
    const auto narrow_values = reference::download(ctx, narrow);
    const auto wide_values = reference::download(ctx, wide);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = factors[i % k] * static_cast<double>(x[i]);
      ASSERT_EQ(wide_values[i], expected);
      ASSERT_EQ(narrow_values[i], static_cast<float>(expected));
    }
  });
}

TYPED_TEST(Blas1, AddColumnsRoundsItsFactorOnce) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  for_shapes([&](Index rows, Index columns) {
    const auto n = count(rows, columns);
    const auto k = static_cast<std::size_t>(columns);
    const auto x = reference::random_values<T>(n, 1);
    const auto y = reference::random_values<T>(n, 2);
    const auto numerator = reference::random_values<double>(k, 3);
    auto denominator = reference::random_values<double>(k, 4);
    denominator.back() = 0.0;
    const auto numerator_there = reference::upload_buffer(ctx, numerator);
    const auto denominator_there = reference::upload_buffer(ctx, denominator);
    const auto x_there = reference::upload(ctx, x, columns);
    for (const bool divides : {false, true}) {
      auto sum = reference::upload(ctx, y, columns);
      add_columns<T>(ctx, numerator_there,
                     divides ? denominator_there.span() : Span<const double, typename TypeParam::Space>(), x_there, sum,
                     -1.0);
      const auto values = reference::download(ctx, sum);
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t j = i % k;
        const double quotient = denominator[j] == 0.0 ? 0.0 : numerator[j] / denominator[j];
        ASSERT_EQ(values[i], y[i] + -static_cast<T>(divides ? quotient : numerator[j]) * x[i]);
      }
    }
  });
}

TYPED_TEST(Blas1, CgUpdateMatchesNaiveReference) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  for_shapes([&](Index rows, Index columns) {
    const auto n = count(rows, columns);
    const auto k = static_cast<std::size_t>(columns);
    const auto p = reference::random_values<T>(n, 1);
    const auto q = reference::random_values<T>(n, 2);
    const auto x = reference::random_values<T>(n, 3);
    const auto r = reference::random_values<T>(n, 4);
    auto rho = reference::random_values<double>(k, 5);
    std::vector<double> curvature(k, 2.0);
    std::vector<double> units(k, 8.0);
    // Only descent is taken, and none where the unit is 0.
    rho.front() = 0.5;
    const std::size_t left = k / 2;
    units[left] = left > 0 ? 0.0 : 8.0;
    curvature.back() = columns % 2 == 0 ? 0.0 : -1.0;
    auto x_there = reference::upload(ctx, x, columns);
    auto r_there = reference::upload(ctx, r, columns);
    Buffer<double, typename TypeParam::Space> squared(ctx, k);
    cg_update<T>(ctx, reference::upload_buffer(ctx, rho), reference::upload_buffer(ctx, curvature),
                 reference::upload_buffer(ctx, units), reference::upload(ctx, p, columns),
                 reference::upload(ctx, q, columns), x_there, r_there, squared);
    const auto x_new = reference::download(ctx, x_there);
    const auto r_new = reference::download(ctx, r_there);
    // The same with r also in float.
    auto x_again = reference::upload(ctx, x, columns);
    auto r_again = reference::upload(ctx, r, columns);
    auto rounded = reference::upload(ctx, std::vector<float>(n, -1.0F), columns);
    Buffer<double, typename TypeParam::Space> squared_again(ctx, k);
    cg_update<T>(ctx, reference::upload_buffer(ctx, rho), reference::upload_buffer(ctx, curvature),
                 reference::upload_buffer(ctx, units), reference::upload(ctx, p, columns),
                 reference::upload(ctx, q, columns), x_again, r_again, squared_again, rounded);
    ASSERT_EQ(reference::download(ctx, x_again), x_new);
    ASSERT_EQ(reference::download(ctx, r_again), r_new);
    ASSERT_EQ(reference::download(ctx, squared_again.span()), reference::download(ctx, squared.span()));
    ASSERT_EQ(reference::download(ctx, rounded), std::vector<float>(r_new.begin(), r_new.end()));
    for (std::size_t i = 0; i < n; ++i) {
      const bool stays = i % k == k - 1 || units[i % k] == 0.0;
      const double alpha = stays ? 0.0 : std::max(rho[i % k], 0.0) / 2.0;
      const double bound = reference::summation_bound<T>(3.0, 2.0);
      ASSERT_NEAR(static_cast<double>(x_new[i]), static_cast<double>(x[i]) + 8.0 * alpha * static_cast<double>(p[i]),
                  reference::summation_bound<T>(3.0, 9.0));
      ASSERT_NEAR(static_cast<double>(r_new[i]), static_cast<double>(r[i]) - alpha * static_cast<double>(q[i]), bound);
    }
    const auto sums = reference::download(ctx, squared.span());
    const NaiveDot expected = naive_dot(r_new, r_new, columns);
    for (std::size_t j = 0; j < k; ++j) {
      ASSERT_NEAR(sums[j], expected.values[j], reference::summation_bound<double>(rows, expected.magnitudes[j]));
    }
  });
}

/// Values of the other type are what they are: sums and directions have the bits of those that were converted before.
TYPED_TEST(Blas1, TakesVectorsOfTheOtherPrecision) {
  using T = typename TypeParam::Value;
  using U = std::conditional_t<std::is_same_v<T, float>, double, float>;
  Context<typename TypeParam::Space> ctx;
  for_shapes([&](Index rows, Index columns) {
    const auto n = count(rows, columns);
    const auto k = static_cast<std::size_t>(columns);
    const auto x = reference::upload(ctx, reference::random_values<T>(n, 1), columns);
    const auto in_float = reference::random_values<float>(n, 2);
    const auto in_T = reference::upload(ctx, std::vector<T>(in_float.begin(), in_float.end()), columns);
    const auto in_U = reference::upload(ctx, std::vector<U>(in_float.begin(), in_float.end()), columns);
    Buffer<double, typename TypeParam::Space> expected(ctx, k);
    Buffer<double, typename TypeParam::Space> result(ctx, k);
    dot<T>(ctx, x, in_T, expected);
    dot<T, U>(ctx, x, in_U, result);
    EXPECT_EQ(reference::download(ctx, result.span()), reference::download(ctx, expected.span()));

    const auto numerator = reference::upload_buffer(ctx, reference::random_values<double>(k, 3));
    const auto denominator = reference::upload_buffer(ctx, std::vector<double>(k, 2.0));
    auto p_expected = reference::upload(ctx, reference::random_values<T>(n, 4), columns);
    auto p = reference::upload(ctx, reference::random_values<T>(n, 4), columns);
    cg_direction<T>(ctx, numerator, denominator, in_T, p_expected);
    cg_direction<T, U>(ctx, numerator, denominator, in_U, p);
    EXPECT_EQ(reference::download(ctx, p), reference::download(ctx, p_expected));
  });
}

TYPED_TEST(Blas1, CgDirectionMatchesNaiveReference) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  for_shapes([&](Index rows, Index columns) {
    const auto n = count(rows, columns);
    const auto k = static_cast<std::size_t>(columns);
    const auto z = reference::random_values<T>(n, 1);
    auto p = reference::random_values<T>(n, 2);
    const auto numerator = reference::random_values<double>(k, 3);
    std::vector<double> denominator(k, 2.0);
    denominator.back() = 0.0;
    for (std::size_t i = k - 1; i < n; i += k) {
      p[i] = std::numeric_limits<T>::quiet_NaN();
    }
    auto p_there = reference::upload(ctx, p, columns);
    cg_direction<T>(ctx, reference::upload_buffer(ctx, numerator), reference::upload_buffer(ctx, denominator),
                    reference::upload(ctx, z, columns), p_there);
    const auto result = reference::download(ctx, p_there);
    for (std::size_t i = 0; i < n; ++i) {
      const double kept = i % k == k - 1 ? 0.0 : numerator[i % k] / 2.0 * static_cast<double>(p[i]);
      ASSERT_NEAR(static_cast<double>(result[i]), static_cast<double>(z[i]) + kept,
                  reference::summation_bound<T>(3.0, 2.0));
    }
  });
}

TYPED_TEST(Blas1, LanczosStepMatchesNaiveReference) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  const auto scalar = [&](double x) { return reference::upload_buffer(ctx, std::vector<double>{x}); };
  for (const Index rows : {1, 1000, 30011}) {
    auto d = reference::random_values<T>(count(rows, 1), 1);
    d.front() = T{0};
    const auto q = reference::random_values<T>(count(rows, 1), 2);
    const auto v = reference::random_values<T>(count(rows, 1), 3);
    for (std::size_t i = 1; i < d.size(); ++i) {
      d[i] += i % 7 == 0 ? T{-2} : T{2};
    }
    for (const double previous_squared : {16.0, 0.0}) {
      auto v_previous = reference::random_values<T>(count(rows, 1), 4);
      if (previous_squared == 0.0) {
        v_previous.assign(v_previous.size(), std::numeric_limits<T>::quiet_NaN());
      }
      auto there = reference::upload(ctx, v_previous);
      auto squared = scalar(0.0);
      lanczos_step<T>(ctx, reference::upload_buffer(ctx, d), reference::upload(ctx, q), reference::upload(ctx, v),
                      scalar(6.0), scalar(4.0), scalar(previous_squared), there, squared);
      const auto next = reference::download(ctx, there);
      double expected_squared = 0.0;
      for (std::size_t i = 0; i < next.size(); ++i) {
        double expected = 0.0;
        if (d[i] > T{0}) {
          expected = (static_cast<double>(q[i]) / static_cast<double>(d[i]) - 1.5 * static_cast<double>(v[i])) / 2.0;
          expected -= previous_squared == 0.0 ? 0.0 : 0.5 * static_cast<double>(v_previous[i]);
        }
        ASSERT_NEAR(static_cast<double>(next[i]), expected, reference::summation_bound<T>(4.0, 2.0)) << "row " << i;
        expected_squared += static_cast<double>(d[i]) * static_cast<double>(next[i]) * static_cast<double>(next[i]);
      }
      ASSERT_NEAR(reference::download(ctx, squared.span()).front(), expected_squared,
                  reference::summation_bound<double>(rows, expected_squared));
    }
  }
}

TYPED_TEST(Blas1, LanczosStepLeavesZeroWhereTheSpaceIsExhausted) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  const auto zero = reference::upload_buffer(ctx, std::vector<double>{0.0});
  const auto x = reference::upload(ctx, std::vector<T>(5, T{0}));
  auto next = reference::upload(ctx, std::vector<T>(5, T{1}));
  auto squared = reference::upload_buffer(ctx, std::vector<double>{1.0});
  lanczos_step<T>(ctx, reference::upload_buffer(ctx, std::vector<T>(5, T{1})), x, x, zero, zero, zero, next, squared);
  EXPECT_EQ(reference::download(ctx, next), std::vector<T>(5, T{0}));
  EXPECT_EQ(reference::download(ctx, squared.span()).front(), 0.0);
}

TYPED_TEST(Blas1, ToHostBringsScalars) {
  Context<typename TypeParam::Space> ctx;
  const std::vector<double> scalars{1.0, 2.0, 3.0};
  const auto there = reference::upload_buffer(ctx, scalars);
  std::vector<double> back(3);
  to_host(ctx, there, back.data());
  EXPECT_EQ(back, scalars);
}

TYPED_TEST(Blas1, RefusesSizesThatDoNotMatch) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  MultiVector<T, typename TypeParam::Space> x(ctx, 4);
  MultiVector<T, typename TypeParam::Space> y(ctx, 5);
  MultiVector<T, typename TypeParam::Space> wide(ctx, 2, 2);
  Buffer<double, typename TypeParam::Space> one(ctx, 1);
  Buffer<double, typename TypeParam::Space> two(ctx, 2);
  const Buffer<T, typename TypeParam::Space> d(ctx, 3);
  EXPECT_THROW((copy<T, T>(ctx, x, y)), std::invalid_argument);
  EXPECT_THROW((copy<T, T>(ctx, x, wide)), std::invalid_argument);
  EXPECT_THROW(axpby<T>(ctx, T{1}, x, T{1}, y), std::invalid_argument);
  EXPECT_THROW(scale_rows<T>(ctx, d, x, x), std::invalid_argument);
  EXPECT_THROW(dot<T>(ctx, x, y, one), std::invalid_argument);
  EXPECT_THROW(dot<T>(ctx, x, x, two), std::invalid_argument);
  const MultiVector<double, typename TypeParam::Space> in_double(ctx, 4);
  EXPECT_THROW(inner_products<T>(ctx, in_double, y, one), std::invalid_argument);
  EXPECT_THROW(inner_products<T>(ctx, in_double, x, two), std::invalid_argument);
  EXPECT_THROW(cg_update<T>(ctx, one, one, one, x, x, x, y, one), std::invalid_argument);
  EXPECT_THROW(cg_update<T>(ctx, one, two, one, x, x, x, x, one), std::invalid_argument);
  EXPECT_THROW(cg_update<T>(ctx, one, one, two, x, x, x, x, one), std::invalid_argument);
  MultiVector<float, typename TypeParam::Space> rounded(ctx, 5);
  EXPECT_THROW(cg_update<T>(ctx, one, one, one, x, x, x, x, one, rounded), std::invalid_argument);
  EXPECT_THROW((scale_columns<T, T>(ctx, two, x, x)), std::invalid_argument);
  EXPECT_THROW((scale_columns<T, T>(ctx, one, x, y)), std::invalid_argument);
  EXPECT_THROW(add_columns<T>(ctx, one, {}, x, y), std::invalid_argument);
  EXPECT_THROW(add_columns<T>(ctx, two, {}, x, x), std::invalid_argument);
  EXPECT_THROW(add_columns<T>(ctx, one, two, x, x), std::invalid_argument);
  EXPECT_THROW(cg_direction<T>(ctx, one, one, x, y), std::invalid_argument);
  EXPECT_THROW(cg_direction<T>(ctx, two, one, x, x), std::invalid_argument);
  EXPECT_THROW(lanczos_step<T>(ctx, d, x, x, one, one, one, x, one), std::invalid_argument);
}

TYPED_TEST(Blas1, SumsRepeatBitForBit) {
  using T = typename TypeParam::Value;
  Context<typename TypeParam::Space> ctx;
  for (const Index columns : {1, 3}) {
    const auto x = reference::upload(ctx, reference::random_values<T>(count(1000003, columns), 1), columns);
    Buffer<double, typename TypeParam::Space> result(ctx, static_cast<std::size_t>(columns));
    dot<T>(ctx, x, x, result);
    const auto first = reference::download(ctx, result.span());
    for (int i = 0; i < 5; ++i) {
      dot<T>(ctx, x, x, result);
      EXPECT_EQ(reference::download(ctx, result.span()), first);
    }
  }
}

template <class Instance>
class Blas1Threads : public ::testing::Test {};
TYPED_TEST_SUITE(Blas1Threads, reference::HostInstances, reference::InstanceNames);

TYPED_TEST(Blas1Threads, BitsDoNotDependOnThreads) {
  using T = typename TypeParam::Value;
  for (const Index columns : {1, 3}) {
    const auto x = reference::random_values<T>(count(200003, columns), 1);
    const auto y = reference::random_values<T>(count(200003, columns), 2);
    std::vector<std::vector<double>> results;
    for (const int threads : {1, 2, 7}) {
      Context<Host> ctx(threads);
      const auto k = static_cast<std::size_t>(columns);
      Buffer<double, Host> result(ctx, 2 * k);
      const auto x_there = reference::upload(ctx, x, columns);
      auto p = reference::upload(ctx, y, columns);
      auto r = reference::upload(ctx, x, columns);
      dot<T>(ctx, x_there, p, result.span().subspan(0, k));
      axpby<T>(ctx, T(0.1), x_there, T(0.7), p);
      cg_update<T>(ctx, reference::upload_buffer(ctx, std::vector<double>(k, 0.3)),
                   reference::upload_buffer(ctx, std::vector<double>(k, 0.7)),
                   reference::upload_buffer(ctx, std::vector<double>(k, 1.0)), x_there, x_there, p, r,
                   result.span().subspan(k, k));
      results.push_back(reference::download(ctx, result.span()));
      const auto p_values = reference::download(ctx, p);
      results.back().insert(results.back().end(), p_values.begin(), p_values.end());
    }
    EXPECT_EQ(results[1], results[0]);
    EXPECT_EQ(results[2], results[0]);
  }
}

/// Ranks that work one after another: collects the accumulators of those before, and adds them to this one's.
class Ranks final : public Communicator {
 public:
  using Communicator::exchange;
  using Communicator::gather_bytes;
  using Communicator::sum_ranks;

  int rank() const override { return 0; }
  int size() const override { return 2; }
  void sum_ranks(Span<std::int64_t, Host> x) const override {
    sums_.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      sums_[i] += x[i];
      x[i] = sums_[i];
    }
  }
  void sum_ranks(Span<std::int64_t, Cuda>, CUstream_st*) const override {}
  std::int64_t max(std::int64_t local) const override { return local; }
  void gather_bytes(std::span<const std::byte>, std::span<const std::size_t>, std::span<std::byte>) const override {}
  void all_to_all(std::span<const std::int64_t>, std::span<std::int64_t>) const override {}
  void exchange(std::span<const Outgoing>, std::span<const Incoming>) const override {}

 private:
  mutable std::vector<std::int64_t> sums_;
};

TYPED_TEST(Blas1Threads, BitsDoNotDependOnWhereRowsAreCut) {
  using T = typename TypeParam::Value;
  constexpr Index n = 100003;
  for (const Index columns : {1, 3, 33}) {
    const auto x = reference::random_values<T>(count(n, columns), 1);
    const auto y = reference::random_values<T>(count(n, columns), 2);
    Context<Host> whole;
    Buffer<double, Host> expected(whole, static_cast<std::size_t>(columns));
    dot<T>(whole, reference::upload(whole, x, columns), reference::upload(whole, y, columns), expected);
    for (const std::vector<Index>& cuts : {std::vector<Index>{4096}, {0, 8192, 8192, 81920}, {98304, n}}) {
      const Ranks communicator;
      Context<Host> ctx(2, communicator);
      Buffer<double, Host> result(ctx, static_cast<std::size_t>(columns));
      Index begin = 0;
      for (std::size_t rank = 0; rank <= cuts.size(); ++rank) {
        const Index end = rank < cuts.size() ? cuts[rank] : n;
        const auto part = [&](const std::vector<T>& v) {
          return MultiVectorView<const T, Host>(v.data() + count(begin, columns), end - begin, columns);
        };
        dot<T>(ctx, part(x), part(y), result);
        begin = end;
      }
      EXPECT_EQ(reference::download(ctx, result.span()), reference::download(whole, expected.span()));
    }
  }
}

TYPED_TEST(Blas1, SumsHaveTheBitsOfTheHost) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  for (const Index columns : {1, 2, 3, 5, 8, 33}) {
    const auto x = reference::random_values<T>(count(30011, columns), 1);
    const auto y = reference::random_values<T>(count(30011, columns), 2);
    Buffer<double, Host> expected(host, static_cast<std::size_t>(columns));
    Buffer<double, typename TypeParam::Space> result(ctx, static_cast<std::size_t>(columns));
    dot<T>(host, reference::upload(host, x, columns), reference::upload(host, y, columns), expected);
    dot<T>(ctx, reference::upload(ctx, x, columns), reference::upload(ctx, y, columns), result);
    EXPECT_EQ(reference::download(ctx, result.span()), reference::download(host, expected.span()));
  }
}

}  // namespace
}  // namespace amgsolve
