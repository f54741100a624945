#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "dist/local_matrix.hpp"
#include "problems/generate.hpp"
#include "src/application/shared_matrix.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/reference/model_problems.hpp"
#include "tests/reference/spaces.hpp"

namespace amgsolve {
namespace {

using ranks::world;

template <class I>
class WideNumbers : public reference::SpaceTest<typename I::Space> {};
TYPED_TEST_SUITE(WideNumbers, reference::DoubleInstances, reference::InstanceNames);

/// The last rows of each rank of a grid of 2.7 billion unknowns, over windows of all that ranks have of it: there is no
/// memory for more of them here.
TYPED_TEST(WideNumbers, AreThoseOfColumnsAndGhostsAlone) {
  using S = typename TypeParam::Space;
  if (world().size() == 1) {
    GTEST_SKIP() << "one rank";
  }
  const std::int64_t n = 1400;
  const GeneratedProblem problem = reference::poisson(reference::grid({n, n, n}), Discretization::fd);
  const RowRange own = shared_rows(world(), problem.unknowns());
  const Partition partition(world(), own.count());
  ASSERT_EQ(partition.rows(), n * n * n);
  Context<S> ctx = ranks::shared_context<S>();
  const RowRange last{own.last - 3, own.last};
  RankRows<double, S> rows = generate_strip<double>(ctx, problem, last);
  const auto columns = reference::download(ctx, std::get<Buffer<std::int64_t, S>>(rows.col_indices).span());

  const LocalMatrix<double, S> local = to_local(ctx, partition, std::move(rows));
  const Layout<S>& layout = *local.layout;
  EXPECT_EQ(layout.first_row(), own.first);
  EXPECT_EQ(layout.own_rows(), own.count());
  const std::vector<std::int64_t> ghosts = reference::download(ctx, layout.ghosts());
  const WindowColumns window{layout.first_row(), layout.first_own(), layout.own_rows(), ghosts.data(),
                             static_cast<Index>(ghosts.size())};
  const std::vector<Index> in_window = reference::download(ctx, local.A.col_indices.span());
  ASSERT_EQ(in_window.size(), columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    EXPECT_EQ(window.row_of(in_window[k]), columns[k]);
  }

  // What others have of this rank's rows as ghosts it knows to be needed.
  std::vector<std::int64_t> ghosts_here = world().all_gather_list(std::span<const std::int64_t>(ghosts));
  std::erase_if(ghosts_here, [&](std::int64_t row) { return row < own.first || row >= own.last; });
  std::vector<std::int64_t> needed;
  for (const Index row : reference::download(ctx, layout.needs())) {
    needed.push_back(own.first + row);
  }
  EXPECT_EQ(needed, ghosts_here);
  EXPECT_EQ(needed.empty(), world().rank() == 0);
}

}  // namespace
}  // namespace amgsolve
