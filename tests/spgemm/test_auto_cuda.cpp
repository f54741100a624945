#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/timer.hpp"
#include "problems/generate.hpp"
#include "spgemm/spgemm.hpp"
#include "spmv/conversions.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/naive_spgemm.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using reference::scattered_matrix;
using ::testing::HasSubstr;

class CudaAuto : public reference::SpaceTest<Cuda> {};

/// What auto said of its choice for A B, whose values are checked.
std::string choice(const CsrMatrix<double, Host>& A, const CsrMatrix<double, Host>& B) {
  Context<Host> host;
  Context<Cuda> ctx;
  const auto A_there = reference::upload(ctx, borrow(A));
  const auto B_there = reference::upload(ctx, borrow(B));
  ctx.profile().clear();
  CsrMatrix<double, Cuda> C;
  {
    const ScopedTimer timer(ctx, "product");
    C = multiply(ctx, A_there, B_there);
  }
  EXPECT_TRUE(reference::identical(reference::download(ctx, borrow(C)), reference::naive_spgemm(host, A, B)));
  for (const Profile::Node& node : ctx.profile().nodes()) {
    for (const std::string& note : node.notes) {
      return note;
    }
  }
  return "nothing";
}

TEST_F(CudaAuto, ChoosesByWhatTheProductIsLike) {
  Context<Host> host;
  const auto stencil =
      generate_matrix<double>(host, reference::poisson(reference::grid({60, 60, 60}), Discretization::fd));
  EXPECT_THAT(choice(scattered_matrix<double>(host, 500, 500, 5), scattered_matrix<double>(host, 500, 500, 5)),
              HasSubstr("auto: esc_fused"));
  // Few rows, but with more entries than it has room for.
  EXPECT_THAT(choice(scattered_matrix<double>(host, 500, 5000, 18), scattered_matrix<double>(host, 5000, 100000, 18)),
              HasSubstr("auto: hash"));
  EXPECT_THAT(choice(stencil, stencil), HasSubstr("auto: row_merge"));
  EXPECT_THAT(
      choice(scattered_matrix<double>(host, 20000, 20000, 20), scattered_matrix<double>(host, 20000, 20000, 20)),
      HasSubstr("auto: hash"));
  EXPECT_THAT(choice(scattered_matrix<double>(host, 100, 2000, 300), scattered_matrix<double>(host, 2000, 900, 60)),
              HasSubstr("auto: thin"));
  EXPECT_THAT(choice(scattered_matrix<double>(host, 20000, 20000, 12, 500, 5000),
                     scattered_matrix<double>(host, 20000, 20000, 12, 500, 5000)),
              HasSubstr("auto: esc, for rows of up to"));
  // Rows of A with more entries than a row of the sample may have: few, of many products and of so few that esc_fused
  // would take them; and many.
  EXPECT_THAT(choice(scattered_matrix<double>(host, 10, 20000, 6000), scattered_matrix<double>(host, 20000, 100000, 3)),
              HasSubstr("auto: esc, for rows of A with"));
  EXPECT_THAT(choice(scattered_matrix<double>(host, 20, 3000, 1000), scattered_matrix<double>(host, 3000, 150, 1)),
              HasSubstr("auto: esc, for rows of A with"));
  EXPECT_THAT(
      choice(scattered_matrix<double>(host, 100, 20000, 1000), scattered_matrix<double>(host, 20000, 100000, 2)),
      HasSubstr("auto: hash, for rows of A with"));
}

TEST_F(CudaAuto, LeavesMarginsBesideRowsThatAreAlike) {
  Context<Host> host;
  Context<Cuda> ctx;
  const auto leaves_margins = [&](const CsrMatrix<double, Host>& A) {
    const auto there = reference::upload(ctx, borrow(A));
    CsrMatrix<double, Cuda> C = multiply(ctx, there, there, {.margins = {.before = 3, .behind = 2}});
    const auto mean = static_cast<std::size_t>(C.nnz() / C.rows);
    return !C.col_indices.widened(3 * mean, 2 * mean).empty() && !C.values.widened(3 * mean, 2 * mean).empty();
  };
  // By esc_fused, row_merge and hash, in this order.
  EXPECT_TRUE(leaves_margins(scattered_matrix<double>(host, 500, 500, 5)));
  EXPECT_TRUE(leaves_margins(
      generate_matrix<double>(host, reference::poisson(reference::grid({60, 60, 60}), Discretization::fd))));
  EXPECT_TRUE(leaves_margins(scattered_matrix<double>(host, 20000, 20000, 20)));
}

}  // namespace
}  // namespace amgsolve
