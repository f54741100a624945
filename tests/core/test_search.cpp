#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/search.hpp"

namespace amgsolve {
namespace {

/// All ascending lists of up to eight numbers below nine, each number at most once.
TEST(Search, FindsTheSamePlaceFromAnywhere) {
  for (unsigned set = 0; set < 256; ++set) {
    std::vector<int> x;
    for (int number = 0; number < 8; ++number) {
      if ((set >> number & 1U) != 0) {
        x.push_back(number);
      }
    }
    const auto last = static_cast<std::int64_t>(x.size());
    for (int value = 0; value < 9; ++value) {
      const std::int64_t expected = std::ranges::lower_bound(x, value) - x.begin();
      ASSERT_EQ(lower_bound(x.data(), 0, last, value), expected);
      for (std::int64_t near = 0; near <= last; ++near) {
        ASSERT_EQ(lower_bound_near(x.data(), 0, last, value, near), expected) << set << ", " << value << ", " << near;
      }
    }
  }
}

/// Steps that double, in a part of a list.
TEST(Search, FindsPlacesFarFromWhereItBegins) {
  std::vector<std::int64_t> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = 3 * static_cast<std::int64_t>(i);
  }
  for (const std::int64_t near : {100, 101, 470, 899, 900}) {
    for (std::int64_t value = 295; value < 2705; ++value) {
      const std::int64_t expected = std::clamp((value + 2) / 3, std::int64_t{100}, std::int64_t{900});
      ASSERT_EQ(lower_bound_near(x.data(), 100, 900, value, near), expected) << value << " from " << near;
    }
  }
}

}  // namespace
}  // namespace amgsolve
