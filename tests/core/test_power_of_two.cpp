#include "core/power_of_two.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace amgsolve {
namespace {

TEST(PowerOfTwo, IsTheLargestUpToANumber) {
  EXPECT_EQ(power_of_two_below(1.0), 1.0);
  EXPECT_EQ(power_of_two_below(1.999), 1.0);
  EXPECT_EQ(power_of_two_below(0.3), 0.25);
  EXPECT_EQ(power_of_two_below(0x1.8p-700), 0x1p-700);
}

TEST(PowerOfTwo, HasAnInverse) {
  using Limits = std::numeric_limits<double>;
  for (const double x : {Limits::max(), Limits::min(), Limits::denorm_min(), 0x1p1000, 0x1p-1000}) {
    EXPECT_EQ(power_of_two_below(x), x > 1.0 ? 0x1p1000 : 0x1p-1000);
  }
  for (const double x : {0.0, -3.0, Limits::infinity(), Limits::quiet_NaN()}) {
    EXPECT_EQ(power_of_two_below(x), 1.0);
  }
}

}  // namespace
}  // namespace amgsolve
