#include "core/format.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace amgsolve {
namespace {

TEST(FormatSeconds, HasThreeDigitsAndTheUnitThatTheyFit) {
  EXPECT_EQ(format_seconds(0.0), "0 us");
  EXPECT_EQ(format_seconds(7.891e-6), "7.89 us");
  EXPECT_EQ(format_seconds(9.994e-4), "999 us");
  EXPECT_EQ(format_seconds(9.996e-4), "1 ms");
  EXPECT_EQ(format_seconds(0.04567), "45.7 ms");
  EXPECT_EQ(format_seconds(0.9994), "999 ms");
  EXPECT_EQ(format_seconds(0.9996), "1 s");
  EXPECT_EQ(format_seconds(1.234), "1.23 s");
  EXPECT_EQ(format_seconds(999.4), "999 s");
  EXPECT_EQ(format_seconds(999.6), "1000 s");
  EXPECT_EQ(format_seconds(1234.5678), "1235 s");
  EXPECT_EQ(format_seconds(86400.0), "86400 s");
}

TEST(FormatSeconds, HasNoExponentAroundTheEndOfAUnit) {
  for (const double end : {0.9995e-3, 1e-3, 0.9995, 1.0, 999.5, 1000.0}) {
    double seconds = end;
    for (int i = 0; i < 4; ++i) {
      seconds = std::nextafter(seconds, 0.0);
    }
    for (int i = 0; i < 8; ++i, seconds = std::nextafter(seconds, 1e4)) {
      EXPECT_EQ(format_seconds(seconds).find('e'), std::string::npos) << seconds;
    }
  }
}

}  // namespace
}  // namespace amgsolve
