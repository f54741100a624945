#include "amg/check_matrix.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

template <class I>
class CheckValues : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(CheckValues, reference::Instances, reference::InstanceNames);

TYPED_TEST(CheckValues, RefusesWhatNewValuesCanSpoil) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host;
  Context<S> ctx;
  const auto problem_of = [&](double diagonal, double upper, double lower, double last, double middle = 4) {
    const auto A = reference::upload(
        ctx, reference::matrix_from_entries<T>(
                 host, 3, 3, {{0, 0, diagonal}, {0, 1, upper}, {1, 0, lower}, {1, 1, middle}, {2, 2, last}}));
    try {
      const MatrixFindings findings = check_values(ctx, A, Operator<T, S>(ctx, borrow(A), Storage::csr));
      if (!findings.is_symmetric()) {
        return "not symmetric: row " + std::to_string(findings.asymmetry.row + 1) + ", column " +
               std::to_string(findings.asymmetry.col + 1);
      }
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(problem_of(4, -1, -1, 2), "");
  EXPECT_NE(problem_of(std::numeric_limits<double>::quiet_NaN(), -1, -1, 2).find("row 1, column 1"), std::string::npos);
  EXPECT_NE(problem_of(4, -1, -1, 0).find("row 3 of the matrix is zero"), std::string::npos);
  EXPECT_NE(problem_of(4, -1, -2, 2).find("not symmetric"), std::string::npos);
  // Neither a larger row elsewhere nor the scale of all hides it.
  const double huge = sizeof(T) == sizeof(double) ? 1e14 : 1e8;
  EXPECT_NE(problem_of(4, 5, -1, huge).find("row 1, column 2"), std::string::npos);
  EXPECT_EQ(problem_of(4, -1, -1, huge), "");
  const double far = sizeof(T) == sizeof(double) ? 1e200 : 1e25;
  for (const double scale : {far, 1.0 / far}) {
    EXPECT_EQ(problem_of(4 * scale, -scale, -scale, scale, 4 * scale), "");
    EXPECT_NE(problem_of(4 * scale, 5 * scale, -scale, scale, 4 * scale).find("row 1, column 2"), std::string::npos);
  }
  const double too_far = sizeof(T) == sizeof(double) ? 1e290 : 1e32;
  EXPECT_NE(problem_of(too_far, -1, -1, 1).find("at the end of the range"), std::string::npos);
}

}  // namespace
}  // namespace amgsolve
