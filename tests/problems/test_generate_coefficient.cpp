#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include "core/errors.hpp"
#include "problems/coefficient_field.hpp"
#include "problems/stencil.hpp"
#include "tests/reference/model_problems.hpp"

namespace amgsolve {
namespace {

CoefficientField field(const Coefficient& coefficient, int dimensions) {
  GeneratedProblem problem;
  problem.pde = Pde::diffusion;
  problem.grid = dimensions == 2 ? reference::grid({4, 4}) : reference::grid({4, 4, 4});
  problem.coefficient = coefficient;
  return make_stencil(problem).coefficient;
}

TEST(Link, IsTheHarmonicMeanAlsoOfTheLargestAndSmallestNumbers) {
  const auto harmonic = [](double a, double b) { return 2.0 / (1.0 / a + 1.0 / b); };
  for (const double a : {1e-300, 4e-162, 1e-5, 1.0, 3.0, 1e6, 1e155, 1e300}) {
    EXPECT_EQ(link(3.0, a, a), 3.0 * a) << a;
    for (const double b : {1e-300, 1e-161, 1e-3, 1.0, 7.0, 1e200}) {
      EXPECT_EQ(link(1.0, a, b), link(1.0, b, a)) << a << ", " << b;
      EXPECT_NEAR(link(1.0, a, b) / harmonic(a, b), 1.0, 1e-15) << a << ", " << b;
    }
  }
}

TEST(CoefficientOfCell, AlternatesOnACheckerboard) {
  const CoefficientField c = field({CoefficientType::checkerboard, 1.0, 2.0, 5.0, 3}, 3);
  EXPECT_EQ(coefficient_of_cell(c, 0, 0, 0), 2.0);
  EXPECT_EQ(coefficient_of_cell(c, 2, 2, 2), 2.0);
  EXPECT_EQ(coefficient_of_cell(c, 3, 0, 0), 5.0);
  EXPECT_EQ(coefficient_of_cell(c, 3, 5, 0), 2.0);
  EXPECT_EQ(coefficient_of_cell(c, 3, 4, 8), 2.0 + 3.0 * ((1 + 1 + 2) % 2));
  EXPECT_EQ(coefficient_of_cell(c, 3, 4, 5), 5.0);
}

TEST(CoefficientOfCell, IsLogUniformByBlocksWhereRandom) {
  const double low = 1e-3;
  const double high = 1e3;
  const CoefficientField c = field({CoefficientType::random, 1.0, low, high, 2, 5}, 2);
  constexpr int blocks = 100;
  double mean = 0.0;
  double mean_square = 0.0;
  std::set<double> values;
  for (int y = 0; y < blocks; ++y) {
    for (int x = 0; x < blocks; ++x) {
      const double value = coefficient_of_cell(c, 2 * x, 2 * y, 0);
      EXPECT_EQ(coefficient_of_cell(c, 2 * x + 1, 2 * y + 1, 0), value);
      EXPECT_GE(value, low);
      EXPECT_LE(value, high * (1.0 + 1e-12));
      const double exponent = std::log(value / low) / std::log(high / low);
      mean += exponent / (blocks * blocks);
      mean_square += exponent * exponent / (blocks * blocks);
      values.insert(value);
    }
  }
  // 10⁴ draws: the standard error of a mean of uniform numbers is 0.29 / 100, of their squares 0.30 / 100.
  EXPECT_NEAR(mean, 1.0 / 2.0, 5 * 0.003);
  EXPECT_NEAR(mean_square, 1.0 / 3.0, 5 * 0.003);
  // Of 2¹⁶ values 10⁴ draws hit about 9280 different ones.
  EXPECT_GT(values.size(), 9000U);
}

TEST(CoefficientOfCell, TakesRatiosThatAreNoNumber) {
  const CoefficientField c = field({CoefficientType::random, 1.0, 1e-200, 1e200, 1, 1}, 2);
  for (std::int64_t x = 0; x < 1000; ++x) {
    const double value = coefficient_of_cell(c, x, 0, 0);
    EXPECT_TRUE(value >= 1e-200 && value <= 1.0001e200) << value;
  }
}

TEST(CoefficientOfCell, RefusesNumbersThatItHasNot) {
  EXPECT_THROW(field({CoefficientType::constant, 1.0, 5.0, 1e4, 8, 0}, 2), ConfigurationError);
  EXPECT_THROW(field({CoefficientType::constant, 1.0, 1.0, 10.0, 8, 0}, 2), ConfigurationError);
  EXPECT_THROW(field({CoefficientType::constant, 1.0, 1.0, 1e4, 4, 0}, 2), ConfigurationError);
  EXPECT_THROW(field({CoefficientType::checkerboard, 1.0, 1.0, 1e4, 8, 3}, 2), ConfigurationError);
  EXPECT_THROW(field({CoefficientType::checkerboard, 5.0, 1.0, 1e4, 8, 0}, 2), ConfigurationError);
}

TEST(CoefficientOfCell, DependsOnTheSeed) {
  for (const CoefficientType type : {CoefficientType::random, CoefficientType::inclusions}) {
    const CoefficientField a = field({type, 1.0, 1.0, 1e4, 8, 1}, 3);
    const CoefficientField b = field({type, 1.0, 1.0, 1e4, 8, 2}, 3);
    int different = 0;
    for (int cell = 0; cell < 64; ++cell) {
      different += coefficient_of_cell(a, cell, 3, 3) != coefficient_of_cell(b, cell, 3, 3) ? 1 : 0;
    }
    EXPECT_GT(different, 0) << to_string(type);
  }
}

/// Cells of one block with a high coefficient.
std::vector<std::array<int, 3>> inclusion(const CoefficientField& c, int block, int dimensions, int bx, int by,
                                          int bz) {
  std::vector<std::array<int, 3>> cells;
  for (int z = 0; z < (dimensions == 3 ? block : 1); ++z) {
    for (int y = 0; y < block; ++y) {
      for (int x = 0; x < block; ++x) {
        if (coefficient_of_cell(c, bx * block + x, by * block + y, bz * block + z) == 100.0) {
          cells.push_back({x, y, z});
        }
      }
    }
  }
  return cells;
}

TEST(CoefficientOfCell, HasABallInEveryBlockOfInclusions) {
  constexpr int block = 32;
  for (const int dimensions : {2, 3}) {
    const CoefficientField c = field({CoefficientType::inclusions, 1.0, 1.0, 100.0, block, 9}, dimensions);
    const double radius = block / 4.0;
    const double volume =
        dimensions == 2 ? std::numbers::pi * radius * radius : 4.0 / 3.0 * std::numbers::pi * std::pow(radius, 3);
    std::set<std::array<int, 3>> firsts;
    for (int b = 0; b < 8; ++b) {
      const auto cells = inclusion(c, block, dimensions, b, 2 * b, dimensions == 3 ? 1 : 0);
      EXPECT_NEAR(static_cast<double>(cells.size()), volume, 0.1 * volume);
      for (const auto& p : cells) {
        for (const auto& q : cells) {
          const double distance = std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
          ASSERT_LE(distance, 2.0 * radius);
        }
      }
      firsts.insert(cells.front());
    }
    EXPECT_GT(firsts.size(), 4U) << "the centres are at random";
  }
}

}  // namespace
}  // namespace amgsolve
