#include "amg/check_matrix.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class I>
class CheckValues : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(CheckValues, reference::Instances, reference::InstanceNames);

TYPED_TEST(CheckValues, RefusesWhatNewValuesCanSpoil) {
  using T = typename TypeParam::Value;
  Context<Host> host;
  Context<typename TypeParam::Space> ctx;
  const auto problem_of = [&](double diagonal, double upper, double lower, double last) {
    auto A = reference::matrix_from_entries<T>(
        host, 3, 3, {{0, 0, diagonal}, {0, 1, upper}, {1, 0, lower}, {1, 1, 4}, {2, 2, last}});
    try {
      check_values<T>(ctx, reference::upload(ctx, std::move(A)));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(problem_of(4, -1, -1, 2), "");
  EXPECT_NE(problem_of(std::numeric_limits<double>::quiet_NaN(), -1, -1, 2).find("row 1, column 1"), std::string::npos);
  EXPECT_NE(problem_of(4, -1, -1, 0).find("row 3 of the matrix is zero"), std::string::npos);
  EXPECT_NE(problem_of(4, -1, -2, 2).find("not symmetric"), std::string::npos);
}

}  // namespace
}  // namespace amgsolve
