#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "amg/constants_check.hpp"
#include "dist/halo.hpp"
#include "spmv/conversions.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/dist/shared_matrices.hpp"

/// What constants say of a matrix whose rows ranks share.
namespace amgsolve {
namespace {

using ranks::Cut;
using ranks::poisson;
using ranks::world;

/// One unknown a node, two and three, which ranks cut within nodes.
std::vector<CsrMatrix<double, Host>> matrices(Context<Host>& ctx) {
  std::vector<CsrMatrix<double, Host>> all;
  all.push_back(generate_matrix<double>(ctx, poisson({61, 60}, Discretization::q1)));
  GeneratedProblem body = poisson({47, 49}, Discretization::q1);
  body.pde = Pde::elasticity;
  all.push_back(generate_matrix<double>(ctx, body));
  body.grid = reference::grid({15, 15, 15});
  all.push_back(generate_matrix<double>(ctx, body));
  return all;
}

template <class I>
class SharedConstants : public ranks::OnRanks<I> {};
TYPED_TEST_SUITE(SharedConstants, reference::Instances, reference::InstanceNames);

TYPED_TEST(SharedConstants, HaveTheFiguresOfOneRank) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  Context<S> whole = ranks::own_context<S>();
  Index dimensions = 0;
  for (const CsrMatrix<double, Host>& in_double : matrices(host)) {
    const CsrMatrix<T, Host> A = convert_values<T>(host, in_double);
    const Operator<T, S> all(whole, reference::upload(whole, borrow(A)), Storage::csr);
    ++dimensions;
    for (const Index block_size : {1, 2, 3}) {
      if (A.rows % block_size != 0) {
        continue;
      }
      const ConstantsCheck expected = check_constants(whole, all, block_size).value();
      EXPECT_TRUE(block_size != 1 || expected.node_size == dimensions);
      for (const Cut cut : ranks::all_cuts()) {
        SCOPED_TRACE(testing::Message() << A.rows << " rows, " << block_size << " a node, cut " << to_string(cut));
        Context<S> ctx = ranks::shared_context<S>();
        LocalMatrix<T, S> local = ranks::share(ctx, A, cut);
        const auto halo = std::make_shared<Halo<T, S>>(local.layout);
        const Operator<T, S> shared(ctx, std::move(local.A), Storage::csr, halo);
        const ConstantsCheck check = check_constants(ctx, shared, block_size).value();
        EXPECT_EQ(check.defect, expected.defect);
        EXPECT_EQ(check.scaled_defect, expected.scaled_defect);
        EXPECT_EQ(check.block_size, expected.block_size);
        EXPECT_EQ(check.node_size, expected.node_size);
      }
    }
  }
}

TYPED_TEST(SharedConstants, AreNotLookedAtWhereARankHasNoMemoryForThem) {
  using T = typename TypeParam::Value;
  using S = typename TypeParam::Space;
  Context<Host> host(1);
  const CsrMatrix<T, Host> A = convert_values<T>(host, matrices(host).front());
  for (int short_of_it = 0; short_of_it < world().size(); ++short_of_it) {
    Context<S> ctx = ranks::shared_context<S>();
    LocalMatrix<T, S> local = ranks::share(ctx, A, Cut::even);
    const Operator<T, S> shared(ctx, std::move(local.A), Storage::csr, std::make_shared<Halo<T, S>>(local.layout));
    const std::size_t two_vectors = 2 * static_cast<std::size_t>(shared.rows()) * sizeof(T);
    ctx.memory().set_limit(world().rank() == short_of_it ? ctx.memory().bytes_in_use() + two_vectors : 0);
    EXPECT_FALSE(check_constants(ctx, shared, 1).has_value());
    ctx.memory().set_limit(0);
    EXPECT_TRUE(check_constants(ctx, shared, 1).has_value());
  }
}

}  // namespace
}  // namespace amgsolve
